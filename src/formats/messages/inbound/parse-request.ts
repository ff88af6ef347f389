/** `POST /v1/messages`: the body as a prompt. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { OutputFormat, Prompt, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { GatewayError, invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  asFlag,
  asNumber,
  asObject,
  asText,
  compact,
  isEmpty,
  isList,
  isObject,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { optional, requiredText, unknownTag } from '../wire/fields.ts';
import { parseAskedTier } from '../wire/service-tier.ts';
import { FORMAT, parseMark, REQUEST_OWN } from '../wire/wire.ts';
import { parseThinking } from './parse-thinking.ts';
import { parseTools } from './parse-tools.ts';
import { parseTurns } from './parse-turns.ts';
import { offeredTools } from './tool-changes.ts';

const CHOICES: readonly string[] = ['auto', 'any', 'tool', 'none'];

/** What Claude once took for a share or a count that is not set; LangChain's clients before their 1.0 always send it. */
const UNSET = -1;

/**
 * @throws GatewayError `invalid-request`, in the words of the vendor, where a required field is missing or a field has
 *   the wrong type.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  const { model, messages, system, max_tokens, stream, stop_sequences, metadata, ...more } = body;
  const { tools, tool_choice, thinking, output_config, output_format, cache_control, ...others } = more;
  const { service_tier, temperature, top_p, top_k, thread, compaction, ...rest } = others;
  refuseThread(thread);
  refuseCompaction(compaction);
  const [own, extra] = splitFields(rest, REQUEST_OWN);
  const maxTokens = wholeNumber(max_tokens, 'max_tokens');
  const turns = parseTurns(system, messages, report);
  const thought = parseThinking(thinking, output_config, messages);
  const output = parseOutput(output_config, output_format);
  const user = parseMetadata(metadata);
  const { mark, fields: marked } = parseMark(cache_control);
  const toolList = offeredTools(parseTools(tools), messages, tool_choice);
  const choice = parseToolChoice(tool_choice, toolList, report);
  const stop = optional(stop_sequences, 'stop_sequences', asItems, 'list');
  const tier = optional(service_tier, 'service_tier', asText, 'string');
  const serviceTier = parseAskedTier(tier);
  return {
    model: requiredText(model, 'model'),
    turns,
    ...choice.neutral,
    maxTokens,
    ...compact({
      temperature: optional(temperature, 'temperature', asNumber, 'number'),
      topP: top_p === UNSET ? undefined : optional(top_p, 'top_p', asNumber, 'number'),
      topK: top_k === UNSET ? undefined : optional(top_k, 'top_k', asNumber, 'number'),
      stop: stop?.map((text, index) => requiredText(text, `stop_sequences.${index}`)),
      tools: toolList,
      output: output.format,
      thinking: thought.thinking,
      user: user.user,
      serviceTier,
      maxSearches: searchesIn(toolList),
      cacheBreakpoint: mark,
    }),
    stream: optional(stream, 'stream', asFlag, 'boolean') ?? false,
    // Always there: it tells the renderer of this format that the caller speaks it.
    formatSpecific: {
      format: FORMAT,
      fields: {
        ...own,
        ...marked,
        ...choice.own,
        ...thought.own,
        ...output.own,
        ...user.own,
        ...(serviceTier === undefined && tier !== undefined && { service_tier: tier }),
      },
    },
    ...unknownFieldsOf(withoutNulls(extra)),
  };
}

/** Nothing is kept between requests. The SDK knows this code, and then sends the whole conversation. */
function refuseThread(thread: Json | undefined): void {
  if (thread === undefined || thread === null) return;
  throw new GatewayError(
    'invalid-request',
    'thread: Threads are not supported for this model; send the full conversation without `thread`',
    { param: 'thread', code: 'thread_unsupported_request' },
  );
}

/** It makes of a request one for a `compaction` block and nothing else, which no other vendor's model can write. */
function refuseCompaction(compaction: Json | undefined): void {
  if (compaction === undefined || compaction === null) return;
  throw invalid(
    "compaction: Only Anthropic's own models can compact a conversation. Ask this one for a summary as an ordinary message instead",
    'compaction',
  );
}

