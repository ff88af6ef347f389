/**
 * Goes on with a dialogue in which models of other vendors took part. A native body passes as it is; where the vendor
 * refuses it, it may be for what they have left there, such as thoughts that only they can read. Vendors say so in
 * words of their own, so none is looked for: what is not theirs is taken out, and the rest is sent once more.
 *
 * So does a translated dialogue whose thoughts the vendor no longer takes: where they are bound to all that stood before
 * them, clients of other formats and their translation have changed some of that.
 */

import { tryParseExact } from '../conversation/arguments.ts';
import type { GatewayError } from '../errors.ts';
import { formats } from '../formats/all.ts';
import { isObject } from '../json.ts';
import { scanObject } from '../json-scan.ts';
import type { Replied, Routed } from './exchange.ts';
import { targetOf } from './translate-request.ts';

/** With which a vendor says that it does not take what it was sent. OpenAI looks for thoughts it does not know: 404. */
const REFUSALS = new Set([400, 404, 422]);

/**
 * The request as it is to be sent once more; undefined where there is no use in it.
 * @param told what came of it as it was: an answer of the vendor's own, where it is native and was refused.
 */
export function reworded(routed: Routed, told: GatewayError | Replied): Routed | undefined {
  if (told instanceof Error) return forgetting(routed, told);
  if (!REFUSALS.has(told.status)) return undefined;
  const { spoken, vendor, model } = routed;
  const request = tryParseExact(routed.body.toString('utf8'));
  if (!isObject(request)) return undefined;
  const own = formats[spoken].outbound.withoutOthers?.(request, targetOf(vendor, model).dialect);
  if (own === undefined) return undefined;
  const body = Buffer.from(JSON.stringify(own));
  return { ...routed, body, fields: scanObject(body) };
}

function forgetting(routed: Routed, error: GatewayError): Routed | undefined {
  const { spoken, route, forgets } = routed;
  if (route.format === spoken || forgets) return undefined;
  return formats[spoken].outbound.refusesThoughts?.(error) ? { ...routed, forgets: true } : undefined;
}
