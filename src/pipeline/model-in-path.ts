/** Requests for services that expect the model in the path. The rest of the body keeps its bytes. */

import type { ModelInPath } from '../formats/format.ts';
import { invalid } from '../lib/errors.ts';
import { spliced } from '../lib/json-scan.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import { pathAt, upstreamName } from '../upstream/vendor.ts';
import type { Prepared } from './exchange.ts';
import type { Scanned } from './scanned.ts';
import { scanned } from './scanned.ts';

/**
 * Moves the model of a request from its body into its path.
 * @throws GatewayError `invalid-request` if the body already has the field that replaces the model: no caller of the
 *   format writes it.
 */
export function putModelInPath(prepared: Prepared, service: ModelInPath): Prepared {
  const { vendor, model, route, message, payload, upstreamFormat } = prepared;
  const body = scanned(toBuffer(payload));
  const { operation } = route;
  const path = service.path({ model: upstreamName(vendor, model), operation, stream: asksStream(body) });
  const value = service.value(route.format === upstreamFormat ? message.headers : {});
  return {
    ...prepared,
    path: pathAt(vendor, path),
    payload: replaceModel(body, service.field, JSON.stringify(value), service.keepsModel(operation)),
  };
}

function asksStream({ body, fields }: Scanned): boolean {
  const { start, end } = fields.get('stream') ?? { start: 0, end: 0 };
  return body.toString('latin1', start, end) === 'true';
}

/** @param value the field's value as JSON. */
function replaceModel(
  { body, fields }: Scanned,
  name: string,
  value: string,
  keepsModel: boolean,
): Uint8Array {
  const model = fields.get('model');
  if (model === undefined) return body;
  if (fields.has(name)) throw invalid(`${name}: Extra inputs are not permitted`, name);
  const field = `"${name}":${value}`;
  if (keepsModel) return spliced(body, { start: model.end, end: model.end }, `,${field}`);
  const keyEnd = body.lastIndexOf('"', model.start - 1);
  return spliced(body, { start: body.lastIndexOf('"', keyEnd - 1), end: model.end }, field);
}
