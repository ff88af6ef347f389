/** Finds secrets that a stream spells out a few letters at a time, where a search of the bytes does not find them. */

import { isList, isObject, type Json, tryParseJson } from '../../lib/json.ts';
import { decodeSse } from '../../streams/sse.ts';
import { run } from '../../streams/step.ts';

/**
 * @param stream a stream of events (SSE)
 * @returns whether one of `secrets` is in the joined texts of any one field of the events
 */
export function inPieces(stream: Uint8Array, secrets: readonly string[]): boolean {
  const texts = new Map<string, string>();
  for (const { data } of run(decodeSse(Number.POSITIVE_INFINITY), [stream])) {
    const value = tryParseJson(data);
    if (value !== undefined) join(value, '', texts);
  }
  return [...texts.values()].some((text) => secrets.some((secret) => text.includes(secret)));
}

function join(value: Json | undefined, path: string, texts: Map<string, string>): void {
  if (typeof value === 'string') texts.set(path, (texts.get(path) ?? '') + value);
  else if (isList(value)) for (const item of value) join(item, `${path}.`, texts);
  else if (isObject(value)) for (const key in value) join(value[key], `${path}.${key}`, texts);
}
