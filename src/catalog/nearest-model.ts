/**
 * Which model or vendor is meant by someone who misspells it or leaves a vendor out. The error message suggests it; the
 * gateway never asks it instead.
 */

import { isAlike, isSlip } from '../lib/similar-names.ts';
import { modelName } from './catalog.ts';

/**
 * Finds the model whose name is nearest to `asked`: the same words, in any order; or else a slip; or else the shortest name
 * that begins with it, and of those the first.
 * @param ids the models that the caller may use.
 * @returns its id, or undefined if none is similar.
 */
export function nearestModel(asked: string, ids: readonly string[]): string | undefined {
  // Before the name stands a vendor, or a prefix of another router or SDK (`models/`, `vertex_ai/`, `openai:`).
  const name = dropRelease(asked.slice(Math.max(asked.lastIndexOf('/'), asked.lastIndexOf(':')) + 1));
  const parts = splitName(name);
  if (parts.length === 0) return undefined;
  const sorted = parts.toSorted().join(' ');
  const joined = parts.join(' ');
  const size = countAlphanumerics(name);
  const names = ids.map((id) => ({ id, name: dropRelease(modelName(id)) }));
  const split = names.flatMap(({ id, name }) =>
    // To split the names of 5,000 models takes 9 ms, and most are too long or too short to be meant.
    Math.abs(countAlphanumerics(name) - size) <= MAX_SLIP_LETTERS ? [{ id, split: splitName(name) }] : [],
  );
  const alike =
    split.find(({ split }) => split.toSorted().join(' ') === sorted) ??
    split.find(({ split }) => isSlip(joined, split.join(' ')));
  // A single word, such as `gpt`, is no model's name cut short.
  return (alike ?? (parts.length > 1 ? findShortest(names, name) : undefined))?.id;
}

interface NamedModel {
  readonly id: string;
  readonly name: string;
}

/** Finds the shortest name that begins with the words of `beginning`. */
function findShortest(names: readonly NamedModel[], beginning: string): NamedModel | undefined {
  const longer = names.filter(
    ({ name }) => name.startsWith(beginning) && !isAlphanumeric(name.charCodeAt(beginning.length)),
  );
  return longer.toSorted((one, other) => one.name.length - other.name.length)[0];
}

/**
 * The name in lower case, without what tells the releases of one model apart: `latest`, `preview`, `exp`, and a date as
 * vendors write it (`2024-08-06`, `20241022`, `09-2025`, `03-25`, `2512`).
 */
function dropRelease(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(
      /[-@](?:latest|preview|exp(?:erimental)?|(?:20\d\d-)?\d\d-\d\d|20\d{6}|\d\d-20\d\d|2\d[01]\d)\b/g,
      '',
    );
}

/** How many letters a slip can add or leave out. */
const MAX_SLIP_LETTERS = 2;

function countAlphanumerics(name: string): number {
  let count = 0;
  for (let at = 0; at < name.length; at += 1) if (isAlphanumeric(name.charCodeAt(at))) count += 1;
  return count;
}

/** @param code a UTF-16 code unit. */
function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (lower >= 0x30 && lower <= 0x39);
}

/** How people and other gateways name vendors, if not by the name in the ids of their models. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['alibaba', 'qwen'],
  ['claude', 'anthropic'],
  ['gemini', 'google'],
  ['grok', 'x-ai'],
  ['kimi', 'moonshotai'],
]);

/** Finds the vendor whose name is nearest to `asked`: `x-ai` for `xai`. @returns undefined if none is similar. */
export function nearestVendor(asked: string, names: readonly string[]): string | undefined {
  const letters = keepLetters(asked);
  const meant = OTHER_NAMES.get(letters);
  return names.find((name) => name === meant || isAlike(letters, keepLetters(name)));
}

function keepLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** `claude`, `5`, `5`, `sonnet` of `claude-5.5-sonnet`, however they are joined. */
function splitName(name: string): readonly string[] {
  return name.match(/[a-z]+|\d+/g) ?? [];
}
