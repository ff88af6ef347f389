/** Explains what the gateway makes of a request that its vendor refuses. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { openLedger } from '../accounting/usage/ledger.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { formats } from '../formats/formats.ts';
import type { JsonObject } from '../lib/json.ts';
import { isObject, parseJson } from '../lib/json.ts';
import { scanned } from '../pipeline/body/scanned.ts';
import type { Routed } from '../pipeline/exchange.ts';
import { nativeFormatFor } from '../pipeline/model/native-format.ts';
import { describeRefusal } from '../pipeline/retry/refusal.ts';
import { repair } from '../pipeline/retry/repairs.ts';
import { prepareRequest } from '../pipeline/translate-request.ts';
import { upstreamName } from '../upstream/vendor.ts';
import { findServed, type Served } from './explain.ts';

/** A vendor's refusal. */
export interface VendorRefusal {
  /** The HTTP status. */
  readonly status: number;
  /** The body as it came. */
  readonly body: string;
}

/** What is sent after a refusal. */
export interface RefusalExplanation {
  /** The names of the repairs (docs/repairs.md); empty if the refusal is final. */
  readonly repairs: readonly string[];
  /** The next request to the vendor; absent if the refusal is final. */
  readonly request?: JsonObject;
}

/**
 * Explains a refusal without sending anything.
 * @param from the format that the request is written in
 * @param asked the model as a caller writes it
 * @param body the request
 * @throws GatewayError the error that the caller of such a request would receive
 */
export function explainRefusal(
  served: Served,
  from: FormatName,
  asked: string,
  body: JsonObject,
  { status, body: text }: VendorRefusal,
): RefusalExplanation {
  const [model, vendor] = findServed(served, from, asked);
  const upstreamFormat = nativeFormatFor(vendor, model, from, () => body);
  const message = new IncomingMessage(new Socket());
  const named = from === 'generate-content' && { model: asked, method: 'generateContent' };
  const request = { ...body, ...(!named && { model: upstreamName(vendor, model) }) };
  const routed: Routed = {
    id: 'explained',
    message,
    response: new ServerResponse(message),
    signal: new AbortController().signal,
    ledger: openLedger(false),
    route: { format: from, operation: 'generate' },
    query: new URLSearchParams(),
    ...(named && { named }),
    readBody: () => Promise.reject(new TypeError('The body has been read.')),
    principal: { name: 'explained', restricted: false, allows: () => true, stored: 'all', limits: {} },
    model,
    vendor,
    upstreamFormat,
    ...scanned(Buffer.from(JSON.stringify(request))),
  };
  const prepare = prepareRequest({ askUsage: 'limited' });
  prepare(routed);
  const error = formats[upstreamFormat].outbound.parseError(status, text);
  const refused = describeRefusal(routed, { status }, error, [], prepare);
  const repaired = refused && repair(refused, false);
  if (repaired === undefined) return { repairs: [] };
  const next = parseJson(String(prepare(repaired.routed).payload));
  return { repairs: repaired.names, ...(isObject(next) && { request: next }) };
}
