/** `thinking` and `output_config` as the prompt's `thinking`. What the prompt cannot express is kept as it was written. */

import type { Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asNumber, asObject, asObjects, asText, isEmpty } from '../../../lib/json.ts';

interface ParsedThinking {
  readonly thinking?: Thinking;
  /** `thinking` and `output_config`, as far as the prompt's `thinking` does not express them. */
  readonly formatFields: JsonObject;
  /** `thinking` unchanged, if the prompt's `thinking` does not express all of it. */
  readonly roundTrip?: JsonObject;
}

/**
 * Parses how the model is to think.
 * @param thinking the request's `thinking`.
 * @param config the request's `output_config`.
 * @param messages the request's `messages`. A system message among them may change the effort from there on.
 */
export function parseThinking(
  thinking: Json | undefined,
  config: Json | undefined,
  messages?: Json,
): ParsedThinking {
  const { effort: initial, format, ...rest } = asObject(config) ?? {};
  const word = asObjects(messages).reduce((before, message) => findEffort(message) ?? before, initial);
  const effort = asEffort(asText(word) ?? '');
  const parsed = parseThinkingField(thinking);
  const isOff = parsed?.effort === 'none';
  const neutral: Thinking = { ...(effort !== undefined && { effort }), ...parsed };
  const kept: JsonObject = {
    ...rest,
    // Only Anthropic's models have an effort while they do not think.
    ...(word !== undefined && (effort === undefined || isOff) && { effort: word }),
    ...(format !== undefined && !isSchema(format) && { format }),
  };
  const unexpressed = findUnexpressed(thinking, parsed);
  return {
    ...(!isEmpty(neutral) && { thinking: neutral }),
    formatFields: {
      ...(unexpressed !== undefined && { thinking: unexpressed }),
      ...(!isEmpty(kept) && { output_config: kept }),
    },
    ...(parsed && thinking !== undefined && unexpressed !== undefined && { roundTrip: { thinking } }),
  };
}

function findEffort({ role, output_config }: JsonObject): Json | undefined {
  return role === 'system' ? asObject(output_config)?.['effort'] : undefined;
}

/** Parses `thinking` by its known fields. Returns undefined if its type is not known. */
function parseThinkingField(value: Json | undefined): Thinking | undefined {
  const { type, budget_tokens, display } = asObject(value) ?? {};
  const budget = asNumber(budget_tokens);
  const shown = typeof display === 'string' ? { visible: display !== 'omitted' } : {};
  if (type === 'enabled' && budget !== undefined) return { budget, ...shown };
  if (type === 'adaptive') return { adaptive: true, ...shown };
  // A model that thinks only between calls of tools thinks as little as it can. Other vendors have no word for that.
  return type === 'disabled' || type === 'between_tools' ? { effort: 'none' } : undefined;
}

/**
 * Finds what of the field the prompt's `thinking` does not express; undefined if it expresses all. It has no other ways to
 * think or to show thinking, and no bindings.
 */
function findUnexpressed(value: Json | undefined, parsed: Thinking | undefined): Json | undefined {
  if (parsed === undefined) return value;
  const { type, budget_tokens, display, ...rest } = asObject(value) ?? {};
  const isShown = display === undefined || (parsed.visible !== undefined && DISPLAYS.includes(display));
  const unexpressed = {
    ...(type === 'between_tools' && { type }),
    ...(budget_tokens !== undefined && parsed.budget === undefined && { budget_tokens }),
    ...(!isShown && { display }),
    ...rest,
  };
  return isEmpty(unexpressed) ? undefined : unexpressed;
}

const DISPLAYS: readonly Json[] = ['summarized', 'omitted'];

function isSchema(format: Json): boolean {
  const { type, schema, ...rest } = asObject(format) ?? {};
  return type === 'json_schema' && asObject(schema) !== undefined && isEmpty(rest);
}
