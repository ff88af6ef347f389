/**
 * The models that a body names beside its own: what the vendor is to ask where that one fails, or to let it ask. A key's
 * restriction must hold for them too.
 */

import { invalid } from '../../lib/errors.ts';
import { asText, tryParseJson } from '../../lib/json.ts';
import { type Span, scanList, scanObject } from '../../lib/json-scan.ts';

/**
 * Fields that are lists of models, or of what has a `model`, beside `fallbacks` (Anthropic's; LiteLLM has some for each
 * reason to fail): Anthropic's advisor is among the `tools`, and what OpenAI makes images with; services in front of many
 * vendors take `models` and `plugins` (OpenRouter).
 */
const FIELDS = new Set(['models', 'tools', 'plugins']);

/** In a tool or plugin: lists of models, and of tools that another model may use ("SubagentServerToolConfig", OpenRouter's SDK). */
const LISTS = new Set(['analysis_models', 'tools']);

/**
 * In a tool that makes images: who writes them, a model of texts ("SVG author model settings", OpenAI's SDK). Tools of
 * OpenRouter's have all that they are told in `parameters`, where a function has its schema.
 */
const WITHIN = new Set(['svg', 'parameters']);

/** How far in a tool's settings names are looked for: another model's tools have settings too, and no tools in them. */
const MAX_WITHIN = 4;

/**
 * Tools and plugins of OpenRouter's that ask whom they like where a field does not say who: an advisor is then chosen by
 * the model that asks it, which the prompt can tell (its SDK's types, "Choosing the advisor model").
 */
const CHOOSERS: ReadonlyMap<string, string> = new Map([
  ['openrouter:advisor', 'model'],
  ['openrouter:fusion', 'analysis_models'],
  ['openrouter:image_generation', 'model'],
  ['fusion', 'analysis_models'],
]);

const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;

/**
 * Their names, as they are written. Some services read keys without regard to case, so none is had here. A text in the
 * place of a list is a name too: Anthropic's `fallbacks` may be `default`, which is whatever model it holds for right.
 * @param fields where `scanObject` has found the body's top-level values.
 * @throws GatewayError `invalid-request` for an item that has a key twice: two readers may disagree on which counts.
 */
export function modelsBeside(body: Buffer, fields: ReadonlyMap<string, Span>): readonly string[] {
  const named = [...fields].flatMap(([key, { start, end }]) =>
    namesAt(key.toLowerCase(), body.subarray(start, end)),
  );
  return [...named, ...toolsWithin(body, fields).flatMap((tool) => namesIn(tool))];
}

/** Where a dialogue stands, which may bring tools along. */
const DIALOGUES = ['messages', 'input'];

/** Whether a key of the dialogue can be `tools` or `tool`, written as it is or with escapes of ASCII letters. */
function mayBringTools(dialogue: Buffer): boolean {
  return (
    dialogue.includes('"tools"') ||
    dialogue.includes('"tool"') ||
    (dialogue.includes('\\u00') && /\\u00[2-7]/.test(dialogue.toString('latin1')))
  );
}

/**
 * Tools that a dialogue brings along: by an item of OpenAI's that has `tools`, by a `tool_addition` of Anthropic's, and
 * by a compaction that has kept one.
 */
export function toolsWithin(body: Buffer, fields: ReadonlyMap<string, Span>): readonly Buffer[] {
  const items = DIALOGUES.flatMap((name) => {
    const dialogue = valueIn(body, fields, name);
    return dialogue !== undefined && mayBringTools(dialogue) ? itemsOf(dialogue) : [];
  });
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

/** The names in one of a body's fields: OpenRouter's `preset` and Vercel's options stand for models, too. */
function namesAt(key: string, value: Buffer): readonly string[] {
  if (key.endsWith('fallbacks')) return [...namesOf(value), ...objectsIn(value).flatMap(namesByModel)];
  if (FIELDS.has(key)) return namesOf(value);
  if (key === 'preset') return textsOf(value).map((slug) => `@preset/${slug}`);
  return key === 'provideroptions' ? namesOf(fieldOf(fieldOf(value, 'gateway'), 'models')) : [];
}

function namesOf(value: Buffer | undefined): readonly string[] {
  if (value === undefined) return [];
  if (value[0] === OPEN_OBJECT) return namesIn(value);
  return [...textsOf(value), ...itemsOf(value).flatMap((item) => namesIn(item))];
}

/** An object by itself stands for a list of it: some services take either. */
function objectsIn(value: Buffer): readonly Buffer[] {
  return value[0] === OPEN_OBJECT ? [value] : itemsOf(value);
}

function namesIn(item: Buffer, within = 0): readonly string[] {
  if (item[0] !== OPEN_OBJECT) return textsOf(item);
  if (within > MAX_WITHIN) throw invalid('The settings of a tool are nested too deeply.', 'tools');
  const fields = [...scanObject(item)].map(
    ([key, { start, end }]) => [key.toLowerCase(), item.subarray(start, end)] as const,
  );
  const [kind] = fields.flatMap(([key, value]) => (key === 'type' || key === 'id' ? textsOf(value) : []));
  const named = fields.flatMap(([key, value]) => {
    if (key === 'model') return textsOf(value);
    if (LISTS.has(key)) return itemsOf(value).flatMap((one) => namesIn(one, within + 1));
    const holds = WITHIN.has(key) && kind !== 'function' && value[0] === OPEN_OBJECT;
    return holds ? namesIn(value, within + 1) : [];
  });
  return kind === undefined ? named : [...named, ...chosenBy(kind, item)];
}

/** What LiteLLM takes for fallbacks, too: for each model a list, or one. Whatever is no name within holds some. */
function namesByModel(item: Buffer, within = 0): readonly string[] {
  if (within > MAX_WITHIN) throw invalid('The fallbacks are nested too deeply.', 'fallbacks');
  if (item[0] !== OPEN_OBJECT)
    return [...textsOf(item), ...itemsOf(item).flatMap((one) => namesByModel(one, within + 1))];
  const fields = scanObject(item);
  if (fields.has('model')) return namesIn(item);
  return [...fields.values()].flatMap((span) =>
    namesByModel(item.subarray(span.start, span.end), within + 1),
  );
}

/** Its own name, where it asks whom it likes: one of the service's, that only a key has which may use all. */
function chosenBy(kind: string, item: Buffer): readonly string[] {
  const field = CHOOSERS.get(kind);
  if (field === undefined) return [];
  const chosen = fieldOf(kind.includes(':') ? fieldOf(item, 'parameters') : item, field);
  const isNamed = chosen !== undefined && namesOf(chosen).length > 0;
  return isNamed ? [] : [`openrouter/${kind.slice(kind.indexOf(':') + 1)}`];
}

function textsOf(value: Buffer): readonly string[] {
  if (value[0] !== QUOTE) return [];
  const text = asText(tryParseJson(value.toString('utf8')));
  return text === undefined ? [] : [text];
}
