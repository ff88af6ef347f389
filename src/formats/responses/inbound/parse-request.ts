/** Parses a caller's request of `POST /v1/responses` as a prompt (OpenAI API reference, "Create a model response"). */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Prompt, Tool, Turn } from '../../../conversation/prompt.ts';
import { distinctTools, renameCalls, withoutRepeated } from '../../../conversation/rules/distinct-tools.ts';
import {
  asList,
  compact,
  isEmpty,
  isList,
  type Json,
  type JsonObject,
  otherFields,
  splitFields,
  withoutFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordList, wordSet } from '../../../lib/words.ts';
import type { ParseReport } from '../../format.ts';
import {
  emptyList,
  flagAt,
  integerAt,
  metadataAt,
  missing,
  numberAt,
  objectAt,
  objectsAt,
  requiredText,
  SHARED_FIELDS,
  textAt,
  wrongType,
} from '../../openai/fields.ts';
import { reportRenamedTools } from '../../openai/renamed-tools.ts';
import { keepMoreSampling, parseMoreSampling } from '../wire/more-sampling.ts';
import { keepRoundTrip } from '../wire/origin.ts';
import { parseItems } from './parse-items.ts';
import { applyUpdates, parseReasoning, parseTextSettings } from './parse-settings.ts';
import { parseToolChoice } from './parse-tool-choice.ts';
import { parseAddedTools, parseTools } from './parse-tools.ts';
import { refuseState } from './refuse-state.ts';
import { keyOfCall, keyOfTool } from './tool-keys.ts';

/**
 * Fields that only OpenAI understands. No reference has `client_metadata`, but Codex sends it with every request.
 * `personality` is of token counts (InputTokenCountParams, `openai`).
 */
const OPENAI_FIELDS: ReadonlySet<string> = new Set([
  ...SHARED_FIELDS,
  ...wordList(`
    access_programs background_options client_metadata context_management image include max_tool_calls
    multi_agent personality stream_options truncation
  `),
]);

const LOGPROBS = 'message.output_text.logprobs';

/** The words of `include` that answers of other formats meet: log probabilities, and thoughts as this format seals them. */
const INCLUDED: ReadonlySet<Json> = new Set([LOGPROBS, 'reasoning.encrypted_content']);

const READ = wordSet(`
  model input instructions max_output_tokens temperature top_p tools tool_choice parallel_tool_calls text
  reasoning stream metadata service_tier top_logprobs user store background frequency_penalty presence_penalty
  top_k seed stop
`);

