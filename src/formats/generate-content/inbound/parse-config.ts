/** `generationConfig`: sampling, limits, thinking, and the form of the answer (REST reference, GenerationConfig). */

import { asFlag, compact, type JsonObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { parseDetail } from '../wire/media-resolution.ts';
import { parseNumber, repeatedField } from '../wire/protobuf-json.ts';
import { parseOutput } from './parse-output.ts';
import { parseThinking } from './parse-thinking.ts';
import { CONFIG_FIELDS, CONFIG_OWN, sortFields } from './sort-fields.ts';

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
