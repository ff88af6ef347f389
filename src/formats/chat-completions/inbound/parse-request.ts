/** A caller's chat-completions body to a prompt. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { OutputFormat, Prompt, Tool, Turn } from '../../../conversation/prompt.ts';
import { withoutRepeated } from '../../../conversation/rules/repeated-tools.ts';
import { invalid } from '../../../lib/errors.ts';
import {
  asFlag,
  asObject,
  asText,
  compact,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import {
  emptyList,
  flagAt,
  integerAt,
  missing,
  numberAt,
  objectAt,
  objectsAt,
  SHARED_FIELDS,
  textAt,
  wrongType,
} from '../../openai/fields.ts';
import { parseCacheControl } from './parse-cache-breakpoints.ts';
import { parseThinking } from './parse-thinking.ts';
import { parseFunction, parseTool, parseToolChoice, searchTool } from './parse-tools.ts';
import { parseTurns } from './parse-turns.ts';

/** Fields of OpenAI's API reference that no other vendor has a word for. */
const OWN = new Set([
  ...SHARED_FIELDS,
  'audio',
  'logit_bias',
  'modalities',
  'prediction',
  'store',
  'verbosity',
]);

/**
 * @returns the prompt; its model is spelled as the caller did.
 * @throws GatewayError `invalid-request` in OpenAI's words, naming the field.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  const {
    model,
    messages,
    max_tokens,
    max_completion_tokens,
    temperature,
    top_p,
    top_k,
    n,
    stop,
    seed,
    frequency_penalty,
    presence_penalty,
    logprobs,
    top_logprobs,
    user,
    metadata,
    service_tier,
    stream,
    stream_options,
    tools,
    tool_choice,
    parallel_tool_calls,
    functions,
    function_call,
    response_format,
    web_search_options,
    random_seed,
    cache_control,
    usage,
    // `parseThinking` reads these.
    reasoning_effort: _effort,
    reasoning: _reasoning,
    thinking: _thinking,
    enable_thinking: _enable,
    thinking_budget: _budget,
    extra_body: _extra,
    ...rest
  } = body;
  if (typeof model !== 'string' || model === '') throw invalid('you must provide a model parameter', 'model');
  const asked = parseThinking(body);
  const { include_usage, ...streamRest } = objectAt(stream_options, 'stream_options') ?? {};
  // OpenRouter's way to ask for it, which its clients send wherever they are pointed.
  const usageAsked = asFlag(asObject(usage)?.['include']);
  const form = parseOutput(response_format);
  const choice = tool_choice ?? function_call;
  const chosen = parseToolChoice(choice, tool_choice == null ? 'function_call' : 'tool_choice');
  // A search is asked for beside the tools: a choice among those leaves it as it is.
  const isBeside = chosen?.mode === 'auto' && chosen.allowed && isObject(web_search_options);
  const toolChoice = isBeside ? { ...chosen, search: true } : chosen;
  const [known, unknown] = splitFields(rest, OWN);
  const own = withoutNulls({
    ...known,
    ...asked.own,
    ...(isObject(cache_control) && { cache_control }),
    ...(!isEmpty(streamRest) && { stream_options: streamRest }),
    ...compact({ tool_choice: toolChoice ? undefined : choice }),
    ...form.own,
  });
  const extra = withoutNulls({
    ...unknown,
    ...asked.extra,
    ...(usageAsked === undefined && usage !== undefined && { usage }),
  });
  for (const field of Object.keys(extra)) {
    report(field, 'passed-on', 'not a chat-completions field: passed on for the vendor to judge');
  }
  return {
    model,
    turns: parseMessages(messages),
    ...compact({
      tools: parseTools(tools, functions, web_search_options),
      toolChoice,
      parallelToolCalls: flagAt(parallel_tool_calls, 'parallel_tool_calls'),
      output: form.output,
      thinking: asked.thinking,
      cachedContent: asked.cachedContent,
      maxTokens:
        integerAt(max_completion_tokens, 'max_completion_tokens') ?? integerAt(max_tokens, 'max_tokens'),
      temperature: numberAt(temperature, 'temperature'),
      topP: numberAt(top_p, 'top_p'),
      topK: numberAt(top_k, 'top_k'),
      stop: parseStop(stop),
      // Mistral's name for it.
      seed: integerAt(nearest(seed), 'seed') ?? integerAt(random_seed, 'random_seed'),
      frequencyPenalty: numberAt(frequency_penalty, 'frequency_penalty'),
      presencePenalty: numberAt(presence_penalty, 'presence_penalty'),
      choices: integerAt(n, 'n'),
      logprobs: flagAt(logprobs, 'logprobs'),
      topLogprobs: integerAt(top_logprobs, 'top_logprobs'),
      // OpenAI's newer name for the same; where both are given the older one stands as the caller's.
      user: textAt(user, 'user') ?? asText(rest['safety_identifier']),
      metadata: objectAt(metadata, 'metadata'),
      serviceTier: textAt(service_tier, 'service_tier'),
      stream: flagAt(stream, 'stream') ?? false,
      includeUsage: flagAt(include_usage, 'stream_options.include_usage') ?? usageAsked,
      cacheKey: asText(own['prompt_cache_key']),
      cacheBreakpoint: isObject(cache_control) ? parseCacheControl(cache_control) : undefined,
    }),
    // Always there: it tells the renderer of this format that the caller speaks it.
    formatSpecific: { format: 'chat-completions', fields: own },
    ...unknownFieldsOf(extra),
  };
}

function parseMessages(value: Json | undefined): readonly Turn[] {
  if (value === undefined || value === null) throw missing('messages');
  const messages = objectsAt(value, 'messages');
  if (messages.length === 0) throw emptyList('messages');
  return parseTurns(messages);
}

/** Tools, the old `functions`, and the web search that stands at the top of the body. */
function parseTools(
  tools: Json | undefined,
  functions: Json | undefined,
  search: Json | undefined,
): readonly Tool[] | undefined {
  const options = objectAt(search, 'web_search_options');
  const all: readonly Tool[] = [
    ...objectsAt(tools, 'tools').map(([tool, param]) => parseTool(tool, param)),
    ...objectsAt(functions, 'functions').map(([fn, param]) => parseFunction(fn, {}, param)),
    ...(options === undefined ? [] : [searchTool(options)]),
  ];
  return all.length > 0 ? withoutRepeated(all) : undefined;
}

