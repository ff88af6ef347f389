/**
 * What a request of a restricted key may contain: fields that are known to reach no other model. These are the fields
 * of the vendors' SDKs (`sdk-fields.ts`) and some others, without those that are known to choose a model or an account.
 */

import { FORMAT_NAMES, type FormatName } from '../../conversation/prompt.ts';
import { ALT_NAMES } from '../../formats/generate-content/wire/alt.ts';
import { SDK_FIELDS } from './sdk-fields.ts';
import { spellings } from './spellings.ts';

/** The known fields of an object, each with those of the object that it holds. */
export interface Harmless {
  readonly fields: ReadonlyMap<string, Harmless>;
  /** Whether it may hold anything: a schema, a conversation, or what only the caller gets back. */
  readonly isOpen: boolean;
}

/**
 * Fields of the SDKs that are refused, each with all that it holds. Google's choose a model themselves, or have another
 * one rank the results. Anthropic's are headers in its SDK, and choose an account; any field of its `fallbacks` other
 * than the known ones may name a model.
 */
export const REFUSED: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': [],
  responses: [],
  messages: ['workspace_id', 'user_profile_id', 'fallbacks.*'],
  'generate-content': [
    'generationConfig.routingConfig',
    'generationConfig.modelSelectionConfig',
    'tools.retrieval.vertexRagStore.ragRetrievalConfig.ranking',
  ],
};

/**
 * The settings of OpenRouter's tools ("Server tools", its API reference). The models in them are checked by
 * `other-models.ts`.
 */
const OPENROUTER_TOOL = [
  ...[
    'name',
    'model',
    'analysis_models',
    'tools.*',
    'instructions',
    'max_tool_calls',
    'max_completion_tokens',
  ],
  ...['temperature', 'reasoning.effort', 'reasoning.max_tokens', 'forward_transcript'],
  ...[
    'engine',
    'max_results',
    'max_total_results',
    'search_context_size',
    'allowed_domains',
    'excluded_domains',
  ],
];

/**
 * Fields of services that speak OpenAI's chat-completions, from their API references: sampling and reasoning (Alibaba,
 * DeepSeek, MiniMax, Mistral, Moonshot, OpenRouter, vLLM, Z.ai), and Google's thinking in its OpenAI-compatible
 * endpoint. The models in `models`, `preset`, `plugins`, `providerOptions` and fields that end in `fallbacks` are
 * checked by `other-models.ts`, whatever else these hold.
 */
const CHAT = [
  ...[
    'top_k',
    'top_a',
    'min_p',
    'repetition_penalty',
    'random_seed',
    'ignore_eos',
    'safe_prompt',
    'prompt_mode',
  ],
  ...[
    'thinking.type',
    'thinking.budget_tokens',
    'thinking.clear_thinking',
    'thinking.keep',
    'thinking.display',
  ],
  ...['enable_thinking', 'thinking_budget', 'reasoning_split', 'chat_template_kwargs.*', 'include_reasoning'],
  ...[
    'reasoning.effort',
    'reasoning.max_tokens',
    'reasoning.exclude',
    'reasoning.enabled',
    'reasoning.summary',
  ],
  ...['cache_control.type', 'cache_control.ttl', 'usage.include', 'route', 'response_format.schema.*'],
  ...[
    'extra_body.google.thinking_config.*',
    'tools.strict',
    'tools.cache_control.type',
    'tools.cache_control.ttl',
  ],
  ...['models', 'preset', 'fallbacks.*', 'context_window_fallbacks.*', 'content_policy_fallbacks.*'],
  ...[
    'plugins.id',
    'plugins.model',
    'plugins.analysis_models',
    'plugins.max_results',
    'plugins.search_prompt',
  ],
  ...['plugins.engine', 'plugins.enabled', 'plugins.pdf.engine'],
  ...['providerOptions.gateway.models', 'providerOptions.gateway.order', 'providerOptions.gateway.only'],
];

/** Known fields that the SDKs do not have. The other spellings of Google's JSON are added by `spellings`. */
const ALSO: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': CHAT,
  responses: ['models', 'fallbacks.*', 'top_k', 'seed', 'stop'],
  // Earlier models have these; Anthropic's newest SDKs no longer do.
  messages: ['temperature', 'top_p', 'top_k', 'output_format.type', 'output_format.schema.*'],
  'generate-content': [
    // It has to be the model of the path (`requireSameModel`).
    'model',
    // The other two names of `responseJsonSchema`.
    'generationConfig._responseJsonSchema.*',
    'generationConfig.responseJsonSchemaOrdered.*',
  ],
};

