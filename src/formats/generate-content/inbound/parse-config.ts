/** `generationConfig`: sampling, limits, thinking, and the form of the answer (REST reference, GenerationConfig). */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import { invalid } from '../../../lib/errors.ts';
import { asFlag, compact, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { parseDetail } from '../wire/media-resolution.ts';
import { parseNumber, repeatedField } from '../wire/protobuf-json.ts';
import { parseOutput } from './parse-output.ts';
import { CONFIG_FIELDS, CONFIG_OWN, sortFields } from './sort-fields.ts';

const THINKING = 'generationConfig.thinkingConfig';
const THINKING_FIELDS: ReadonlySet<string> = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel']);

/**
 * A `generationConfig`: its `fields` of a prompt, its `own` that mean something to Google alone, the neutral `detail` of
 * images that have none, and `extra` fields that the gateway does not know.
 * @throws GatewayError `invalid-request` for a field that is not a number, and for an unknown level of thinking.
 */
export function parseConfig(config: JsonObject, report: ParseReport) {
  const { known, own, extra } = sortFields(config, CONFIG_FIELDS, CONFIG_OWN);
  const output = parseOutput(known, report);
  const stop = repeatedField(known['stopSequences']).filter((sequence) => typeof sequence === 'string');
  const fields = compact({
    temperature: numberAt(known, 'temperature'),
    topP: numberAt(known, 'topP'),
    topK: numberAt(known, 'topK'),
    // 0 is absent, as with every number of protobuf's.
    choices: numberAt(known, 'candidateCount') || undefined,
    maxTokens: numberAt(known, 'maxOutputTokens'),
    topLogprobs: numberAt(known, 'logprobs'),
    presencePenalty: numberAt(known, 'presencePenalty'),
    frequencyPenalty: numberAt(known, 'frequencyPenalty'),
    seed: numberAt(known, 'seed'),
    stop: stop.length > 0 ? stop : undefined,
    logprobs: asFlag(known['responseLogprobs']),
    thinking: parseThinking(known['thinkingConfig']),
    output: output.format,
  });
  const detail = parseDetail({ level: own['mediaResolution'] });
  return { fields, own: { ...own, ...output.own }, detail, extra };
}

/** @throws GatewayError `invalid-request` if the field is not a number. */
function numberAt(config: JsonObject, name: string): number | undefined {
  const value = config[name];
  return value === undefined ? undefined : parseNumber(value, `generationConfig.${name}`);
}

/**
 * What a caller asked about thinking; undefined if nothing. Thoughts are hidden unless asked for, as is Google's
 * default (https://ai.google.dev/gemini-api/docs/thinking).
 * @param value its enums are words.
 * @throws GatewayError `invalid-request` for an unknown level, and a budget that is no number.
 */
function parseThinking(value: Json | undefined): Thinking | undefined {
  if (!isObject(value)) return undefined;
  const { known } = sortFields(value, THINKING_FIELDS);
  const budget = parseNumber(known['thinkingBudget'], `${THINKING}.thinkingBudget`);
  const effort = parseLevel(known['thinkingLevel']);
  const visible = asFlag(known['includeThoughts']) ?? false;
  if (budget === undefined && effort === undefined && !visible) return undefined;
  return {
    ...(effort !== undefined && { effort }),
    // Who asks for thoughts alone lets the model decide how much it thinks, as is Google's default.
    ...(budget === undefined || budget < 0 ? effort === undefined && { adaptive: true } : { budget }),
    visible,
  };
}

function parseLevel(value: Json | undefined): Thinking['effort'] {
  const level = value === undefined ? undefined : String(value);
  if (level === undefined || level.toUpperCase() === 'THINKING_LEVEL_UNSPECIFIED') return undefined;
  const effort = asEffort(level);
  if (effort === undefined) {
    throw invalid(
      `Invalid value at 'generation_config.thinking_config.thinking_level': "${level.slice(0, 40)}"`,
      `${THINKING}.thinkingLevel`,
    );
  }
  return effort;
}
