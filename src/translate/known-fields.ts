/**
 * The fields and tools that a request of each format may have: those of the vendors' SDKs (`sdk-fields.ts`), some of
 * other services, and what is read of other formats' shapes.
 */

import { FORMAT_NAMES, type FormatName } from '../conversation/prompt.ts';
import { onDemand } from '../lib/on-demand.ts';
import { wordList } from '../lib/words.ts';
import { SDK_FIELDS } from './sdk-fields.ts';
import { spellings } from './spellings.ts';

/** The known fields of an object, each with those of the object that it holds. */
export interface KnownFields {
  readonly fields: ReadonlyMap<string, KnownFields>;
  /** Whether it may hold anything: a schema, a conversation, or what only the caller gets back. */
  readonly isOpen: boolean;
}

/**
 * Fields of services that speak OpenAI's chat-completions, from their API references: sampling and reasoning (Alibaba,
 * DeepSeek, MiniMax, Mistral, Moonshot, OpenRouter, vLLM, Z.ai), and Google's thinking in its OpenAI-compatible
 * endpoint. The models in `models`, `preset`, `plugins`, `providerOptions` and fields that end in `fallbacks` are
 * checked by `other-models.ts`, whatever else these hold.
 */
const CHAT = `
  top_k top_a min_p repetition_penalty random_seed ignore_eos safe_prompt prompt_mode
  thinking(type budget_tokens clear_thinking keep display)
  enable_thinking thinking_budget reasoning_split chat_template_kwargs(*) include_reasoning
  reasoning(effort max_tokens exclude enabled summary)
  cache_control(type ttl) usage(include) route response_format(schema(*))
  extra_body(google(thinking_config(*) safety_settings(category method threshold))) tools(strict cache_control(type ttl))
  models preset fallbacks(*) context_window_fallbacks(*) content_policy_fallbacks(*)
  plugins(id model analysis_models max_results search_prompt engine enabled pdf(engine))
  providerOptions(gateway(models order only))
`;

/** Known fields that the SDKs do not have. The other spellings of Google's JSON are added by `spellings`. */
const ALSO: Readonly<Record<FormatName, string>> = {
  'chat-completions': CHAT,
  responses: 'models fallbacks(*) top_k frequency_penalty presence_penalty seed stop',
  // Earlier models have these; Anthropic's newest SDKs no longer do.
  messages: 'temperature top_p top_k output_format(type schema(*))',
  // The model has to be that of the path (`requireSameModel`). The other two are names of `responseJsonSchema`.
  'generate-content': 'model generationConfig(_responseJsonSchema(*) responseJsonSchemaOrdered(*))',
};

/** Tools of chat-completions services that the SDKs do not have. Plugins are known by their id. */
const MORE_TOOLS = [
  // Moonshot's and Z.ai's own, which call no other model.
  ...['builtin_function', 'web_search', 'retrieval'],
  ...['advisor', 'fusion', 'image_generation', 'subagent', 'web_search', 'web_fetch', 'datetime'].map(
    (name) => `openrouter:${name}`,
  ),
];

/**
 * What is read of other formats' shapes: a choice of tools and a schema, flat or wrapped, and the settings of a search
 * (`flat-tools.ts`, `cursor/shapes.ts`).
 */
const CHOICE = ['name', 'namespace', 'function.name', 'custom.name', 'allowed_tools.*', 'tools.*', 'mode'];
const SHAPES: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': [
    ...[...CHOICE, 'disable_parallel_tool_use'].map((path) => `tool_choice.${path}`),
    ...['name', 'description', 'strict'].map((name) => `response_format.${name}`),
  ],
  responses: [
    ...CHOICE.map((path) => `tool_choice.${path}`),
    ...['text.format.json_schema.*', 'tools.filters.blocked_domains'],
  ],
  messages: [],
  'generate-content': [],
};

/** The fields of an object that has none, as most are. A map for each of them would take 0.8 MB. */
const NONE: Growing['fields'] = new Map();

/** All fields of a format that are known, with those that a restricted key may not send. */
export const knownFields = perFormat((format) =>
  buildTree([...listPaths(format, []), ...SHAPES[format]], format),
);

/** What is known in a Responses body that comes to chat-completions. */
export const knownOfBoth = onDemand(() =>
  buildTree(
    (['chat-completions', 'responses'] as const).flatMap((format) => [
      ...listPaths(format, []),
      ...SHAPES[format],
    ]),
  ),
);

/** The `type` of tools that a request of each format may contain. */
export const toolTypes: (format: FormatName) => ReadonlySet<string> = perFormat(
  (format) => new Set(format === 'chat-completions' ? chatTools() : wordList(SDK_FIELDS[format].tools)),
);

/** Agents send tools of any format to chat-completions (Cursor does). */
function chatTools(): readonly string[] {
  return [...FORMAT_NAMES.flatMap((format) => wordList(SDK_FIELDS[format].tools)), ...MORE_TOOLS];
}

/** The known paths. @param refused those that are left out, with all that they hold. */
export function listPaths(format: FormatName, refused: readonly string[]): readonly string[] {
  const sdks = pathsIn(SDK_FIELDS[format].fields).filter(
    (path) => !refused.some((each) => path === each || path.startsWith(`${each}.`)),
  );
  const brought =
    format === 'chat-completions'
      ? (['responses', 'messages'] as const).flatMap((other) =>
          pathsIn(SDK_FIELDS[other].fields).filter((path) => path.startsWith('tools.')),
        )
      : [];
  const all = [...sdks, ...pathsIn(ALSO[format]), ...brought];
  if (format !== 'generate-content') return all;
  // A token count may hold a whole request.
  const counted = all.map((path) => `generateContentRequest.${path}`);
  return [...all, ...counted];
}

/** The paths of all fields in a text like `audio(format voice(id)) n`, each behind that of the field that holds it. */
function pathsIn(text: string): readonly string[] {
  const paths: string[] = [];
  const holders: string[] = [];
  for (const token of text.match(/[()]|[^()\s]+/g) ?? []) {
    const holder = holders.at(-1);
    if (token === '(') holders.push(paths.at(-1) ?? '');
    else if (token === ')') holders.pop();
    else paths.push(holder === undefined ? token : `${holder}.${token}`);
  }
  return paths;
}

interface Growing extends KnownFields {
  fields: Map<string, Growing>;
  isOpen: boolean;
}

/** Makes the tree of paths. @param format tells how many spellings a name has. Absent: one. */
export function buildTree(paths: readonly string[], format?: FormatName): KnownFields {
  const spell = format === 'generate-content' ? spellings : (name: string) => [name];
  const root: Growing = { fields: NONE, isOpen: false };
  for (const path of paths) {
    let at = root;
    for (const name of path.split('.')) {
      if (name === '*') {
        at.isOpen = true;
        break;
      }
      const next: Growing = at.fields.get(name) ?? { fields: NONE, isOpen: false };
      if (at.fields === NONE) at.fields = new Map();
      for (const spelling of spell(name)) at.fields.set(spelling, next);
      at = next;
    }
  }
  return root;
}

/** @returns a function that makes the value for a format once, and returns it ever after. */
export function perFormat<T>(make: (format: FormatName) => T): (format: FormatName) => T {
  const values: Readonly<Record<FormatName, () => T>> = {
    'chat-completions': onDemand(() => make('chat-completions')),
    responses: onDemand(() => make('responses')),
    messages: onDemand(() => make('messages')),
    'generate-content': onDemand(() => make('generate-content')),
  };
  return (format) => values[format]();
}
