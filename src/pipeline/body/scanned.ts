/** A request body that is scanned once and parsed at most once, whoever reads it. */

import { isUtf8 } from 'node:buffer';
import type { Model } from '../../catalog/model.ts';
import { COUNTED } from '../../formats/generate-content/wire/counted-requests.ts';
import type { Edit } from '../../lib/edit.ts';
import { invalid } from '../../lib/errors.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  parseUnescaped,
  tryParseJson,
} from '../../lib/json.ts';
import { OPEN_OBJECT } from '../../lib/json-bytes.ts';
import { type Span, scanInSteps, scanObject } from '../../lib/json-scan.ts';
import type { KnownValues, ObjectScan } from '../../lib/object-scan.ts';
import { upstreamName, type Vendor } from '../../upstream/vendor.ts';
import { atOnce, inTurns, type Work } from './in-turns.ts';
import { type LargeStrings, lightening } from './large-strings.ts';
import type { RememberedTools } from './remembered-tools.ts';

/** A body, what the scan has found in it, and its value. */
export interface Scanned {
  /** A JSON object in UTF-8. */
  readonly body: Buffer;
  readonly scan: ObjectScan;
  /**
   * Parses the body when its value is first asked for; later calls return the same object. A native request is usually
   * never parsed. Tokens stand in it for what `large` returns.
   * @throws GatewayError `invalid-request` if it is not JSON: the scan looks at no more than it must.
   */
  tree(): JsonObject;
  /** As `tree`, in steps. */
  parsing(): Work<JsonObject>;
  /** The large strings that the value has tokens for; undefined if it has none. */
  large(): LargeStrings | undefined;
}

/**
 * Scans a body.
 * @throws GatewayError `invalid-request` if it is not UTF-8, and what `scanObject` throws.
 */
export function scanned(body: Buffer, tools?: RememberedTools): Scanned {
  return remembering(body, scanText(body, tools), tools);
}

/** The body with what its scan has found, of which the tools are remembered. */
function remembering(body: Buffer, scan: ObjectScan, tools: RememberedTools | undefined): Scanned {
  const span = scan.fields.get('tools');
  if (span !== undefined) tools?.meet(body.subarray(span.start, span.end));
  return withTree(body, scan, tools);
}

/** Bodies of fewer bytes are read in about a millisecond, so interrupting that is not worth it. */
export const LONG_BODY = 64 * 1024;

/** Bytes that are read in one turn: less than a millisecond where quotes and escapes are dense. */
const STRETCH = 512 * 1024;

/** The most bytes of a body that is read in one turn. A scan without a stop is twice as fast as one that may stop. */
const AT_ONCE = 2 * STRETCH;

/**
 * Like `scanned`, but a long body is read one stretch in each turn of the event loop. Rejects with what `scanned`
 * throws.
 */
export function scannedInTurns(body: Buffer, tools: RememberedTools): Scanned | Promise<Scanned> {
  return body.length <= AT_ONCE ? scanned(body, tools) : inTurns(scanning(body, tools));
}

function* scanning(body: Buffer, tools: RememberedTools): Work<Scanned> {
  for (let start = 0; start < body.length; ) {
    const end = afterCharacter(body, start + STRETCH);
    requireUtf8(body.subarray(start, end));
    start = end;
    yield;
  }
  return remembering(body, yield* scanInSteps(body, STRETCH, tools), tools);
}

/** The last place up to `at` where UTF-8 can be cut: before a byte that continues no character (RFC 3629, 3). */
function afterCharacter(body: Buffer, at: number): number {
  let end = Math.min(at, body.length);
  for (let back = 0; back < 3 && ((body[end] ?? 0) & 0xc0) === 0x80; back++) end--;
  return end;
}

function requireUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw invalid('The request body is not valid UTF-8.');
}

/** Scans the text of an object. @throws as `scanned` does. */
export function scanText(body: Uint8Array, known?: KnownValues): ObjectScan {
  requireUtf8(body);
  return scanObject(body, known);
}

/** The body with what a scan has found in it. */
export function withTree(body: Buffer, scan: ObjectScan, tools?: RememberedTools): Scanned {
  const value: BodyValue = { body, scan, tools, tree: undefined, large: undefined };
  const tree = () => value.tree ?? atOnce(parse(value));
  return {
    body,
    scan,
    tree,
    parsing: () => parse(value),
    large() {
      tree();
      return value.large;
    },
  };
}

/** A body's value, which is undefined until the body is parsed. */
interface BodyValue {
  readonly body: Buffer;
  readonly scan: ObjectScan;
  readonly tools: RememberedTools | undefined;
  tree: JsonObject | undefined;
  large: LargeStrings | undefined;
}

/**
 * Parses a body that is not parsed yet. V8 gives each generator function a prototype and a hidden class of its own, so
 * one within `withTree` would cost every request both.
 */
function* parse(value: BodyValue): Work<JsonObject> {
  if (value.tree !== undefined) return value.tree;
  const { body, scan } = value;
  const tools = findKnownTools(value);
  const { text, large } = yield* lightening(body, scan, tools?.span);
  value.large = large;
  value.tree = parsed(text, scan.hasEscapedKey);
  // The field keeps its place.
  if (tools !== undefined) Object.assign(value.tree, { tools: tools.known });
  return value.tree;
}

/** The same, but the value of its body has the large strings in it. */
export function withLargeStrings<T extends Scanned>(sent: T): T {
  return { ...sent, ...withTree(sent.body, { ...sent.scan, largeStrings: [] }) };
}

