/**
 * The models that a body names besides its own: those that the vendor asks if that one fails, or that it may ask for
 * it. A key's restriction must hold for them too.
 */

import { invalid } from '../../lib/errors.ts';
import { asList, asObject, isObject, type Json, type JsonObject } from '../../lib/json.ts';

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
 * @throws GatewayError `invalid-request` for settings that are nested too deeply.
 */
export function findOtherModels(body: JsonObject): readonly string[] {
  const named = Object.entries(body).flatMap(([key, value]) => namesAt(key.toLowerCase(), value));
  return [...named, ...nestedTools(body).flatMap((tool) => namesIn(tool))];
}

/** The fields that hold a conversation, which may contain tools. */
const DIALOGUES = ['messages', 'input'];

/**
 * Finds the tools inside a conversation: in an OpenAI item that has `tools`, in Anthropic's `tool_addition`, and in a
 * compaction that has kept one.
 */
export function nestedTools(body: JsonObject): readonly Json[] {
  return DIALOGUES.flatMap((name) => asList(body[name])).flatMap((item) => [
    ...asList(getField(item, 'tools')),
    ...asList(getField(item, 'content')).flatMap((block) =>
      [block, ...asList(getField(block, 'tool_changes'))].flatMap((change) => {
        const definition = getField(getField(change, 'tool'), 'definition');
        return definition === undefined ? [] : [definition];
      }),
    ),
  ]);
}

function getField(value: Json | undefined, name: string): Json | undefined {
  return asObject(value)?.[name];
}

/** The names in one of a body's fields. OpenRouter's `preset` and Vercel's options stand for models, too. */
function namesAt(key: string, value: Json | undefined): readonly string[] {
  if (key.endsWith('fallbacks'))
    return [...getNames(value), ...objectsIn(value).flatMap((one) => namesByModel(one))];
  if (FIELDS.has(key)) return getNames(value);
  if (key === 'preset') return getTexts(value).map((slug) => `@preset/${slug}`);
  return key === 'provideroptions' ? getNames(getField(getField(value, 'gateway'), 'models')) : [];
}

function getNames(value: Json | undefined): readonly string[] {
  if (isObject(value)) return namesIn(value);
  return [...getTexts(value), ...asList(value).flatMap((item) => namesIn(item))];
}

/** An object on its own stands for a list of one: some services accept either. */
function objectsIn(value: Json | undefined): readonly Json[] {
  return isObject(value) ? [value] : asList(value);
}

function namesIn(item: Json, within = 0): readonly string[] {
  if (!isObject(item)) return getTexts(item);
  if (within > MAX_WITHIN) throw invalid('The settings of a tool are nested too deeply.', 'tools');
  const fields = Object.entries(item).map(([key, value]) => [key.toLowerCase(), value] as const);
  const [kind] = fields.flatMap(([key, value]) => (key === 'type' || key === 'id' ? getTexts(value) : []));
  const named = fields.flatMap(([key, value]) => {
    if (key === 'model') return getTexts(value);
    if (LISTS.has(key)) return asList(value).flatMap((one) => namesIn(one, within + 1));
    const holds = WITHIN.has(key) && kind !== 'function' && isObject(value);
    return holds ? namesIn(value, within + 1) : [];
  });
  return kind === undefined ? named : [...named, ...chosenBy(kind, item)];
}

/**
 * The names in LiteLLM's form of fallbacks: for each model a list, or one. Every value inside that is not a name
 * contains some.
 */
function namesByModel(item: Json, within = 0): readonly string[] {
  if (within > MAX_WITHIN) throw invalid('The fallbacks are nested too deeply.', 'fallbacks');
  if (!isObject(item))
    return [...getTexts(item), ...asList(item).flatMap((one) => namesByModel(one, within + 1))];
  if (Object.hasOwn(item, 'model')) return namesIn(item);
  return Object.values(item).flatMap((value) => (value === undefined ? [] : namesByModel(value, within + 1)));
}

/**
 * The name of the tool itself if it chooses a model freely. It is a name of the service's own, which only a key without
 * a restriction may use.
 */
function chosenBy(kind: string, item: JsonObject): readonly string[] {
  const field = CHOOSERS.get(kind);
  if (field === undefined) return [];
  const chosen = getField(kind.includes(':') ? item['parameters'] : item, field);
  const isNamed = chosen !== undefined && getNames(chosen).length > 0;
  return isNamed ? [] : [`openrouter/${kind.slice(kind.indexOf(':') + 1)}`];
}

function getTexts(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}
