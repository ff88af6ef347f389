/** A body whose bytes are not parsed, and changed, if at all, in one place. */

import { isUtf8 } from 'node:buffer';
import { invalid } from '../lib/errors.ts';
import { type Span, scanObject, spliced } from '../lib/json-scan.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import { upstreamName } from '../upstream/vendor.ts';
import type { Routed } from './exchange.ts';

/** A body, and where its top-level values stand. */
export type Scanned = Pick<Routed, 'body' | 'fields'>;

/** A body with the places of its values. @param body an object in JSON. @throws GatewayError where it is none. */
export function scanned(body: Buffer): Scanned {
  return { body, fields: scanText(body) };
}

/**
 * The places of an object's top-level values. @param body the object in JSON.
 * @throws GatewayError `invalid-request` where it is no UTF-8, and what `scanObject` throws.
 */
export function scanText(body: Uint8Array): ReadonlyMap<string, Span> {
  if (!isUtf8(body)) throw invalid('The request body is not valid UTF-8.');
  return scanObject(body);
}

/** The body with `text` in place of what stands at `span`, one of its fields. */
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

/** A request of which it is known who is asked what. */
interface Asked extends Scanned, Pick<Routed, 'route' | 'upstreamFormat' | 'vendor' | 'model'> {
  readonly named?: Routed['named'] | undefined;
}

/**
 * The body with the vendor's name of the model, where the body names it, and not by that. Only one that goes to the vendor
 * does so: what is translated is written anew.
 */
export function inItsWords({
  body,
  fields,
  route,
  upstreamFormat: spoken,
  named,
  vendor,
  model,
}: Asked): Scanned {
  const span = fields.get('model');
  if (spoken !== route.format || named !== undefined || span === undefined) return { body, fields };
  const name = JSON.stringify(upstreamName(vendor, model));
  if (body.toString('utf8', span.start, span.end) === name) return { body, fields };
  return replaced({ body, fields }, span, name);
}
