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

/** In a tool that makes images: who writes them, a model of texts ("SVG author model settings", OpenAI's SDK). */
const AUTHOR = 'svg';

const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;

/**
 * Their names, as they are written. Some services read keys without regard to case, so none is had here. A text in the
 * place of a list is a name too: Anthropic's `fallbacks` may be `default`, which is whatever model it holds for right.
 * @param fields where `scanObject` has found the body's top-level values.
 * @throws GatewayError `invalid-request` for an item that has a key twice: two readers may disagree on which counts.
 */
export function modelsBeside(body: Buffer, fields: ReadonlyMap<string, Span>): readonly string[] {
  const named = [...fields]
    .filter(([key]) => FIELDS.has(key.toLowerCase()))
    .map(([_, { start, end }]) => body.subarray(start, end))
    .flatMap((value) => [...textsOf(value), ...itemsOf(value).flatMap(namesIn)]);
  return mayNameWithin(body, fields) ? [...named, ...toolsWithin(body, fields).flatMap(namesIn)] : named;
}

/** Where a dialogue stands, which may bring tools along. */
const DIALOGUES = ['messages', 'input'];

/** Whether a key of the dialogue can be `model`, written as it is or with escapes of ASCII letters. */
function mayNameWithin(body: Buffer, fields: ReadonlyMap<string, Span>): boolean {
  return DIALOGUES.some((name) => {
    const dialogue = valueIn(body, fields, name);
    if (dialogue === undefined) return false;
    return (
      dialogue.includes('"model"') ||
      (dialogue.includes('\\u00') && /\\u00[2-7]/.test(dialogue.toString('latin1')))
    );
  });
}

/**
 * Tools that a dialogue brings along: by an item of OpenAI's that has `tools`, by a `tool_addition` of Anthropic's, and
 * by a compaction that has kept one.
 */
function toolsWithin(body: Buffer, fields: ReadonlyMap<string, Span>): readonly Buffer[] {
  const items = DIALOGUES.flatMap((name) => itemsOf(valueIn(body, fields, name)));
  return items.flatMap((item) => [
    ...itemsOf(fieldOf(item, 'tools')),
    ...itemsOf(fieldOf(item, 'content')).flatMap((block) =>
      [block, ...itemsOf(fieldOf(block, 'tool_changes'))].flatMap(
        (change) => fieldOf(fieldOf(change, 'tool'), 'definition') ?? [],
      ),
    ),
  ]);
}

function fieldOf(object: Buffer | undefined, name: string): Buffer | undefined {
  return object?.[0] === OPEN_OBJECT ? valueIn(object, scanObject(object), name) : undefined;
}

function valueIn(bytes: Buffer, fields: ReadonlyMap<string, Span>, name: string): Buffer | undefined {
  const span = fields.get(name);
  return span && bytes.subarray(span.start, span.end);
}

function itemsOf(list: Buffer | undefined): readonly Buffer[] {
  if (list === undefined) return [];
  return scanList(list, { start: 0, end: list.length }).map(({ start, end }) => list.subarray(start, end));
}

function namesIn(item: Buffer): readonly string[] {
  if (item[0] !== OPEN_OBJECT) return textsOf(item);
  return [...scanObject(item)].flatMap(([key, { start, end }]) => {
    const value = item.subarray(start, end);
    const name = key.toLowerCase();
    if (name === 'model') return textsOf(value);
    return name === AUTHOR && value[0] === OPEN_OBJECT ? namesIn(value) : [];
  });
}

function textsOf(value: Buffer): readonly string[] {
  if (value[0] !== QUOTE) return [];
  const text = asText(tryParseJson(value.toString('utf8')));
  return text === undefined ? [] : [text];
}
