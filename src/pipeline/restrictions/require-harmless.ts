/**
 * Refuses what a restricted key may not send: everything that is not known to be harmless. A list of harmful fields
 * would never be complete, because each service reads fields of its own, some of them case-insensitively.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import { GatewayError } from '../../lib/errors.ts';
import { asText, tryParseJson } from '../../lib/json.ts';
import { OPEN_LIST, OPEN_OBJECT } from '../../lib/json-bytes.ts';
import { type Span, scanList, scanObject } from '../../lib/json-scan.ts';
import {
  HARMLESS,
  HARMLESS_OF_BOTH,
  type Harmless,
  OPENROUTER,
  PARAMETERS,
  PLUGINS,
  TOOLS,
} from './harmless-fields.ts';
import { toolsWithin } from './other-models.ts';

const OPENROUTERS = 'openrouter:';

const NOTHING: Harmless = { fields: new Map(), isOpen: false };

/**
 * Checks the fields, tools and plugins of a body.
 * @param body an object that `scanObject` accepts.
 * @param fields where that has found its values.
 * @param isResponses whether it is a Responses body that came to chat-completions.
 * @throws GatewayError `permission-denied` that names the first field, tool or plugin that is not known to be
 *   harmless; `invalid-request` for an object inside that has a key twice, because two readers may disagree on which
 *   counts.
 */
export function requireHarmless(
  format: FormatName,
  body: Buffer,
  fields: ReadonlyMap<string, Span>,
  isResponses: boolean,
): void {
  const known = isResponses ? HARMLESS_OF_BOTH : HARMLESS[format];
  requireKnown(body, fields, known, '');
  const tools = { known: known.fields.get('tools') ?? NOTHING, types: TOOLS[format] };
  const declared = fields.get('tools');
  if (declared !== undefined) requireTools(body.subarray(declared.start, declared.end), tools);
  for (const tool of toolsWithin(body, fields)) {
    requireAll(tool, tools.known, 'tools');
    requireTools(tool, tools);
  }
  const plugins = fields.get('plugins');
  for (const plugin of plugins === undefined ? [] : objectsIn(body.subarray(plugins.start, plugins.end))) {
    const id = textAt(plugin, 'id');
    if (id === undefined || !PLUGINS.has(id)) throw refused(`plugins.id: ${id ?? ''}`, 'plugins');
  }
}

/**
 * Checks the query.
 * @throws GatewayError `permission-denied` that names the first parameter that is not known to be harmless.
 */
export function requireHarmlessQuery(format: FormatName, query: URLSearchParams): void {
  for (const name of query.keys()) {
    // These two are never sent to a vendor.
    if (name === 'key' || name.toLowerCase() === 'model' || PARAMETERS[format].has(name)) continue;
    throw refused(`?${name}`, name);
  }
}

function requireKnown(bytes: Buffer, fields: ReadonlyMap<string, Span>, known: Harmless, path: string): void {
  for (const [name, { start, end }] of fields) {
    const at = path === '' ? name : `${path}.${name}`;
    const within = known.fields.get(name);
    if (within === undefined) throw refused(at, at);
    requireAll(bytes.subarray(start, end), within, at);
  }
}

/** Checks a value: an object, or each one in a list. */
function requireAll(value: Buffer, known: Harmless, path: string): void {
  // An open object may have known fields, and may hold anything else too.
  if (known.isOpen) return;
  if (value[0] === OPEN_OBJECT) {
    const kind = path === 'tools' ? textAt(value, 'type') : undefined;
    const own = kind?.startsWith(OPENROUTERS) === true;
    requireKnown(value, scanObject(value), own ? OPENROUTER : known, path);
  } else if (value[0] === OPEN_LIST) {
    for (const { start, end } of scanList(value, { start: 0, end: value.length })) {
      const item = value.subarray(start, end);
      if (item[0] === OPEN_LIST) throw refused(path, path);
      requireAll(item, known, path);
    }
  }
}

/** The known fields and types of tools. */
interface Tools {
  readonly known: Harmless;
  readonly types: ReadonlySet<string>;
}

/** Checks the types of tools: an unknown one may call any model. OpenRouter's tools may contain tools themselves. */
function requireTools(value: Buffer, tools: Tools): void {
  for (const tool of objectsIn(value)) {
    const type = textAt(tool, 'type');
    if (type !== undefined && !tools.types.has(type)) throw refused(`tools.type: ${type}`, 'tools');
    const settings = type?.startsWith(OPENROUTERS) === true ? valueAt(tool, 'parameters') : undefined;
    const within = settings && valueAt(settings, 'tools');
    if (within === undefined) continue;
    requireAll(within, tools.known, 'tools');
    requireTools(within, tools);
  }
}

function objectsIn(value: Buffer): readonly Buffer[] {
  if (value[0] === OPEN_OBJECT) return [value];
  return scanList(value, { start: 0, end: value.length })
    .map(({ start, end }) => value.subarray(start, end))
    .filter((item) => item[0] === OPEN_OBJECT);
}

function valueAt(object: Buffer, name: string): Buffer | undefined {
  const span = object[0] === OPEN_OBJECT ? scanObject(object).get(name) : undefined;
  return span && object.subarray(span.start, span.end);
}

/** A string in an object. Any other value gives its JSON, which is never a known name. */
function textAt(object: Buffer, name: string): string | undefined {
  const value = valueAt(object, name);
  if (value === undefined) return undefined;
  const json = value.toString('utf8');
  return json === 'null' ? undefined : (asText(tryParseJson(json)) ?? json);
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
