/** The body of `POST /v1/messages` as a prompt. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { OutputFormat, Prompt } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  asFlag,
  asNumber,
  asObject,
  asText,
  compact,
  isEmpty,
  isList,
  otherFields,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { wordList, wordSet } from '../../../lib/words.ts';
import type { ParseReport } from '../../format.ts';
import { findMaxSearches } from '../../web-search.ts';
import { parseCacheControl } from '../wire/cache-control.ts';
import { parseAskedTier } from '../wire/service-tier.ts';
import { parseThinking } from './parse-thinking.ts';
import { parseToolChoice } from './parse-tool-choice.ts';
import { parseTools } from './parse-tools.ts';
import { parseTurns } from './parse-turns.ts';
import { refuseState } from './refuse-state.ts';
import { parseOptional, parseRequiredText } from './required-fields.ts';
import { findOfferedTools } from './tool-changes.ts';

/** Fields of a request that are read one by one. */
const READ = wordSet(`
  model messages system max_tokens stream stop_sequences metadata tools tool_choice thinking output_config
  output_format cache_control service_tier temperature top_p top_k thread compaction
`);

/** Fields of a request that mean something to Anthropic alone. Those from `betas` on are beta. */
const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  ...wordList(`
    speed inference_geo container diagnostics user_profile_id workspace_id betas billing_policy
    context_management fallbacks fallback_credit_token mcp_servers
  `),
  // The SDK's types lack this one. Claude Code sends it where it runs tools without asking.
  'safeguards',
]);

/** An old value for "not set" in `top_p` and `top_k`. LangChain's clients before their 1.0 always send it. */
const UNSET = -1;

/**
 * Parses the body of a request.
 * @see Inbound.parseRequest
 * @throws GatewayError `invalid-request`, in the vendor's wording, if a required field is missing or a field has the wrong
 *   type.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  const { model, messages, system, max_tokens, stream, stop_sequences, metadata } = body;
  const { tools, tool_choice, thinking, output_config, output_format, cache_control } = body;
  const { service_tier, temperature, top_p, top_k } = body;
  refuseState(body);
  const [formatFields, unknownFields] = splitFields(otherFields(body, READ), REQUEST_FIELDS);
  for (const field of Object.keys(withoutNulls(unknownFields)))
    report(field, 'passed-on', 'not a field of messages: the vendor decides about it');
  const maxTokens = positiveInteger(max_tokens, 'max_tokens');
  const turns = parseTurns(system, messages, report);
  const thoughts = parseThinking(thinking, output_config, messages);
  const output = parseOutput(output_config, output_format);
  const user = parseMetadata(metadata);
  const { breakpoint, fields: cacheFields } = parseCacheControl(cache_control);
  const toolList = findOfferedTools(parseTools(tools), messages, tool_choice);
  const choice = parseToolChoice(tool_choice, toolList, report);
  const stop = parseOptional(stop_sequences, 'stop_sequences', asItems, 'list');
  const tier = parseOptional(service_tier, 'service_tier', asText, 'string');
  const serviceTier = parseAskedTier(tier);
  const roundTrip = { ...choice.roundTrip, ...thoughts.roundTrip, ...output.roundTrip, ...user.roundTrip };
  return {
    model: parseRequiredText(model, 'model'),
    turns,
    ...choice.parsed,
    maxTokens,
    ...compact({
      temperature: parseOptional(temperature, 'temperature', asNumber, 'number'),
      topP: top_p === UNSET ? undefined : parseOptional(top_p, 'top_p', asNumber, 'number'),
      topK: top_k === UNSET ? undefined : parseOptional(top_k, 'top_k', asNumber, 'number'),
      stop: stop?.map((text, index) => parseRequiredText(text, `stop_sequences.${index}`)),
      tools: toolList,
      output: output.format,
      thinking: thoughts.thinking,
      user: user.user,
      serviceTier,
      maxSearches: findMaxSearches(toolList),
      cacheBreakpoint: breakpoint,
    }),
    stream: parseOptional(stream, 'stream', asFlag, 'boolean') ?? false,
    // Always present: it shows the renderer of this format that the caller speaks it.
    formatSpecific: {
      format: 'messages',
      fields: {
        ...formatFields,
        ...cacheFields,
        ...choice.formatFields,
        ...thoughts.formatFields,
        ...output.formatFields,
        ...user.formatFields,
        ...(serviceTier === undefined && tier !== undefined && { service_tier: tier }),
      },
      ...(!isEmpty(roundTrip) && { roundTrip }),
    },
    ...withUnknownFields(withoutNulls(unknownFields)),
  };
}

/** Parses `output_config.format`, or `output_format`, its name while it was beta. */
function parseOutput(
  config: Json | undefined,
  beta: Json | undefined,
): { format?: OutputFormat; formatFields: JsonObject; roundTrip?: JsonObject } {
  const written = beta === undefined ? {} : { output_format: beta };
  const given = asObject(beta) ?? asObject(asObject(config)?.['format']);
  const schema = asObject(given?.['schema']);
  return given?.['type'] === 'json_schema' && schema
    ? { format: { kind: 'json-schema', schema }, formatFields: {}, roundTrip: written }
    : { formatFields: written };
}

/** Parses `metadata`. The vendor accepts `user_id` only, and itself refuses everything else. */
function parseMetadata(metadata: Json | undefined): {
  user?: string;
  formatFields: JsonObject;
  roundTrip?: JsonObject;
} {
  if (metadata === undefined) return { formatFields: {} };
  const { user_id, ...rest } = asObject(metadata) ?? {};
  const user = asText(user_id);
  if (user === undefined) return { formatFields: { metadata } };
  return isEmpty(rest)
    ? { user, formatFields: {} }
    : { user, formatFields: { metadata: rest }, roundTrip: { metadata } };
}

function positiveInteger(value: Json | undefined, field: string): number {
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