/** A seed of more bits than a number has. To Gemini, whose seeds have 32, it is one too long whatever its last digits are. */
function nearest(seed: Json | undefined): Json | undefined {
  return JSON.isRawJSON(seed) ? Number(JSON.stringify(seed)) : seed;
}

function parseStop(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return [value];
  if (!isList(value)) throw wrongType('stop', 'one of a string or array of strings', value);
  if (value.length === 0) return undefined;
  return value.map((item, at) => {
    if (typeof item === 'string') return item;
    throw wrongType(`stop[${at}]`, 'a string', item);
  });
}

/** The form of the answer, where it is one that is known here; and what of it nobody but its service understands. */
function parseOutput(value: Json | undefined): { readonly output?: OutputFormat; readonly own: JsonObject } {
  const format = objectAt(value, 'response_format');
  if (format === undefined) return { own: {} };
  if (format['type'] === 'text') return { output: { kind: 'text' }, own: {} };
  // Together, Fireworks and llama.cpp have the schema beside the type, of either kind.
  const beside = asObject(format['schema']);
  if (format['type'] === 'json_object') {
    return { output: beside ? { kind: 'json-schema', schema: beside } : { kind: 'json' }, own: {} };
  }
  if (format['type'] !== 'json_schema') return { own: { response_format: format } };
  const fields = format['json_schema'] ?? (beside && { schema: beside });
  if (!isObject(fields)) throw missing('response_format.json_schema');
  const { name, description, schema, strict, ...rest } = fields;
  const output = compact({
    kind: 'json-schema',
    name: textAt(name, 'response_format.json_schema.name'),
    description: textAt(description, 'response_format.json_schema.description'),
    schema: objectAt(schema, 'response_format.json_schema.schema') ?? {},
    strict: flagAt(strict, 'response_format.json_schema.strict'),
  });
  const left = withoutNulls(rest);
  return { output, own: isEmpty(left) ? {} : { response_format: { json_schema: left } } };
}