/** Tools that are parsed on their own, and their place; undefined if a body has none that are worth that. */
function findKnownTools({
  body,
  scan: { fields },
  tools,
}: BodyValue): { readonly span: Span; readonly known: Json } | undefined {
  const span = fields.get('tools');
  const known = span && tools?.recall(body.subarray(span.start, span.end));
  return span && known !== undefined ? { span, known } : undefined;
}

/** @param hasEscapedKey what the scan has found */
function parsed(text: string, hasEscapedKey: boolean | undefined): JsonObject {
  let value: Json | undefined;
  try {
    value = hasEscapedKey === false ? parseUnescaped(text) : parseJson(text);
  } catch {
    // What is not JSON is refused below, like anything that is not an object.
  }
  if (!isObject(value)) throw invalid('The request body is not a valid JSON object.');
  return value;
}

/**
 * Replaces the value of a top-level field.
 * @param text what JSON.stringify has written, with as many members as the old value.
 */
export function replaced(sent: Scanned, key: string, text: string): Scanned {
  const span = sent.scan.fields.get(key);
  if (span === undefined) throw new TypeError(`The body has no field ${key}.`);
  const made = exchanged(sent, span, text, (move) =>
    [...sent.scan.fields].map(([name, { start, end }]) => [name, { start: move(start), end: move(end) }]),
  );
  const old = sent.body.toString('utf8', span.start, span.end);
  return withTree(made.body, { ...made.scan, nested: sent.scan.nested - nestedIn(old) + nestedIn(text) });
}

/** Adds a first field to an object that has at least one. @param text what JSON.stringify has written for its value. */
export function withFirst(sent: Scanned, key: string, text: string): Scanned {
  const at = sent.body.indexOf(OPEN_OBJECT) + 1;
  const name = `${JSON.stringify(key)}:`;
  const start = at + Buffer.byteLength(name);
  const field: [string, Span] = [key, { start, end: start + Buffer.byteLength(text) }];
  const made = exchanged(sent, { start: at, end: at }, `${name}${text},`, (move) => [
    field,
    ...[...sent.scan.fields].map(([other, { start: from, end }]): [string, Span] => [
      other,
      { start: move(from), end: move(end) },
    ]),
  ]);
  const { members, nested } = sent.scan;
  return withTree(made.body, { ...made.scan, members: members + 1, nested: nested + nestedIn(text) });
}

/** Whether a body has a field that is neither false nor null. */
export function isSet({ body, scan: { fields } }: Pick<Scanned, 'body' | 'scan'>, field: string): boolean {
  const span = fields.get(field);
  return span !== undefined && !/^(?:false|null)$/.test(body.toString('latin1', span.start, span.end));
}

/** The longest value that `shortValue` reads, in bytes. */
const MAX_SHORT_VALUE = 4_096;

/** The value of a field that names something; undefined for none, a long one, and what is not JSON. */
export function shortValue(
  { body, scan: { fields } }: Pick<Scanned, 'body' | 'scan'>,
  field: string,
): Json | undefined {
  const span = fields.get(field);
  if (span === undefined || span.end - span.start > MAX_SHORT_VALUE) return undefined;
  return tryParseJson(body.toString('utf8', span.start, span.end));
}

/** What a scan finds nested in a value. */
function nestedIn(value: string): number {
  return scanObject(Buffer.from(`{"":${value}}`)).nested;
}

/** Puts a text in the place of some bytes, and moves what the scan has found behind them. */
function exchanged(
  { body, scan }: Scanned,
  span: Span,
  text: string,
  fields: (move: (place: number) => number) => Iterable<readonly [string, Span]>,
): Scanned {
  const later = span.start + Buffer.byteLength(text) - span.end;
  const move = (place: number): number => (place <= span.start ? place : place + later);
  const kept = (places: readonly number[]): number[] =>
    places.filter((place) => place <= span.start || place >= span.end).map(move);
  const pieces = [body.subarray(0, span.start), Buffer.from(text), body.subarray(span.end)];
  return withTree(Buffer.concat(pieces), {
    fields: new Map(fields(move)),
    members: scan.members,
    items: kept(scan.items),
    numbers: kept(scan.numbers),
    largeStrings: kept(scan.largeStrings),
    nested: scan.nested,
    hasEscapedKey: text.includes('\\') ? scan.hasEscapedKey || undefined : scan.hasEscapedKey,
  });
}

/** A request whose model and vendor are settled. */
interface Asked extends Scanned {
  readonly model: Model;
  readonly vendor: Vendor;
  /** Set if the path names the model. */
  readonly named?: object | undefined;
}

/**
 * What makes a native body name the model as the vendor does, also in the request inside a token count. A `models/` before
 * the name stays. Usually nothing, or one edit.
 */
export function namingModel({ body, scan, named, vendor, model }: Asked): readonly Edit[] {
  const name = upstreamName(vendor, model);
  const own = renamed(body, scan.fields.get('model'), name);
  if (named === undefined) return own;
  const inner = COUNTED.flatMap((key) => {
    const span = scan.fields.get(key);
    if (span === undefined || body[span.start] !== OPEN_OBJECT) return [];
    const counted = body.subarray(span.start, span.end);
    return renamed(counted, scanText(counted).fields.get('model'), name).map(({ start, end, text }) => ({
      start: span.start + start,
      end: span.start + end,
      text,
    }));
  });
  return [...own, ...inner];
}

/** The edit of a model's name; none if it is that name already, or null. */
function renamed(body: Buffer, span: Span | undefined, name: string): readonly Edit[] {
  if (span === undefined) return [];
  const written = body.toString('utf8', span.start, span.end);
  const text = JSON.stringify(written.startsWith('"models/') ? `models/${name}` : name);
  return written === text || written === 'null' ? [] : [{ ...span, text }];
}