/** Tools of chat-completions services that the SDKs do not have. Plugins are known by their id. */
const MORE_TOOLS = [
  // Moonshot's and Z.ai's own, which call no other model.
  ...['builtin_function', 'web_search', 'retrieval'],
  ...['advisor', 'fusion', 'image_generation', 'subagent', 'web_search', 'web_fetch', 'datetime'].map(
    (name) => `openrouter:${name}`,
  ),
];

/** The ids of OpenRouter's plugins. The models that `fusion` calls are checked by `other-models.ts`. */
export const PLUGINS: ReadonlySet<string> = new Set(['web', 'file-parser', 'response-healing', 'fusion']);

/** Query parameters that change only how an answer is written, and which version of the API writes it. */
export const PARAMETERS: Readonly<Record<FormatName, ReadonlySet<string>>> = {
  'chat-completions': new Set(['beta', 'api-version']),
  responses: new Set(['beta', 'api-version']),
  messages: new Set(['beta']),
  'generate-content': new Set([...ALT_NAMES, 'fields', 'prettyPrint']),
};

/** What a request of each format may contain. */
export const HARMLESS: Readonly<Record<FormatName, Harmless>> = perFormat((format) =>
  buildTree(listPaths(format, REFUSED[format]), format === 'generate-content' ? spellings : undefined),
);

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

/** The same with what is refused, and with what is read of other formats' shapes: all fields that are known. */
export const KNOWN: Readonly<Record<FormatName, Harmless>> = perFormat((format) =>
  buildTree(
    [...listPaths(format, []), ...SHAPES[format]],
    format === 'generate-content' ? spellings : undefined,
  ),
);

/** What is known in a Responses body that comes to chat-completions. */
export const KNOWN_OF_BOTH: Harmless = buildTree(
  (['chat-completions', 'responses'] as const).flatMap((format) => [
    ...listPaths(format, []),
    ...SHAPES[format],
  ]),
);

/** What a Responses body may contain that comes to chat-completions: Cursor's have fields of both formats. */
export const HARMLESS_OF_BOTH: Harmless = buildTree([
  ...listPaths('chat-completions', REFUSED['chat-completions']),
  ...listPaths('responses', REFUSED.responses),
]);

/** What one of OpenRouter's tools may contain. */
export const OPENROUTER: Harmless = buildTree([
  'type',
  ...OPENROUTER_TOOL.map((path) => `parameters.${path}`),
  'cache_control.*',
]);

/** The `type` of tools that a request of each format may contain. */
export const TOOLS: Readonly<Record<FormatName, ReadonlySet<string>>> = perFormat(
  (format) => new Set(format === 'chat-completions' ? chatTools() : SDK_FIELDS[format].tools),
);

/** Agents send tools of any format to chat-completions (Cursor does). */
function chatTools(): readonly string[] {
  return [...FORMAT_NAMES.flatMap((format) => SDK_FIELDS[format].tools), ...MORE_TOOLS];
}

/** The known paths. @param refused those that are left out, with all that they hold. */
function listPaths(format: FormatName, refused: readonly string[]): readonly string[] {
  const sdks = SDK_FIELDS[format].fields.filter(
    (path) => !refused.some((each) => path === each || path.startsWith(`${each}.`)),
  );
  const brought =
    format === 'chat-completions'
      ? (['responses', 'messages'] as const).flatMap((other) =>
          SDK_FIELDS[other].fields.filter((path) => path.startsWith('tools.')),
        )
      : [];
  const all = [...sdks, ...ALSO[format], ...brought];
  if (format !== 'generate-content') return all;
  // A token count may hold a whole request.
  const counted = all.map((path) => `generateContentRequest.${path}`);
  return [...all, ...counted];
}

interface Growing extends Harmless {
  readonly fields: Map<string, Growing>;
  isOpen: boolean;
}

/** @param spell all spellings of a name. Absent: it has one. */
function buildTree(
  paths: readonly string[],
  spell: (name: string) => readonly string[] = (name) => [name],
): Harmless {
  const root: Growing = { fields: new Map(), isOpen: false };
  for (const path of paths) {
    let at = root;
    for (const name of path.split('.')) {
      if (name === '*') {
        at.isOpen = true;
        break;
      }
      const next: Growing = at.fields.get(name) ?? { fields: new Map(), isOpen: false };
      for (const spelling of spell(name)) at.fields.set(spelling, next);
      at = next;
    }
  }
  return root;
}

function perFormat<T>(make: (format: FormatName) => T): Readonly<Record<FormatName, T>> {
  return {
    'chat-completions': make('chat-completions'),
    responses: make('responses'),
    messages: make('messages'),
    'generate-content': make('generate-content'),
  };
}
