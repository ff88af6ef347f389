/** `generationConfig`: sampling, limits, thinking, and the form of the answer (REST reference, GenerationConfig). */

import type { OutputFormat, Prompt } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Compact, JsonObject } from '../../../lib/json.ts';
import { asFlag, asNumber, asObject, asText, compact, isEmpty } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { repeatedField } from '../wire/repeated-field.ts';
import { fromOpenApi } from './from-openapi.ts';
import { parseThinking } from './parse-thinking.ts';
import { CONFIG_FIELDS, CONFIG_OWN, sortFields } from './sort-fields.ts';

/** The fields of a prompt that are in `generationConfig`. */
type ConfigFields = Compact<{
  [field in
    | 'temperature'
    | 'topP'
    | 'topK'
    | 'choices'
    | 'maxTokens'
    | 'topLogprobs'
    | 'presencePenalty'
    | 'frequencyPenalty'
    | 'seed'
    | 'stop'
    | 'logprobs'
    | 'thinking'
    | 'output']: Prompt[field] | undefined;
}>;

interface Config {
  readonly fields: ConfigFields;
  /** Fields that mean something to Google alone, as `{ generationConfig }`; empty if there are none. */
  readonly own: JsonObject;
  /** Fields that the gateway does not know. */
  readonly extra: JsonObject;
}

/**
 * A `generationConfig`.
 * @throws GatewayError `invalid-request` for a field that is not a number, and for an unknown level of thinking.
 */
export function parseConfig(config: JsonObject, report: ParseReport): Config {
  const { known, own, extra } = sortFields(config, CONFIG_FIELDS, CONFIG_OWN);
  const output = parseOutput(known, report);
  const kept = { ...own, ...output.own };
  const stop = repeatedField(known['stopSequences']).filter((sequence) => typeof sequence === 'string');
  const fields = compact({
    temperature: parseNumber(known, 'temperature'),
    topP: parseNumber(known, 'topP'),
    topK: parseNumber(known, 'topK'),
    choices: parseNumber(known, 'candidateCount'),
    maxTokens: parseNumber(known, 'maxOutputTokens'),
    topLogprobs: parseNumber(known, 'logprobs'),
    presencePenalty: parseNumber(known, 'presencePenalty'),
    frequencyPenalty: parseNumber(known, 'frequencyPenalty'),
    seed: parseNumber(known, 'seed'),
    stop: stop.length > 0 ? stop : undefined,
    logprobs: asFlag(known['responseLogprobs']),
    thinking: parseThinking(known['thinkingConfig']),
    output: output.format,
  });
  return { fields, own: isEmpty(kept) ? {} : { generationConfig: kept }, extra };
}

/** A number of the config; protobuf also reads one that is written as text. @throws GatewayError for anything else. */
function parseNumber(config: JsonObject, name: string): number | undefined {
  const value = config[name];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : asNumber(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  const param = `generationConfig.${name}`;
  throw invalid(`Invalid value at '${param}': a number is expected.`, param);
}

function parseOutput(known: JsonObject, report: ParseReport): { format?: OutputFormat; own?: JsonObject } {
  const { responseMimeType, responseSchema, responseJsonSchema } = known;
  const mimeType = asText(responseMimeType);
  const subset = asObject(responseSchema);
  const schema = asObject(responseJsonSchema) ?? (subset && fromOpenApi(subset));
  if (mimeType === 'application/json') {
    return { format: schema ? { kind: 'json-schema', schema } : { kind: 'json' } };
  }
  if (schema === undefined && (mimeType === undefined || mimeType === 'text/plain')) {
    return mimeType === undefined ? {} : { format: { kind: 'text' } };
  }
  report('generationConfig.responseMimeType', 'passed-on', 'only Google answers in this type');
  return {
    own: Object.fromEntries(
      Object.entries(known).filter(([name]) => name.startsWith('response') && name !== 'responseLogprobs'),
    ),
  };
}