function searchesIn(tools: readonly Tool[] = []): number | undefined {
  const search = tools.find((tool) => tool.kind === 'hosted' && tool.webSearch);
  return search?.kind === 'hosted' ? asNumber(search.value['max_uses']) : undefined;
}

function parseToolChoice(
  value: Json | undefined,
  tools: readonly Tool[] = [],
  report: ParseReport,
): {
  neutral: { toolChoice?: ToolChoice; parallelToolCalls?: boolean };
  own: JsonObject;
} {
  if (value === undefined || value === null) return { neutral: {}, own: {} };
  if (!isObject(value)) throw invalid('tool_choice: Input should be an object', 'tool_choice');
  const { type, name, disable_parallel_tool_use, ...rest } = value;
  if (type === undefined) throw invalid('tool_choice.type: Field required', 'tool_choice');
  const tag = asText(type) ?? typeof type;
  if (!CHOICES.includes(tag)) throw unknownTag('tool_choice', tag, CHOICES);
  if (type === 'tool') requiredText(name, 'tool_choice.tool.name');
  const forced = tools.find((tool) => tool.kind === 'hosted' && tool.value['name'] === name);
  const toolChoice = type === 'tool' && forced ? forcedHosted(forced, tools, report) : choiceOf(type, name);
  const disabled = asFlag(disable_parallel_tool_use);
  const isWhole = toolChoice !== undefined && forced === undefined && isEmpty(rest);
  return {
    neutral: {
      ...(toolChoice && { toolChoice }),
      ...(disabled !== undefined && { parallelToolCalls: !disabled }),
    },
    // What the neutral words do not hold whole comes out here as it was.
    own: isWhole ? {} : { tool_choice: value },
  };
}

/** Elsewhere no tool that the vendor runs can be named but a search, so it is forced only where there is no other. */
function forcedHosted(forced: Tool, tools: readonly Tool[], report: ParseReport): ToolChoice | undefined {
  if (forced.kind === 'hosted' && forced.webSearch) return { mode: 'required', allowed: [], search: true };
  if (tools.every((tool) => tool.kind === 'hosted')) return { mode: 'required' };
  report('tool_choice', 'dropped', 'forces a tool that the vendor runs itself');
  return undefined;
}

function choiceOf(type: Json | undefined, name: Json | undefined): ToolChoice | undefined {
  if (type === 'auto' || type === 'none') return { mode: type };
  if (type === 'any') return { mode: 'required' };
  return type === 'tool' && typeof name === 'string' ? { mode: 'required', allowed: [name] } : undefined;
}

/** `output_config.format`, and `output_format`, its name while it was beta. */
function parseOutput(
  config: Json | undefined,
  beta: Json | undefined,
): { format?: OutputFormat; own: JsonObject } {
  const own = beta === undefined ? {} : { output_format: beta };
  const given = asObject(beta) ?? asObject(asObject(config)?.['format']);
  const schema = asObject(given?.['schema']);
  return given?.['type'] === 'json_schema' && schema
    ? { format: { kind: 'json-schema', schema }, own }
    : { own };
}

/** The vendor takes `user_id` only; whatever else is there is its own to refuse. */
function parseMetadata(metadata: Json | undefined): { user?: string; own: JsonObject } {
  if (metadata === undefined) return { own: {} };
  const { user_id, ...rest } = asObject(metadata) ?? {};
  const user = asText(user_id);
  const plain = user !== undefined && isEmpty(rest);
  return { ...(user !== undefined && { user }), own: plain ? {} : { metadata } };
}

function wholeNumber(value: Json | undefined, field: string): number {
  if (value === undefined) throw invalid(`${field}: Field required`, field);
  const count = asNumber(value);
  if (count === undefined || !Number.isInteger(count)) {
    throw invalid(`${field}: Input should be a valid integer`, field);
  }
  if (count < 1) throw invalid(`${field}: must be greater than or equal to 1`, field);
  return count;
}

function asItems(value: Json): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}
