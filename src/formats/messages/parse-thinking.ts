/** `thinking` and `output_config.effort` as a wish to think. What neutral words cannot say is kept as it was written. */

import { asEffort } from '../../conversation/effort.ts';
import type { Thinking } from '../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asText } from '../../json.ts';

export interface ParsedThinking {
  readonly thinking?: Thinking;
  /** `thinking` and `output_config`, as far as the neutral words do not hold them. */
  readonly own: JsonObject;
}

export function parseThinking(thinking: Json | undefined, config: Json | undefined): ParsedThinking {
  const { effort: word, format, ...rest } = asObject(config) ?? {};
  const effort = asEffort(asText(word) ?? '');
  const wish = parseWish(thinking);
  const isOff = wish?.effort === 'none';
  const neutral: Thinking = { ...(effort !== undefined && { effort }), ...wish };
  const kept: JsonObject = {
    ...rest,
    // How hard to work while not thinking is a thing of Anthropic's.
    ...(word !== undefined && (effort === undefined || isOff) && { effort: word }),
    ...(format !== undefined && !isSchema(format) && { format }),
  };
  return {
    ...(Object.keys(neutral).length > 0 && { thinking: neutral }),
    own: {
      ...(thinking !== undefined && wish === undefined && { thinking }),
      ...(Object.keys(kept).length > 0 && { output_config: kept }),
    },
  };
}

/** What `thinking` alone says; undefined where it is of no known form. */
function parseWish(value: Json | undefined): Thinking | undefined {
  const { type, budget_tokens, display, ...rest } = asObject(value) ?? {};
  if (Object.keys(rest).length > 0) return undefined;
  if (display !== undefined && display !== 'summarized' && display !== 'omitted') return undefined;
  const shown = display === undefined ? {} : { visible: display === 'summarized' };
  const budget = asNumber(budget_tokens);
  if (type === 'enabled' && budget !== undefined) return { budget, ...shown };
  if (budget_tokens !== undefined) return undefined;
  if (type === 'adaptive') return { adaptive: true, ...shown };
  return type === 'disabled' && display === undefined ? { effort: 'none' } : undefined;
}

function isSchema(format: Json): boolean {
  const { type, schema, ...rest } = asObject(format) ?? {};
  return type === 'json_schema' && asObject(schema) !== undefined && Object.keys(rest).length === 0;
}
