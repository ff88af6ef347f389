/** What happened to each field of a request that was translated. */

import type { FormatName } from '../conversation/prompt.ts';
import type { Note } from '../formats/format.ts';
import { isEmpty, isObject, type Json, type JsonObject } from '../lib/json.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';
import { speller } from './spellings.ts';

export interface ExplainedFields {
  /** What did not reach the vendor unchanged. */
  readonly notes: readonly Note[];
  /** The caller's fields that did, at least in meaning. */
  readonly mapped: readonly string[];
}

/**
 * Sorts the fields of a request.
 * @param from the format of `body`.
 * @param read the notes of the parser of `body`.
 * @param written the notes of the renderer of the vendor's request.
 */
export function explainedFields(
  from: FormatName,
  body: JsonObject,
  read: readonly Note[],
  written: readonly Note[],
): ExplainedFields {
  const spell = speller(from, body);
  const notes = distinct([
    ...read.map((note) => ({ ...note, field: spell(note.field) })),
    ...written.map((note) => ({ ...note, field: fieldPathForCaller(note.field, from, body, spell) })),
  ]);
  const noted = new Set(notes.map(({ field }) => field));
  const lost = new Set(notes.flatMap(({ field, outcome }) => (outcome === 'dropped' ? [field] : [])));
  return {
    notes,
    mapped: Object.entries(body).flatMap(([field, value]) =>
      noted.has(field) || isLost(value, field, lost) ? [] : [field],
    ),
  };
}

function isLost(value: Json | undefined, path: string, lost: ReadonlySet<string>): boolean {
  if (!isObject(value) || isEmpty(value)) return false;
  return Object.entries(value).every(([name, inner]) => {
    const innerPath = `${path}.${name}`;
    return lost.has(innerPath) || isLost(inner, innerPath, lost);
  });
}

function distinct(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map((note) => [Object.values(note).join('\n'), note])).values()];
}
