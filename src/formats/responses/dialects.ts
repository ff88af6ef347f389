/**
 * How services that speak responses differ in what they take. Data: one row a service, which names only the fields in
 * which it differs from a base. `''` is the plain format as OpenAI writes it, and loses nothing. A service without a row
 * takes what OpenAI takes, but for OpenAI's newest kinds of tools and items.
 */

import type { SignatureOrigin } from '../../conversation/prompt.ts';

export interface Dialect {
  /** Whether everything that a caller of this format may write is written back as it was. */
  readonly complete: boolean;
  /** The vendor that encrypts the reasoning, and alone can read it. */
  readonly signatureOrigin: SignatureOrigin;
  /**
   * Whether the service reads thoughts that nobody has signed. DeepSeek needs them before the calls that came of them,
   * and takes `content` with `encrypted_content: null` (recorded). OpenAI looks such thoughts up by their ids.
   */
  readonly plainThoughts: boolean;
  /** Whether the service has no other models than OpenAI's. */
  readonly openAIOnly: boolean;
  /** Whether `tool_choice` may be something other than `auto`. Meta: "only `"auto"` is supported for `tool_choice`". */
  readonly toolChoices: boolean;
  /** Whether `tool_choice` may name the web search. */
  readonly searchChoices: boolean;
  /** Whether a schema may contain itself. Meta: "Recursive JSON schemas are not currently supported". */
  readonly cyclicSchemas: boolean;
  /** Whether the parameters of a function may be a union. xAI: "tool parameter root must be an object type". */
  readonly rootUnions: boolean;
  /** Whether a parameter that is named `properties` may be a closed object. xAI takes the name for the keyword. */
  readonly closedProperties: boolean;
  /**
   * Which options of `web_search` exist. xAI has domains only, and another name for those to leave out ("Web Search",
   * docs.x.ai).
   */
  readonly searchOptions: 'all' | 'domains';
  /** Whether `max_tool_calls` limits the searches. */
  readonly maxToolCalls: boolean;
  readonly serviceTier: boolean;
  /** The custom tools that the service knows, by their names. */
  readonly customTools: ReadonlySet<string>;
  /** Whether the service knows namespaces, of functions only. */
  readonly namespaces: boolean;
  /** The types of OpenAI's input items that the service does not know. */
  readonly unknownItems: ReadonlySet<string>;
}

/** Items that add tools to a conversation, and find them. */
const TOOL_ITEMS: readonly string[] = ['additional_tools', 'tool_search_call', 'tool_search_output'];

/**
 * Codex uses OpenAI's newest kinds of tools and items. xAI refuses them (422: "unknown variant `namespace`", or
 * `custom`; "untagged enum ModelInput"), and so does OpenRouter (400: `invalid_union`).
 */
const COMPATIBLE: Dialect = {
  complete: false,
  // A gateway in front of OpenAI's models has an account of its own there, and OpenAI reads reasoning only for the account
  // that got it ("organization_id did not match the target organization").
  signatureOrigin: 'other',
  plainThoughts: false,
  openAIOnly: false,
  toolChoices: true,
  searchChoices: true,
  cyclicSchemas: true,
  rootUnions: true,
  closedProperties: true,
  searchOptions: 'all',
  maxToolCalls: true,
  serviceTier: true,
  customTools: new Set(),
  namespaces: false,
  unknownItems: new Set([...TOOL_ITEMS, 'agent_message', 'custom_tool_call', 'custom_tool_call_output']),
};

const OPENAI: Dialect = { ...COMPATIBLE, signatureOrigin: 'openai', openAIOnly: true };

const XAI: Dialect = {
  ...COMPATIBLE,
  signatureOrigin: 'x-ai',
  searchChoices: false,
  rootUnions: false,
  closedProperties: false,
  searchOptions: 'domains',
  maxToolCalls: false,
  serviceTier: false,
};

const DIALECTS: Readonly<Record<string, Dialect>> = {
  '': { ...COMPATIBLE, signatureOrigin: 'openai', complete: true },
  openai: OPENAI,
  azure: OPENAI,
  // It silently ignores the kinds that it does not know: the model is then offered no tools, and writes its calls as
  // text. It takes functions, also in namespaces, `web_search`, and `apply_patch` as a custom tool ("Codex",
  // DeepSeek documentation).
  deepseek: {
    ...COMPATIBLE,
    signatureOrigin: 'deepseek',
    plainThoughts: true,
    customTools: new Set(['apply_patch']),
    namespaces: true,
    unknownItems: new Set(TOOL_ITEMS),
  },
  meta: {
    ...COMPATIBLE,
    signatureOrigin: 'meta',
    toolChoices: false,
    cyclicSchemas: false,
    maxToolCalls: false,
  },
  'x-ai': XAI,
  xai: XAI,
};

/** The dialect of that name, or that of services without a row. */
export function findDialect(name: string): Dialect {
  return (Object.hasOwn(DIALECTS, name) && DIALECTS[name]) || COMPATIBLE;
}
