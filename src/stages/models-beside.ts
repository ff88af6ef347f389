/**
 * The models that a body names beside its own: what the vendor is to ask where that one fails, or to let it ask. A key's
 * restriction must hold for them too.
 */

import { asText, tryParseJson } from '../json.ts';
import { type Span, scanList, scanObject } from '../json-scan.ts';

/**
 * Fields that are lists of models, or of what has a `model`: Anthropic's `fallbacks` and its advisor among the `tools`,
 * what OpenAI makes images with, and what services in front of many vendors take (OpenRouter: `models`, `plugins`).
 */
const FIELDS = new Set(['models', 'fallbacks', 'tools', 'plugins']);

const OPEN_OBJECT = 0x7b;

/**
 * Their names, as they are written. Some services read keys without regard to case, so none is had here.
 * @param fields where `scanObject` has found the body's top-level values.
 * @throws GatewayError `invalid-request` for an item that has a key twice: two readers may disagree on which counts.
 */
export function modelsBeside(body: Buffer, fields: ReadonlyMap<string, Span>): readonly string[] {
  return [...fields]
    .filter(([key]) => FIELDS.has(key.toLowerCase()))
    .flatMap(([_, list]) => scanList(body, list))
    .flatMap((item) => namesIn(body.subarray(item.start, item.end)));
}

function namesIn(item: Buffer): readonly string[] {
  if (item[0] !== OPEN_OBJECT) return textsOf(item);
  return [...scanObject(item)]
    .filter(([key]) => key.toLowerCase() === 'model')
    .flatMap(([_, { start, end }]) => textsOf(item.subarray(start, end)));
}

function textsOf(value: Buffer): readonly string[] {
  const text = asText(tryParseJson(value.toString('utf8')));
  return text === undefined ? [] : [text];
}
