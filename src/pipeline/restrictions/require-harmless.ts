/**
 * Refuses what a restricted key may not send: everything that is not known to be harmless. A list of harmful fields
 * would never be complete, because each service reads fields of its own, some of them case-insensitively.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import { GatewayError } from '../../lib/errors.ts';
import { asObjects, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Query } from '../../lib/query.ts';
import { type KnownFields, toolTypes } from '../../translate/known-fields.ts';
import { harmlessFields, harmlessOfBoth, OPENROUTER, PLUGINS } from './harmless-fields.ts';
import { nestedTools } from './other-models.ts';

const OPENROUTER_FIELDS = 'openrouter:';

const NOTHING: KnownFields = { fields: new Map(), isOpen: false };

/**
 * Checks the fields, tools and plugins of a body.
 * @param isResponses whether it is a Responses body that came to chat-completions.
 * @throws GatewayError `permission-denied` that names the first field, tool or plugin that is not known to be
 *   harmless.
 */
export function requireHarmless(format: FormatName, body: JsonObject, isResponses: boolean): void {
  const known = isResponses ? harmlessOfBoth() : harmlessFields(format);
  requireKnown(body, known, '');
  const tools = { known: known.fields.get('tools') ?? NOTHING, types: toolTypes(format) };
  requireTools(body['tools'], tools);
  for (const tool of nestedTools(body)) {
    requireAll(tool, tools.known, 'tools');
    requireTools(tool, tools);
  }
  for (const plugin of objectsIn(body['plugins'])) {
    const id = textAt(plugin, 'id');
    if (id === undefined || !PLUGINS.has(id)) throw refused(`plugins.id: ${id ?? ''}`, 'plugins');
  }
}

/**
 * Checks the query.
 * @param known the parameters that are known to be harmless.
 * @throws GatewayError `permission-denied` that names the first other parameter.
 */
export function requireHarmlessQuery(known: ReadonlySet<string>, query: Query): void {
  for (const name of query.keys()) {
    // These two are never sent to a vendor.
    if (name === 'key' || name.toLowerCase() === 'model' || known.has(name)) continue;
    throw refused(`?${name}`, name);
  }
}

function requireKnown(object: JsonObject, known: KnownFields, path: string): void {
  for (const [name, value] of Object.entries(object)) {
    const at = path === '' ? name : `${path}.${name}`;
    const within = known.fields.get(name);
    if (within === undefined) throw refused(at, at);
    requireAll(value, within, at);
  }
}

/** Checks a value: an object, or each one in a list. */
function requireAll(value: Json | undefined, known: KnownFields, path: string): void {
  // An open object may have known fields, and may hold anything else too.
  if (known.isOpen) return;
  if (isObject(value)) {
    const kind = path === 'tools' ? textAt(value, 'type') : undefined;
    const own = kind?.startsWith(OPENROUTER_FIELDS) === true;
    requireKnown(value, own ? OPENROUTER : known, path);
  } else if (isList(value)) {
    for (const item of value) {
      if (isList(item)) throw refused(path, path);
      requireAll(item, known, path);
    }
  }
}

interface Tools {
  readonly known: KnownFields;
  readonly types: ReadonlySet<string>;
}

/** Checks the types of tools: an unknown one may call any model. OpenRouter's tools may contain tools themselves. */
function requireTools(value: Json | undefined, tools: Tools): void {
  for (const tool of objectsIn(value)) {
    const type = textAt(tool, 'type');
    if (type !== undefined && !tools.types.has(type)) throw refused(`tools.type: ${type}`, 'tools');
    const settings = type?.startsWith(OPENROUTER_FIELDS) === true ? tool['parameters'] : undefined;
    const within = isObject(settings) ? settings['tools'] : undefined;
    requireAll(within, tools.known, 'tools');
    requireTools(within, tools);
  }
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return isObject(value) ? [value] : asObjects(value);
}

/** A string in an object. Any other value gives its JSON, which is never a known name. */
function textAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function refused(what: string, param: string): GatewayError {
  return new GatewayError(
    'permission-denied',
    `This API key is restricted and may not send "${printable(what)}": it is not known to be harmless. Leave it out, or use a key without the restriction.`,
    { param: printable(param), code: 'field_not_allowed' },
  );
}

function printable(text: string): string {
  return text.slice(0, 64).replaceAll(/[^\x20-\x7e]|["<>]/g, '?');
}
