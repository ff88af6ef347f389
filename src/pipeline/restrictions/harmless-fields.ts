/**
 * What a request of a restricted key may contain: fields that are known to reach no other model. These are the fields
 * of the vendors' SDKs (`sdk-fields.ts`) and some others, without those that are known to choose a model or an account.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import { ALT_NAMES } from '../../formats/generate-content/wire/alt.ts';
import { onDemand } from '../../lib/on-demand.ts';
import { wordList } from '../../lib/words.ts';
import { buildTree, type KnownFields, listPaths, perFormat } from '../../translate/known-fields.ts';

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
const OPENROUTER_TOOL = wordList(`
  name model analysis_models tools.* instructions max_tool_calls max_completion_tokens
  temperature reasoning.effort reasoning.max_tokens forward_transcript
  engine max_results max_total_results search_context_size allowed_domains excluded_domains
`);

/** The ids of OpenRouter's plugins. The models that `fusion` calls are checked by `other-models.ts`. */
export const PLUGINS: ReadonlySet<string> = new Set(['web', 'file-parser', 'response-healing', 'fusion']);

/** Query parameters that change only how an answer is written, and which version of the API writes it. */
export const PARAMETERS: Readonly<Record<FormatName, ReadonlySet<string>>> = {
  'chat-completions': new Set(['beta', 'api-version']),
  responses: new Set(['beta', 'api-version']),
  messages: new Set(['beta']),
  'generate-content': new Set([...ALT_NAMES, 'fields', 'prettyPrint']),
};

/**
 * The same of a request about a stored response: which part of it is asked for, and of its stream from where on
 * ("Get a model response" and "List input items", OpenAI API reference). A list is written with `[]` by OpenAI's SDKs.
 */
export const STORED_PARAMETERS: ReadonlySet<string> = new Set([
  ...PARAMETERS.responses,
  ...['include', 'include[]', 'include_obfuscation', 'stream', 'starting_after'],
  ...['after', 'limit', 'order'],
]);

/** What a request of each format may contain. */
export const harmlessFields = perFormat((format) => buildTree(listPaths(format, REFUSED[format]), format));

/** What a Responses body may contain that comes to chat-completions: Cursor's have fields of both formats. */
export const harmlessOfBoth = onDemand(() =>
  buildTree([
    ...listPaths('chat-completions', REFUSED['chat-completions']),
    ...listPaths('responses', REFUSED.responses),
  ]),
);

/** What one of OpenRouter's tools may contain. */
export const OPENROUTER: KnownFields = buildTree([
  'type',
  ...OPENROUTER_TOOL.map((path) => `parameters.${path}`),
  'cache_control.*',
]);
