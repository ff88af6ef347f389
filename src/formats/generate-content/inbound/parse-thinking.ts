/** A caller's `thinkingConfig`. https://ai.google.dev/gemini-api/docs/thinking */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json } from '../../../lib/json.ts';
import { asFlag, asNumber, asText, isObject } from '../../../lib/json.ts';
import { sortFields } from './sort-fields.ts';

const PARAM = 'generationConfig.thinkingConfig';

/**
 * What a caller asked about thinking; undefined if nothing. Thoughts are hidden unless asked for, as is Google's
 * default.
 * @throws GatewayError `invalid-request` for an unknown level.
 */
export function parseThinking(value: Json | undefined): Thinking | undefined {
  if (!isObject(value)) return undefined;
  const { known } = sortFields(value, ['includeThoughts', 'thinkingBudget', 'thinkingLevel']);
  const budget = asNumber(known['thinkingBudget']);
  const effort = parseLevel(asText(known['thinkingLevel']));
  const visible = asFlag(known['includeThoughts']) ?? false;
  if (budget === undefined && effort === undefined && !visible) return undefined;
  return {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && (budget < 0 ? { adaptive: true } : { budget })),
    visible,
  };
}

function parseLevel(level: string | undefined): Thinking['effort'] {
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
