/** A caller's request of `POST /v1/responses` as a prompt (API reference, Create a model response). */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { Prompt, Tool, Turn } from '../../../conversation/prompt.ts';
import { withoutRepeated } from '../../../conversation/rules/repeated-tools.ts';
import { GatewayError } from '../../../lib/errors.ts';
import {
  asList,
  asObject,
  compact,
  isEmpty,
  isList,
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
  requiredText,
  SHARED_FIELDS,
  textAt,
  wrongType,
} from '../../openai/fields.ts';
import { keeping } from '../wire/format-specific.ts';
import { unsupported } from './field-errors.ts';
import { parseItems } from './parse-items.ts';
import { parseReasoning, parseTextSettings, updated } from './parse-settings.ts';
import { parseBroughtTools, parseToolChoice, parseTools } from './parse-tools.ts';

/** Fields that OpenAI alone understands; `client_metadata` is in no reference, but Codex sends it with every request. */
const OWN: ReadonlySet<string> = new Set([
  ...SHARED_FIELDS,
  'access_programs',
  'client_metadata',
  'context_management',
  'image',
  'include',
  'max_tool_calls',
  'stream_options',
  'truncation',
]);

/** Fields that need something remembered from an earlier request, or for a later one. */
const STATE = ['previous_response_id', 'conversation', 'prompt'];

/**
 * @throws GatewayError `invalid-request` with OpenAI's own sentence for a field that is missing or of a wrong type, and
 *   for what needs state: this path has no store of responses.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  refuseState(body);
  refuseWarming(body['prompt_cache_options']);
  const {
    model,
    input,
    instructions,
    max_output_tokens,
    temperature,
    top_p,
    tools,
    tool_choice,
    parallel_tool_calls,
    text,
    reasoning,
    stream,
    metadata,
    service_tier,
    top_logprobs,
    user,
    store,
    background: _,
    ...others
  } = body;
  const { output, rest: textRest } = parseTextSettings(updated(objectAt(text, 'text'), 'text', input));
  const { thinking, rest: reasoningRest } = parseReasoning(
    updated(objectAt(reasoning, 'reasoning'), 'reasoning', input),
  );
  const declared = withoutRepeated(parseTools(tools, report));
  const parsedTools = [...declared, ...parseBroughtTools(input, declared, report)];
  const choice = parseToolChoice(tool_choice, parsedTools, report);
  const settings = compact({
    output,
    thinking,
    toolChoice: choice.toolChoice,
    maxTokens: integerAt(max_output_tokens, 'max_output_tokens'),
    temperature: numberAt(temperature, 'temperature'),
    topP: numberAt(top_p, 'top_p'),
    parallelToolCalls: flagAt(parallel_tool_calls, 'parallel_tool_calls'),
    topLogprobs: integerAt(top_logprobs, 'top_logprobs'),
    user: textAt(user, 'user') ?? textAt(others['safety_identifier'], 'safety_identifier'),
    cacheKey: textAt(others['prompt_cache_key'], 'prompt_cache_key'),
    metadata: objectAt(metadata, 'metadata'),
    serviceTier: textAt(service_tier, 'service_tier'),
    maxSearches: searchesAlone(parsedTools)
      ? integerAt(others['max_tool_calls'], 'max_tool_calls')
      : undefined,
  });
  const isScored =
    asList(body['include']).includes('message.output_text.logprobs') || (settings.topLogprobs ?? 0) > 0;
  if (flagAt(store, 'store')) report('store', 'dropped', 'nothing is stored for this model');
  const [known, extra] = splitFields(withoutNulls(others), OWN);
  for (const field of Object.keys(extra)) {
    report(field, 'passed-on', 'not a responses field: passed on for the vendor to judge');
  }
  const own: JsonObject = {
    ...known,
    ...(choice.own && { tool_choice: choice.own }),
    ...(!isEmpty(textRest) && { text: textRest }),
    ...(!isEmpty(reasoningRest) && { reasoning: reasoningRest }),
  };

  return {
    model: requiredText(model, 'model'),
    turns: [...parseInstructions(instructions), ...parseInput(input)],
    ...(parsedTools.length > 0 && { tools: parsedTools }),
    ...settings,
    ...(isScored && { logprobs: true }),
    stream: flagAt(stream, 'stream') ?? false,
    ...formatSpecificOf('responses', own),
    ...unknownFieldsOf(extra),
  };
}

/** Whether searches of the web are all that OpenAI would run itself: what limits its tools limits those then. */
function searchesAlone(tools: readonly Tool[]): boolean {
  const hosted = tools.filter((tool) => tool.kind === 'hosted');
  return hosted.length > 0 && hosted.every((tool) => tool.webSearch);
}

/** Where `instructions` came from is kept, so that this format writes them there again. */
function parseInstructions(value: Json | undefined): Turn[] {
  const text = textAt(value, 'instructions');
  if (text === undefined) return [];
  return [
    { role: 'system', parts: [{ kind: 'text', text }], formatSpecific: keeping({ instructions: true }) },
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

/** `prewarm` asks for no answer, and with another vendor there would be one, paid for. */
function refuseWarming(options: Json | undefined): void {
  if (asObject(options)?.['prewarm'] !== true) return;
  throw unsupported(
    'prompt_cache_options.prewarm',
    "Only OpenAI's own models can prepare a prompt cache without answering.",
  );
}

/**
 * This path has no store of responses, conversations or prompts. Clients that go on from a response send the dialogue
 * whole where OpenAI's code says that it is gone (API reference, "WebSocket mode": errors).
 */
function refuseState(body: JsonObject): void {
  for (const field of STATE) {
    if (body[field] === undefined || body[field] === null) continue;
    const code = field === 'previous_response_id' ? 'previous_response_not_found' : 'unsupported_parameter';
    const message = `'${field}' points to something stored, and nothing is stored for this model: send the whole conversation in 'input'.`;
    throw new GatewayError('invalid-request', message, { param: field, code });
  }
  if (flagAt(body['background'], 'background'))
    throw unsupported(
      'background',
      "'background' keeps the answer for later, and nothing is stored for this model: leave it out, and use 'stream' for long answers.",
    );
}
