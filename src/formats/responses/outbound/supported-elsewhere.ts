/**
 * What services that have responses beside chat-completions know of it. OpenAI's newest kinds of tools and items, of which
 * Codex makes use, are refused by xAI (422: unknown variant `namespace`, or `custom`; untagged enum ModelInput) and by
 * OpenRouter (400: `invalid_union`). DeepSeek reads some of them, and passes over the others without a word: its model is
 * then offered no tools, and writes its calls as text ("Codex", DeepSeek documentation: it takes functions, `web_search`,
 * and `apply_patch` as a custom tool; in namespaces, functions).
 */

import { asObjects, type Json, type JsonObject } from '../../../lib/json.ts';
import { isMetas, META } from './meta-tools.ts';

const OPENAIS_TOOLS: ReadonlySet<Json | undefined> = new Set(['custom', 'namespace', 'tool_search']);

/** Items that bring tools along, and find them. */
const BRINGING: readonly string[] = ['additional_tools', 'tool_search_call', 'tool_search_output'];

const OPENAIS_ITEMS: ReadonlySet<Json | undefined> = new Set([
  ...BRINGING,
  'agent_message',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** Which tools, and which items, a service does not know. */
interface Unknown {
  readonly tool: (tool: JsonObject) => boolean;
  readonly items: ReadonlySet<Json | undefined>;
  /** Whether it takes all else. Absent: nothing else matters. */
  readonly rest?: (request: JsonObject) => boolean;
}

const ANYWHERE: Unknown = { tool: ({ type }) => OPENAIS_TOOLS.has(type), items: OPENAIS_ITEMS };

const BY_DIALECT: ReadonlyMap<string, Unknown> = new Map<string, Unknown>([
  [META, { ...ANYWHERE, rest: isMetas }],
  [
    'deepseek',
    {
      tool: ({ type, name, tools }) =>
        type === 'namespace'
          ? asObjects(tools).some((member) => member['type'] !== 'function')
          : OPENAIS_TOOLS.has(type) && name !== 'apply_patch',
      items: new Set(BRINGING),
    },
  ],
]);

/** @see Outbound.isKnownElsewhere */
export function isKnownElsewhere(request: JsonObject, dialect: string): boolean {
  const { tools, input } = request;
  const unknown = BY_DIALECT.get(dialect) ?? ANYWHERE;
  return (
    !asObjects(tools).some(unknown.tool) &&
    !asObjects(input).some(({ type }) => unknown.items.has(type)) &&
    (unknown.rest?.(request) ?? true)
  );
}
