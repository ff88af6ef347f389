/** `thinking` and `output_config.effort` as a wish to think. What neutral words cannot say is kept as it was written. */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asNumber, asObject, asObjects, asText, isEmpty } from '../../../lib/json.ts';

interface ParsedThinking {
  readonly thinking?: Thinking;
  /** `thinking` and `output_config`, as far as the neutral words do not hold them. */
  readonly own: JsonObject;
}

/** @param messages a system message among them may set another effort from there on. */
export function parseThinking(
  thinking: Json | undefined,
  config: Json | undefined,
  messages?: Json,
): ParsedThinking {
  const { effort: first, format, ...rest } = asObject(config) ?? {};
  const word = asObjects(messages).reduce((before, message) => effortOf(message) ?? before, first);
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
    ...(!isEmpty(neutral) && { thinking: neutral }),
    own: {
      ...(thinking !== undefined && !(wish && isWhole(asObject(thinking) ?? {}, wish)) && { thinking }),
      ...(!isEmpty(kept) && { output_config: kept }),
    },
  };
}

function effortOf({ role, output_config }: JsonObject): Json | undefined {
  return role === 'system' ? asObject(output_config)?.['effort'] : undefined;
}

/** What `thinking` alone asks for, whatever it says beside that; undefined where it is of no known type. */
function parseWish(value: Json | undefined): Thinking | undefined {
  const { type, budget_tokens, display } = asObject(value) ?? {};
  const budget = asNumber(budget_tokens);
  const shown = typeof display === 'string' ? { visible: display !== 'omitted' } : {};
  if (type === 'enabled' && budget !== undefined) return { budget, ...shown };
  if (type === 'adaptive') return { adaptive: true, ...shown };
  // What thinks between calls alone thinks as little as it can: nobody else's models can be told so.
  return type === 'disabled' || type === 'between_tools' ? { effort: 'none' } : undefined;
}

/** Whether the wish says all that is written: neutral words know no other ways to think or to show it, and no bindings. */
function isWhole(value: JsonObject, wish: Thinking): boolean {
  const { type, budget_tokens, display, ...rest } = value;
  if (type === 'between_tools') return false;
  if (!isEmpty(rest) || (budget_tokens !== undefined && wish.budget === undefined)) return false;
  return display === undefined || (wish.visible !== undefined && WAYS_TO_SHOW.includes(display));
}

const WAYS_TO_SHOW: readonly Json[] = ['summarized', 'omitted'];

function isSchema(format: Json): boolean {
  const { type, schema, ...rest } = asObject(format) ?? {};
  return type === 'json_schema' && asObject(schema) !== undefined && isEmpty(rest);
}
