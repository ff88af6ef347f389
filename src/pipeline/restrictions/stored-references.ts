/** Finds the stored objects of the vendor's account that a request names, and turns storing off in a request. */

import type { FormatName, Operation } from '../../conversation/prompt.ts';
import { asText, tryParseJson } from '../../lib/json.ts';
import { OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../lib/json-bytes.ts';
import { type Span, scanList, scanObject } from '../../lib/json-scan.ts';
import { replaced, type Scanned, scanned } from '../scanned.ts';
import { spellings } from './spellings.ts';
import { STORED_PLACES } from './stored-places.ts';

/** A stored object that a request names. */
export interface Reference {
  readonly id: string;
  /** The path of the field. */
  readonly field: string;
}

/** The places of ids inside a value: the fields to look into by name, and whether the value itself is an id. */
interface Places {
  readonly within: Map<string, Places>;
  holdsIds: boolean;
}

const PLACES: ReadonlyMap<FormatName, Places> = new Map(
  (['chat-completions', 'responses', 'messages', 'generate-content'] as const).map((format) => [
    format,
    placesOf(STORED_PLACES[format]),
  ]),
);

/**
 * Finds all stored objects that a body names, in the order in which they occur.
 * @throws GatewayError `invalid-request` for an object on the way that has a key twice.
 */
export function storedReferences(format: FormatName, { body, fields }: Scanned): readonly Reference[] {
  const places = PLACES.get(format);
  if (places === undefined) return [];
  const found: Reference[] = [];
  collectIn(body, fields, places, '', found);
  const input = format === 'messages' || format === 'generate-content' ? undefined : fields.get('input');
  if (input !== undefined) found.push(...itemsNamed(body.subarray(input.start, input.end)));
  return found;
}

/**
 * Changes a body so that the vendor stores nothing. OpenAI's Responses store unless `store` is false, so the field is
 * added; elsewhere only a `store` that is set is changed to false.
 */
export function unstored(format: FormatName, operation: Operation, request: Scanned): Scanned {
  const span = request.fields.get('store');
  if (format === 'messages') return request;
  const isUnlessSaid = format === 'responses' && operation === 'generate';
  if (span === undefined) return isUnlessSaid ? withStoreFalse(request.body) : request;
  const said = request.body.toString('utf8', span.start, span.end);
  const isNone = said === 'false' || (said === 'null' && !isUnlessSaid);
  return isNone ? request : replaced(request, span, 'false');
}

/** Adds a first field to an object that has at least one. */
function withStoreFalse(body: Buffer): Scanned {
  const open = body.indexOf(OPEN_OBJECT) + 1;
  return scanned(Buffer.concat([body.subarray(0, open), Buffer.from('"store":false,'), body.subarray(open)]));
}

/**
 * Items of OpenAI's that stand for what is stored under their id: references, and reasoning or images without their
 * content.
 */
function itemsNamed(input: Buffer): readonly Reference[] {
  if (input[0] !== OPEN_LIST) return [];
  return scanList(input, { start: 0, end: input.length }).flatMap(({ start, end }) => {
    const item = input.subarray(start, end);
    if (item[0] !== OPEN_OBJECT) return [];
    const fields = scanObject(item);
    const id = textAt(item, fields.get('id'));
    if (id === undefined) return [];
    const type = textAt(item, fields.get('type'));
    const isWhole =
      (type === 'reasoning' && textAt(item, fields.get('encrypted_content')) !== undefined) ||
      (type === 'image_generation_call' && textAt(item, fields.get('result')) !== undefined) ||
      (type === undefined && fields.has('content')) ||
      (type !== undefined && !BY_ID.has(type));
    return isWhole ? [] : [{ id, field: 'input.id' }];
  });
}

const BY_ID = new Set(['item_reference', 'reasoning', 'image_generation_call']);

function collectIn(
  bytes: Buffer,
  fields: ReadonlyMap<string, Span>,
  places: Places,
  path: string,
  found: Reference[],
): void {
  for (const [name, { start, end }] of fields) {
    const within = places.within.get(name);
    if (within === undefined) continue;
    // Anthropic's own skills are available to everybody.
    if (name === 'skill_id' && textAt(bytes, fields.get('type')) === 'anthropic') continue;
    collect(bytes.subarray(start, end), within, path === '' ? name : `${path}.${name}`, found);
  }
}

function collect(value: Buffer, places: Places, path: string, found: Reference[]): void {
  if (value[0] === OPEN_LIST) {
    for (const { start, end } of scanList(value, { start: 0, end: value.length })) {
      collect(value.subarray(start, end), places, path, found);
    }
  } else if (value[0] === OPEN_OBJECT) {
    if (places.within.size > 0) collectIn(value, scanObject(value), places, path, found);
  } else if (places.holdsIds && value[0] === QUOTE) {
    const id = asText(tryParseJson(value.toString('utf8')));
    if (id !== undefined && !(/file_?uri$/i.test(path) && isPublic(id))) found.push({ id, field: path });
  }
}

/**
 * Whether anybody can read an address. A file at Google belongs to the account that stored it (`files/…`, `gs://…`).
 */
function isPublic(uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return !/(?:^|\.)(?:googleapis\.com|storage\.cloud\.google\.com)\.?$/.test(url.hostname);
}

function textAt(object: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || object[span.start] !== QUOTE) return undefined;
  return asText(tryParseJson(object.toString('utf8', span.start, span.end)));
}

function placesOf(paths: readonly string[]): Places {
  const root: Places = { within: new Map(), holdsIds: false };
  for (const path of paths) {
    let at = root;
    for (const name of path.split('.')) {
      const next: Places = at.within.get(name) ?? { within: new Map(), holdsIds: false };
      for (const spelling of spellings(name)) at.within.set(spelling, next);
      at = next;
    }
    at.holdsIds = true;
  }
  return root;
}