/**
 * Parses the body of a request.
 * @throws GatewayError `invalid-request`, with OpenAI's own sentence, for a field that is missing or of a wrong type, and
 *   for fields that need state.
 * @see Inbound.parseRequest
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  refuseState(body);
  const { model, input, instructions, text, reasoning, tools, tool_choice, parallel_tool_calls } = body;
  const { max_output_tokens, temperature, top_p, top_logprobs } = body;
  const { stream, metadata, service_tier, user, store } = body;
  const others = otherFields(body, READ);
  const { output, rest: textRest } = parseTextSettings(applyUpdates(objectAt(text, 'text'), 'text', input));
  const {
    thinking,
    rest: reasoningRest,
    summary,
  } = parseReasoning(applyUpdates(objectAt(reasoning, 'reasoning'), 'reasoning', input));
  const declared = withoutRepeated(parseTools(tools, report));
  const given = [...declared, ...parseAddedTools(input, declared, report)];
  const { tools: parsedTools, names } = distinctTools(given, keyOfTool);
  reportRenamedTools(names, report);
  const turns = [...parseInstructions(instructions), ...parseInput(input)];
  const choice = parseToolChoice(tool_choice, parsedTools, names, report);
  const settings = compact({
    output,
    thinking,
    toolChoice: choice.toolChoice,
    maxTokens: integerAt(max_output_tokens, 'max_output_tokens'),
    temperature: numberAt(temperature, 'temperature'),
    topP: numberAt(top_p, 'top_p'),
    parallelToolCalls: flagAt(parallel_tool_calls, 'parallel_tool_calls'),
    topLogprobs: integerAt(top_logprobs, 'top_logprobs'),
    ...parseMoreSampling(body),
    user: textAt(user, 'user') ?? textAt(others['safety_identifier'], 'safety_identifier'),
    cacheKey: textAt(others['prompt_cache_key'], 'prompt_cache_key'),
    metadata: metadataAt(metadata),
    serviceTier: textAt(service_tier, 'service_tier'),
    maxSearches: parseMaxSearches(others['max_tool_calls'], parsedTools),
  });
  if (flagAt(store, 'store')) report('store', 'dropped', 'nothing is stored for this model');
  const included = asList(others['include']);
  const wantsLogprobs = included.includes(LOGPROBS) || (settings.topLogprobs ?? 0) > 0;
  const isPartlySaid = included.some((word) => INCLUDED.has(word));
  const include = isPartlySaid ? parseIncluded(included, report) : [];
  const [own, unknown] = splitFields(
    withoutNulls(isPartlySaid ? withoutFields(others, ['include']) : others),
    OPENAI_FIELDS,
  );
  for (const field of Object.keys(unknown)) {
    report(field, 'passed-on', 'not a field of responses: the vendor decides about it');
  }
  const formatFields: JsonObject = {
    ...own,
    ...choice.formatFields,
    ...(!isEmpty(textRest) && { text: textRest }),
    ...(!isEmpty(reasoningRest) && { reasoning: reasoningRest }),
  };
  reportSummary(summary, report);
  return {
    model: requiredText(model, 'model'),
    turns: names.size === 0 ? turns : renameCalls(turns, (call) => names.get(keyOfCall(call))),
    ...(parsedTools.length > 0 && { tools: parsedTools }),
    ...settings,
    ...(wantsLogprobs && { logprobs: true }),
    stream: flagAt(stream, 'stream') ?? false,
    ...withFormatSpecific('responses', formatFields, {
      ...choice.roundTrip,
      ...keepMoreSampling(settings),
      ...(!isEmpty(summary) && { reasoning: summary }),
      ...(include.length > 0 && { include }),
    }),
    ...withUnknownFields(unknown),
  };
}

/** The words of `include` besides log probabilities, which `Prompt.logprobs` asks for. */
function parseIncluded(included: readonly Json[], report: ParseReport): readonly Json[] {
  const others = included.filter((word) => word !== LOGPROBS);
  if (others.some((word) => !INCLUDED.has(word)))
    report('include', 'approximated', 'log probabilities and encrypted thoughts: the rest is for OpenAI');
  return others;
}

/** A limit for the tools that OpenAI runs itself limits searches, if the web search is the only such tool. */
function parseMaxSearches(value: Json | undefined, tools: readonly Tool[]): number | undefined {
  const hosted = tools.filter((tool) => tool.kind === 'hosted');
  const hasOnlySearches = hosted.length > 0 && hosted.every((tool) => tool.webSearch);
  return hasOnlySearches ? integerAt(value, 'max_tool_calls') : undefined;
}

function reportSummary(summary: JsonObject, report: ParseReport): void {
  for (const [field, kind] of Object.entries(summary))
    report(
      `reasoning.${field}`,
      'approximated',
      `thoughts are shown; only OpenAI has the kind ${String(kind).slice(0, 40)}`,
    );
}

/** Parses `instructions`, and keeps where they came from, so that this format writes them there again. */
function parseInstructions(value: Json | undefined): Turn[] {
  const text = textAt(value, 'instructions');
  if (text === undefined) return [];
  return [
    {
      role: 'system',
      parts: [{ kind: 'text', text }],
      formatSpecific: keepRoundTrip({ instructions: true }),
    },
  ];
}

function parseInput(input: Json | undefined): Turn[] {
  if (input === undefined || input === null) throw missing('input');
  if (typeof input === 'string') return [{ role: 'user', parts: [{ kind: 'text', text: input }] }];
  if (!isList(input)) throw wrongType('input', 'a string or an array of objects', input);
  const items = objectsAt(input, 'input');
  if (items.length === 0) throw emptyList('input');
  return parseItems(items);
}
