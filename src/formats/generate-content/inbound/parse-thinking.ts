/** A caller's `thinkingConfig`. https://ai.google.dev/gemini-api/docs/thinking */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import { invalid } from '../../../lib/errors.ts';
import { asFlag, isObject, type Json } from '../../../lib/json.ts';
import { parseNumber } from '../wire/protobuf-json.ts';
import { sortFields } from './sort-fields.ts';

const PARAM = 'generationConfig.thinkingConfig';
const FIELDS: ReadonlySet<string> = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel']);

/**
 * What a caller asked about thinking; undefined if nothing. Thoughts are hidden unless asked for, as is Google's
 * default.
 * @param value its enums are words.
 * @throws GatewayError `invalid-request` for an unknown level, and a budget that is no number.
 */
export function parseThinking(value: Json | undefined): Thinking | undefined {
  if (!isObject(value)) return undefined;
  const { known } = sortFields(value, FIELDS);
  const budget = parseNumber(known['thinkingBudget'], `${PARAM}.thinkingBudget`);
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
      `${PARAM}.thinkingLevel`,
    );
  }
  return effort;
}
