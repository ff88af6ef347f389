/**
 * The models that a body names besides its own: those that the vendor asks if that one fails, or that it may ask for
 * it. A key's restriction must hold for them too.
 */

import { invalid } from '../../lib/errors.ts';
import { asText, tryParseJson } from '../../lib/json.ts';
import { OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { type Span, scanList, scanObject } from '../../lib/json-scan.ts';

/**
 * Fields that are lists of models, or of objects with a `model`, besides those that end in `fallbacks` (Anthropic's;
 * LiteLLM has one for each kind of failure). Anthropic's advisor is among the `tools`, and so is what OpenAI makes
 * images with. Services in front of many vendors take `models` and `plugins` (OpenRouter).
 */
const FIELDS = new Set(['models', 'tools', 'plugins']);

/**
 * Fields of a tool or plugin: lists of models, and of tools that another model may use ("SubagentServerToolConfig",
 * OpenRouter's SDK).
 */
const LISTS = new Set(['analysis_models', 'tools']);

/**
 * Fields of a tool that hold its settings: in one that makes images, the text model that writes them ("SVG author model
 * settings", OpenAI's SDK). OpenRouter's tools have all their settings in `parameters`, where a function has its
 * schema.
 */
const WITHIN = new Set(['svg', 'parameters']);

/**
 * How many levels of a tool's settings are searched for names: another model's tools have settings too, but no tools in
 * them.
 */
const MAX_WITHIN = 4;

/**
 * OpenRouter's tools and plugins that choose a model themselves if a field does not name one. An advisor is then chosen
 * by the model that calls it, which the prompt can influence (its SDK's types, "Choosing the advisor model").
 */
const CHOOSERS: ReadonlyMap<string, string> = new Map([
  ['openrouter:advisor', 'model'],
  ['openrouter:fusion', 'analysis_models'],
  ['openrouter:image_generation', 'model'],
  ['fusion', 'analysis_models'],
]);

/**
 * Finds the names of the other models, as they are written. Some services read keys case-insensitively, so this does
 * too. A string in place of a list is also a name: Anthropic's `fallbacks` may be `default`, which is whichever model
 * Anthropic picks.
 * @param fields where `scanObject` has found the body's top-level values.
 * @throws GatewayError `invalid-request` for an item that has a key twice, because two readers may disagree on which
 *   counts; and for settings that are nested too deeply.
 */
export function modelsBeside(body: Buffer, fields: ReadonlyMap<string, Span>): readonly string[] {
  const named = [...fields].flatMap(([key, { start, end }]) =>
    namesAt(key.toLowerCase(), body.subarray(start, end)),
  );
  return [...named, ...toolsWithin(body, fields).flatMap((tool) => namesIn(tool))];
}

/** The fields that hold a conversation, which may contain tools. */
const DIALOGUES = ['messages', 'input'];

/** Whether a key of the conversation can be `tools` or `tool`, written plainly or with escapes of ASCII letters. */
function mayBringTools(dialogue: Buffer): boolean {
  return (
    dialogue.includes('"tools"') ||
    dialogue.includes('"tool"') ||
    (dialogue.includes('\\u00') && /\\u00[2-7]/.test(dialogue.toString('latin1')))
  );
}

/**
 * Finds the tools inside a conversation: in an OpenAI item that has `tools`, in Anthropic's `tool_addition`, and in a
 * compaction that has kept one.
 * @returns each tool's bytes.
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

/** The names in one of a body's fields. OpenRouter's `preset` and Vercel's options stand for models, too. */
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

/** An object on its own stands for a list of one: some services accept either. */
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

/**
 * The names in LiteLLM's form of fallbacks: for each model a list, or one. Every value inside that is not a name
 * contains some.
 */
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

/**
 * The name of the tool itself if it chooses a model freely. It is a name of the service's own, which only a key without
 * a restriction may use.
 */
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
