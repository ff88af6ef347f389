/** A body whose bytes are not parsed, and are changed in one place at most. */

import { isUtf8 } from 'node:buffer';
import { invalid } from '../lib/errors.ts';
import { OPEN_OBJECT } from '../lib/json-bytes.ts';
import { type Span, scanObject, spliced } from '../lib/json-scan.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import { upstreamName } from '../upstream/vendor.ts';
import type { Routed } from './exchange.ts';

/** A body, and where in it the top-level values are. */
export type Scanned = Pick<Routed, 'body' | 'fields'>;

/** Scans a body. @param body a JSON object. @throws GatewayError `invalid-request` if it is not one. */
export function scanned(body: Buffer): Scanned {
  return { body, fields: scanText(body) };
}

/**
 * Finds the places of an object's top-level values, by key.
 * @param body the object as JSON.
 * @throws GatewayError `invalid-request` if it is not UTF-8, and what `scanObject` throws.
 */
export function scanText(body: Uint8Array): ReadonlyMap<string, Span> {
  if (!isUtf8(body)) throw invalid('The request body is not valid UTF-8.');
  return scanObject(body);
}

/** Replaces the value at `span`, one of the body's fields, by the JSON `text`, and moves the places of the others. */
export function replaced({ body, fields }: Scanned, span: Span, text: string): Scanned {
  const end = span.start + Buffer.byteLength(text);
  const later = end - span.end;
  const moved = new Map<string, Span>();
  for (const [key, each] of fields) {
    if (each.start < span.start) moved.set(key, each);
    else if (each === span) moved.set(key, { start: span.start, end });
    else moved.set(key, { start: each.start + later, end: each.end + later });
  }
  return { body: toBuffer(spliced(body, span, text)), fields: moved };
}

/** A request whose model, vendor and format are settled. */
interface Asked extends Scanned, Pick<Routed, 'route' | 'upstreamFormat' | 'vendor' | 'model'> {
  readonly named?: Routed['named'] | undefined;
}

/** The field of a token count that holds a whole request, in both of its spellings. */
export const COUNTED = ['generateContentRequest', 'generate_content_request'] as const;

/**
 * Replaces the body's `model` by the vendor's name of the model, also in the request inside a token count. A body that is
 * translated is returned unchanged, since it is rendered again.
 */
export function inItsWords({ body, fields, route, upstreamFormat, named, vendor, model }: Asked): Scanned {
  const request = { body, fields };
  if (upstreamFormat !== route.format) return request;
  const name = upstreamName(vendor, model);
  if (named === undefined) return withModel(request, name);
  return COUNTED.reduce(
    (outer, key) => {
      const span = outer.fields.get(key);
      if (span === undefined || outer.body[span.start] !== OPEN_OBJECT) return outer;
      const inner = scanned(outer.body.subarray(span.start, span.end));
      const renamed = withModel(inner, name);
      return renamed === inner ? outer : replaced(outer, span, renamed.body.toString('utf8'));
    },
    withModel(request, name),
  );
}

/** The request with this model; itself if it names that one, or none. A `models/` before the name stays. */
function withModel(request: Scanned, name: string): Scanned {
  const span = request.fields.get('model');
  if (span === undefined) return request;
  const written = request.body.toString('utf8', span.start, span.end);
  const text = JSON.stringify(written.startsWith('"models/') ? `models/${name}` : name);
  return written === text || written === 'null' ? request : replaced(request, span, text);
}
