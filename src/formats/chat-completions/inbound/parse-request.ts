/** A caller's chat-completions body as a prompt (OpenAI API reference, "Create chat completion"). */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Prompt, ToolChoice, Turn } from '../../../conversation/prompt.ts';
import { distinctTools, renameCalls } from '../../../conversation/rules/distinct-tools.ts';
import { invalid } from '../../../lib/errors.ts';
import {
  asFlag,
  asObject,
  asText,
  compact,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  otherFields,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordList, wordSet } from '../../../lib/words.ts';
import type { ParseReport } from '../../format.ts';
import { parseCacheControl } from '../../openai/cache-breakpoints.ts';
import {
  emptyList,
  flagAt,
  integerAt,
  metadataAt,
  missing,
  numberAt,
  objectAt,
  objectsAt,
  SHARED_FIELDS,
  seedAt,
  stopsAt,
  textAt,
} from '../../openai/fields.ts';
import { reportRenamedTools } from '../../openai/renamed-tools.ts';
import { findMaxSearches } from '../../web-search.ts';
import { parseImageOptions, parseOutput } from './parse-output.ts';
import { parseThinking } from './parse-thinking.ts';
import { keyOfCall, parseToolChoice, toolKey } from './parse-tool-choice.ts';
import { parseTools } from './parse-tools.ts';
import { parseTurns } from './parse-turns.ts';

/**
 * Fields of OpenAI's API reference that no other vendor has an equivalent for, and OpenRouter's `image_config`, which goes
 * with `modalities`.
 */
const OPENAI_ONLY = new Set([
  ...SHARED_FIELDS,
  ...wordList('audio image_config logit_bias modalities prediction store verbosity'),
]);

/** Fields that are read one by one, here and by the parsers of sampling, thinking and tools. */
const READ = wordSet(`
  model messages max_tokens max_completion_tokens temperature top_p top_k n stop seed random_seed
  frequency_penalty presence_penalty logprobs top_logprobs user metadata service_tier stream stream_options
  usage cache_control tools tool_choice parallel_tool_calls functions function_call response_format
  web_search_options reasoning_effort reasoning thinking enable_thinking thinking_budget extra_body
`);
const USAGE_OPTION: ReadonlySet<string> = new Set(['include_usage']);

/** What is read where a field is absent. */
const NOTHING: JsonObject = {};

/**
 * @returns the prompt; its model is spelled as the caller wrote it.
 * @throws GatewayError `invalid-request` in OpenAI's words, with the field at fault as its param.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  const { model, messages, user, metadata, service_tier, stream, tool_choice, parallel_tool_calls } = body;
  const { function_call, response_format, web_search_options, cache_control, usage } = body;
  const named = parseModel(model);
  const thinking = parseThinking(body);
  const output = parseOutput(response_format);
  const rest = otherFields(body, READ);
  const streamOptions = objectAt(body['stream_options'], 'stream_options') ?? NOTHING;
  const otherStreamOptions = otherFields(streamOptions, USAGE_OPTION);
  // OpenRouter's way to ask for usage. Its clients send it to every address.
  const includeUsage = asFlag(asObject(usage)?.['include']);
  const choice = tool_choice ?? function_call;
  const { tools, names } = distinctTools(parseTools(body) ?? [], ({ kind, name }) => toolKey(kind, name));
  reportRenamedTools(names, report);
  const toolChoice = withSearch(
    parseToolChoice(choice, tool_choice == null ? 'function_call' : 'tool_choice', names),
    web_search_options,
  );
  const turns = parseMessages(messages);
  const [openaiFields, unknown] = splitFields(rest, OPENAI_ONLY);
  const formatSpecific = withoutNulls({
    ...openaiFields,
    ...thinking.formatSpecific,
    ...(!isEmpty(otherStreamOptions) && { stream_options: otherStreamOptions }),
    ...(toolChoice === undefined && choice !== undefined && { tool_choice: choice }),
    ...output.formatSpecific,
  });
  const unknownFields = withoutNulls({
    ...unknown,
    ...thinking.unknownFields,
    ...(includeUsage === undefined && usage !== undefined && { usage }),
  });
  for (const field of Object.keys(unknownFields)) {
    report(field, 'passed-on', 'not a chat-completions field: passed on for the vendor to judge');
  }
  return {
    model: named,
    turns: names.size === 0 ? turns : renameCalls(turns, (call) => names.get(keyOfCall(call))),
    ...parseSampling(body),
    ...compact({
      tools: tools.length > 0 ? tools : undefined,
      toolChoice,
      parallelToolCalls: flagAt(parallel_tool_calls, 'parallel_tool_calls'),
      maxSearches: findMaxSearches(tools),
      output: output.output,
      thinking: thinking.thinking,
      images: parseImageOptions(rest),
      cachedContent: thinking.cachedContent,
      // `safety_identifier` is OpenAI's newer name. If both are present, the older one is the caller's own.
      user: textAt(user, 'user') ?? asText(rest['safety_identifier']),
      metadata: metadataAt(metadata),
      serviceTier: textAt(service_tier, 'service_tier'),
      stream: flagAt(stream, 'stream') ?? false,
      includeUsage: flagAt(streamOptions['include_usage'], 'stream_options.include_usage') ?? includeUsage,
      cacheKey: asText(formatSpecific['prompt_cache_key']),
      cacheBreakpoint: isObject(cache_control) ? parseCacheControl(cache_control) : undefined,
    }),
    // Always present: by it the renderer of this format knows that the caller speaks it.
    formatSpecific: {
      format: 'chat-completions',
      fields: formatSpecific,
      ...(isObject(cache_control) && { roundTrip: { cache_control } }),
    },
    ...withUnknownFields(unknownFields),
  };
}

/** The settings of sampling: temperature and the like, the limit of tokens, stop sequences and log probabilities. */
function parseSampling(body: JsonObject) {
  return compact({
    maxTokens:
      integerAt(body['max_completion_tokens'], 'max_completion_tokens') ??
      integerAt(body['max_tokens'], 'max_tokens'),
    temperature: numberAt(body['temperature'], 'temperature'),
    topP: numberAt(body['top_p'], 'top_p'),
    topK: numberAt(body['top_k'], 'top_k'),
    stop: stopsAt(body['stop']),
    // `random_seed` is Mistral's name.
    seed: seedAt(body['seed']) ?? integerAt(body['random_seed'], 'random_seed'),
    frequencyPenalty: numberAt(body['frequency_penalty'], 'frequency_penalty'),
    presencePenalty: numberAt(body['presence_penalty'], 'presence_penalty'),
    choices: integerAt(body['n'], 'n'),
    logprobs: flagAt(body['logprobs'], 'logprobs'),
    topLogprobs: integerAt(body['top_logprobs'], 'top_logprobs'),
  });
}

/** `web_search_options` stands beside the tools, so a subset of the allowed tools does not exclude the search. */
function withSearch(choice: ToolChoice | undefined, searchOptions: Json | undefined): ToolChoice | undefined {
  const leavesSearch = choice?.mode === 'auto' && choice.allowed && isObject(searchOptions);
  return leavesSearch ? { ...choice, search: true } : choice;
}

function parseModel(value: Json | undefined): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid('you must provide a model parameter', 'model');
}

function parseMessages(value: Json | undefined): readonly Turn[] {
  if (value === undefined || value === null) throw missing('messages');
  const messages = objectsAt(value, 'messages');
  if (messages.length === 0) throw emptyList('messages');
  return parseTurns(messages);
}
