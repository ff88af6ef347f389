/** Finds the stored objects of the vendor's account that a request names, and turns storing off in a request. */

import type { FormatName, Operation } from '../../conversation/prompt.ts';
import { asObjects, asText, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { buildTree, type KnownFields, perFormat } from '../../translate/known-fields.ts';
import { replaced, type Scanned, withFirst } from '../body/scanned.ts';
import { STORED_PLACES } from './stored-places.ts';

/** A stored object that a request names. */
export interface Reference {
  readonly id: string;
  /** The path of the field. */
  readonly field: string;
}

/** The fields to look into. Those whose value itself is an id are open. */
const storedPlaces = perFormat((format) =>
  buildTree(
    STORED_PLACES[format].map((path) => `${path}.*`),
    format,
  ),
);

/** Finds all stored objects that a body names, in the order in which they occur. */
export function storedReferences(format: FormatName, body: JsonObject): readonly Reference[] {
  const found: Reference[] = [];
  collectIn(body, storedPlaces(format), '', found);
  const hasItems = format !== 'messages' && format !== 'generate-content';
  return hasItems ? [...found, ...itemsNamed(body['input'])] : found;
}

/**
 * Changes a body so that the vendor stores nothing. OpenAI's Responses store unless `store` is false, so the field is
 * added; elsewhere only a `store` that is set is changed to false.
 */
export function unstored(format: FormatName, operation: Operation, request: Scanned): Scanned {
  const span = request.scan.fields.get('store');
  if (format === 'messages') return request;
  const isUnlessSaid = format === 'responses' && operation === 'generate';
  if (span === undefined) return isUnlessSaid ? withFirst(request, 'store', 'false') : request;
  const said = request.body.toString('utf8', span.start, span.end);
  const isNone = said === 'false' || (said === 'null' && !isUnlessSaid);
  return isNone ? request : replaced(request, 'store', 'false');
}

/**
 * Items of OpenAI's that stand for what is stored under their id: references, and reasoning or images without their
 * content. A content of nothing (`""`, null) is none, since nothing says that the vendor takes it for one.
 */
function itemsNamed(input: Json | undefined): readonly Reference[] {
  return asObjects(input).flatMap((item) => {
    const id = asText(item['id']);
    if (id === undefined) return [];
    const type = asText(item['type']);
    const isWhole =
      (type === 'reasoning' && Boolean(asText(item['encrypted_content']))) ||
      (type === 'image_generation_call' && Boolean(asText(item['result']))) ||
      (type === undefined && (item['content'] ?? null) !== null) ||
      (type !== undefined && !BY_ID.has(type));
    return isWhole ? [] : [{ id, field: 'input.id' }];
  });
}

const BY_ID = new Set(['item_reference', 'reasoning', 'image_generation_call']);

function collectIn(object: JsonObject, places: KnownFields, path: string, found: Reference[]): void {
  for (const [name, value] of Object.entries(object)) {
    const within = places.fields.get(name);
    if (within === undefined) continue;
    // Anthropic's own skills are available to everybody.
    if (name === 'skill_id' && object['type'] === 'anthropic') continue;
    collect(value, within, path === '' ? name : `${path}.${name}`, found);
  }
}

function collect(value: Json | undefined, places: KnownFields, path: string, found: Reference[]): void {
  if (isList(value)) {
    for (const item of value) collect(item, places, path, found);
  } else if (isObject(value)) {
    if (places.fields.size > 0) collectIn(value, places, path, found);
  } else if (places.isOpen && typeof value === 'string') {
    if (!(/file_?uri$/i.test(path) && isPublic(value))) found.push({ id: value, field: path });
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
