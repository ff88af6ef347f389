/**
 * Which model or vendor is meant by someone who misspells it or leaves a vendor out. The error message suggests it; the
 * gateway never asks it instead.
 */

import { modelName } from './catalog.ts';

/**
 * Finds the model whose name is nearest to `asked`.
 * @param ids the models that the caller may use.
 * @returns its id, or undefined if none is similar.
 */
export function nearestModel(asked: string, ids: readonly string[]): string | undefined {
  // Before the name stands a vendor, or a prefix of another router or SDK (`models/`, `vertex_ai/`, `openai:`).
  const name = asked.slice(Math.max(asked.lastIndexOf('/'), asked.lastIndexOf(':')) + 1);
  const parts = splitName(name);
  if (parts.length === 0) return undefined;
  const sorted = parts.toSorted().join(' ');
  const joined = parts.join(' ');
  return (
    ids.find((id) => splitName(modelName(id)).toSorted().join(' ') === sorted) ??
    ids.find((id) => isSlip(joined, splitName(modelName(id)).join(' ')))
  );
}

/** How people and other gateways name vendors, if not by the name in the ids of their models. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  alibaba: 'qwen',
  claude: 'anthropic',
  gemini: 'google',
  grok: 'x-ai',
  kimi: 'moonshotai',
};

/** Finds the vendor whose name is nearest to `asked`: `x-ai` for `xai`. @returns undefined if none is similar. */
export function nearestVendor(asked: string, names: readonly string[]): string | undefined {
  const letters = keepLetters(asked);
  const meant = Object.hasOwn(OTHER_NAMES, letters) ? OTHER_NAMES[letters] : undefined;
  return names.find((name) => name === meant || isAlike(letters, keepLetters(name)));
}

/** Whether one name begins like the other, or differs from it by a slip. Both are in lower case. */
export function isAlike(one: string, other: string): boolean {
  if (one === '' || other === '') return false;
  return one.startsWith(other) || other.startsWith(one) || isSlip(one, other);
}

function keepLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** `claude`, `sonnet`, `5`, `5` of `Claude-5.5-Sonnet-latest`: in any order, however they are joined. */
function splitName(name: string): readonly string[] {
  return (name.toLowerCase().match(/[a-z]+|\d+/g) ?? []).filter((part) => part !== 'latest');
}

/** Whether two names differ in one place by at most two letters. Another number is another model, not a slip. */
function isSlip(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const left = [one, other].map((text) => text.slice(start, text.length - end));
  return left.every((text) => /^[a-z]{0,2}$/.test(text));
}
