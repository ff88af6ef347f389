/** Which model a caller means who misspells one, or leaves its vendor out. It is told in the error, and never asked instead. */

import { modelName } from '../catalog/catalog.ts';

/** @param ids what the caller may use. Undefined where none is like it. */
export function nearestModel(asked: string, ids: readonly string[]): string | undefined {
  // What stands before the name is a vendor, or what another router or SDK has there (`models/`, `vertex_ai/`, `openai:`).
  const name = asked.slice(Math.max(asked.lastIndexOf('/'), asked.lastIndexOf(':')) + 1);
  const wanted = partsOf(name);
  if (wanted.length === 0) return undefined;
  const sorted = wanted.toSorted().join(' ');
  const joined = wanted.join(' ');
  return (
    ids.find((id) => partsOf(modelName(id)).toSorted().join(' ') === sorted) ??
    ids.find((id) => isSlip(joined, partsOf(modelName(id)).join(' ')))
  );
}

/** `claude`, `sonnet`, `5`, `5` of `Claude-5.5-Sonnet-latest`: in any order, and however they are joined. */
function partsOf(name: string): readonly string[] {
  return (name.toLowerCase().match(/[a-z]+|\d+/g) ?? []).filter((part) => part !== 'latest');
}

/** Whether two names differ in one place by at most two letters. Another number is another model, and no slip. */
function isSlip(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const left = [one, other].map((text) => text.slice(start, text.length - end));
  return left.every((text) => /^[a-z]{0,2}$/.test(text));
}
