/**
 * Which model or vendor is meant by someone who misspells it or leaves a vendor out. The error message suggests it; the
 * gateway never asks it instead.
 */

import { isAlike, isSlip } from '../lib/similar-names.ts';
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
  const size = countAlphanumerics(parts.join(''));
  const split = ids.flatMap((id) => {
    const other = modelName(id);
    // To split the names of 5,000 models takes 9 ms, and most are too long or too short to be meant.
    const isNear = Math.abs(countAlphanumerics(other) - size) <= MAX_SLIP_LETTERS || /latest/i.test(other);
    return isNear ? [{ id, split: splitName(other) }] : [];
  });
  return (
    split.find(({ split }) => split.toSorted().join(' ') === sorted) ??
    split.find(({ split }) => isSlip(joined, split.join(' ')))
  )?.id;
}

/** How many letters a slip can add or leave out. */
const MAX_SLIP_LETTERS = 2;

function countAlphanumerics(name: string): number {
  let count = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at) | 0x20;
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) count += 1;
  }
  return count;
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

/** `claude`, `sonnet`, `5`, `5` of `Claude-5.5-Sonnet-latest`: in any order, however they are joined. */
function splitName(name: string): readonly string[] {
  return (name.toLowerCase().match(/[a-z]+|\d+/g) ?? []).filter((part) => part !== 'latest');
}
