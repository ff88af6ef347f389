/** Parses `text` and `reasoning`: the form of the answer, and how much the model thinks about it. */

import { EFFORTS, type OutputFormat, type Thinking } from '../../../conversation/prompt.ts';
import { asEffort } from '../../../conversation/rules/effort.ts';
import {
  asList,
  asObject,
  asText,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  otherFields,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { flagAt, missing, objectAt, requiredText, textAt, wrongValue } from '../../openai/fields.ts';

const FORMATS = ['text', 'json_schema', 'json_object'];

export interface TextSettings {
  readonly output?: OutputFormat;
  /** `text` without `format`: the verbosity, and unknown fields. */
  readonly rest: JsonObject;
}

/** Parses `text`. @throws GatewayError `invalid-request` for a format that is unknown or incomplete */
export function parseTextSettings(text: JsonObject | undefined): TextSettings {
  const { format, ...rest } = text ?? {};
  const asked = objectAt(format, 'text.format');
  if (asked === undefined) return { rest };
  return { output: parseOutput(flatFormat(asked)), rest };
}

/** The form of an answer in the shape of this format: chat-completions wraps a schema in `json_schema`. */
export function flatFormat(format: JsonObject): JsonObject {
  const { json_schema: wrapped, ...rest } = format;
  return isObject(wrapped) ? { ...rest, ...wrapped } : format;
}

function parseOutput(format: JsonObject): OutputFormat {
  switch (requiredText(format['type'], 'text.format.type')) {
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema': {
      const schema = objectAt(format['schema'], 'text.format.schema');
      if (schema === undefined) throw missing('text.format.schema');
      const description = textAt(format['description'], 'text.format.description');
      const strict = flagAt(format['strict'], 'text.format.strict');
      return {
        kind: 'json-schema',
        name: requiredText(format['name'], 'text.format.name'),
        ...(description !== undefined && { description }),
        schema,
        ...(strict !== undefined && { strict }),
      };
    }
    default:
      throw wrongValue('text.format.type', format['type'], FORMATS);
  }
}

/** Applies later changes to `text` or `reasoning`: an item of the input may change them from there on. */
export function applyUpdates(
  settings: JsonObject | undefined,
  field: 'text' | 'reasoning',
  input: Json | undefined,
): JsonObject | undefined {
  const updates = asList(input).filter(isUpdate);
  if (updates.length === 0) return settings;
  const changes = updates.flatMap((update) => Object.entries(withoutNulls(asObject(update[field]) ?? {})));
  if (changes.length === 0) return settings;
  return Object.fromEntries([...Object.entries(settings ?? {}), ...changes]);
}

/** Whether an item of the input changes nothing but what `applyUpdates` reads of it. */
export function isAppliedUpdate(item: JsonObject): boolean {
  return isUpdate(item) && isEmpty(withoutNulls(otherFields(item, UPDATED)));
}

const UPDATED: ReadonlySet<string> = new Set(['type', 'id', 'text', 'reasoning']);

function isUpdate(item: Json): item is JsonObject {
  return isObject(item) && item['type'] === 'configuration_update';
}

export interface ReasoningSettings {
  readonly thinking?: Thinking;
  /** The fields of `reasoning` that only OpenAI understands. */
  readonly rest: JsonObject;
  /** The kind of summary. Other formats only know whether there is one. */
  readonly summary: JsonObject;
}

/**
 * Parses `reasoning`. A summary of any kind asks for visible thoughts; `generate_summary` is its old name.
 * @throws GatewayError `invalid-request` for an unknown effort.
 */
export function parseReasoning(reasoning: JsonObject | undefined): ReasoningSettings {
  const { effort: word, ...others } = reasoning ?? {};
  const asked = textAt(word, 'reasoning.effort');
  const effort = asked === undefined ? undefined : asEffort(asked);
  if (asked !== undefined && effort === undefined) throw wrongValue('reasoning.effort', asked, EFFORTS);
  const visible = (asText(others['summary']) ?? asText(others['generate_summary'])) !== undefined;
  const thinking: Thinking = { ...(effort && { effort }), ...(visible && { visible }) };
  const [summary, rest] = splitFields(withoutNulls(others), SUMMARIES);
  // The summary `auto` says no more than `visible`.
  const isUsual = summary['summary'] === 'auto' && summary['generate_summary'] === undefined;
  return { ...(effort || visible ? { thinking } : {}), rest, summary: isUsual ? {} : summary };
}

const SUMMARIES: ReadonlySet<string> = new Set(['summary', 'generate_summary']);
