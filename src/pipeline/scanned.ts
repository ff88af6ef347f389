/** A request body that is scanned once and parsed at most once, whoever reads it. */

import { isUtf8 } from 'node:buffer';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Route } from '../conversation/route.ts';
import { invalid } from '../lib/errors.ts';
import { isObject, type JsonObject, tryParseJson } from '../lib/json.ts';
import { OPEN_OBJECT } from '../lib/json-bytes.ts';
import { type ObjectScan, type Span, scanObject, spliced } from '../lib/json-scan.ts';
import { COUNTED } from '../translate/refuse-unknown.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import { upstreamName, type Vendor } from '../upstream/vendor.ts';
import { type LargeStrings, lighten } from './large-strings.ts';

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
  /** The large strings that the value has tokens for; undefined if it has none. */
  large(): LargeStrings | undefined;
}

/**
 * Scans a body.
 * @throws GatewayError `invalid-request` if it is not UTF-8, and what `scanObject` throws.
 */
export function scanned(body: Buffer): Scanned {
  return withTree(body, scanText(body));
}

/** Scans the text of an object. @throws as `scanned` does. */
export function scanText(body: Uint8Array): ObjectScan {
  if (!isUtf8(body)) throw invalid('The request body is not valid UTF-8.');
  return scanObject(body);
}

/** The body with what a scan has found in it. */
export function withTree(body: Buffer, scan: ObjectScan): Scanned {
  let light: { readonly tree: JsonObject; readonly large?: LargeStrings } | undefined;
  const parse = () => {
    if (light === undefined) {
      const { text, large } = lighten(body, scan.largeStrings);
      light = { tree: parsed(text), ...(large && { large }) };
    }
    return light;
  };
  return { body, scan, tree: () => parse().tree, large: () => parse().large };
}

/** The same body, whose value has its large strings in it. */
export function withLargeStrings({ body, scan }: Scanned): Scanned {
  return withTree(body, { ...scan, largeStrings: [] });
}

function parsed(text: string): JsonObject {
  const value = tryParseJson(text);
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
  return exchanged(sent, span, text, (move) =>
    [...sent.scan.fields].map(([name, { start, end }]) => [name, { start: move(start), end: move(end) }]),
  );
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
  return withTree(made.body, { ...made.scan, members: sent.scan.members + 1 });
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
  return withTree(toBuffer(spliced(body, span, text)), {
    fields: new Map(fields(move)),
    members: scan.members,
    items: kept(scan.items),
    numbers: kept(scan.numbers),
    largeStrings: kept(scan.largeStrings),
  });
}

/** A request whose model, vendor and format are settled. */
interface Asked extends Scanned {
  readonly route: Route;
  readonly model: Model;
  readonly vendor: Vendor;
  readonly upstreamFormat: FormatName;
  /** Set if the path names the model. */
  readonly named?: object | undefined;
}

/**
 * Replaces the body's `model` by the vendor's name of the model, also in the request inside a token count. A body that is
 * translated is returned unchanged, since it is rendered again.
 */
export function inItsWords(asked: Asked): Scanned {
  const { body, scan, tree, large, route, upstreamFormat, named, vendor, model } = asked;
  const request = { body, scan, tree, large };
  if (upstreamFormat !== route.format) return request;
  const name = upstreamName(vendor, model);
  if (named === undefined) return withModel(request, name);
  return COUNTED.reduce(
    (outer, key) => {
      const span = outer.scan.fields.get(key);
      if (span === undefined || outer.body[span.start] !== OPEN_OBJECT) return outer;
      const inner = scanned(outer.body.subarray(span.start, span.end));
      const renamed = withModel(inner, name);
      return renamed === inner ? outer : replaced(outer, key, renamed.body.toString('utf8'));
    },
    withModel(request, name),
  );
}

/** The request with this model; itself if it names that one, or none. A `models/` before the name stays. */
function withModel(request: Scanned, name: string): Scanned {
  const span = request.scan.fields.get('model');
  if (span === undefined) return request;
  const written = request.body.toString('utf8', span.start, span.end);
  const text = JSON.stringify(written.startsWith('"models/') ? `models/${name}` : name);
  return written === text || written === 'null' ? request : replaced(request, 'model', text);
}
