/** Requests for services that expect the model in the path, where the body has another field in its place. */

import type { ModelInPath } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import type { Edit } from '../../lib/edit.ts';
import { invalid } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { namingModel } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';

/** How the service of a request names the model in its paths; undefined if it does not. */
export function findModelInPath({ upstreamFormat, vendor }: Routed): ModelInPath | undefined {
  return formats[upstreamFormat].outbound.serviceTraits?.(vendor).modelInPath;
}

/**
 * What takes the model out of the caller's body, or beside it where the service wants both; nothing if it names none.
 * @throws GatewayError `invalid-request` if the body already has the field that replaces the model: no caller of the
 *   format writes it.
 */
export function withoutModel(routed: Routed, service: ModelInPath): readonly Edit[] {
  const { body, scan } = routed;
  const model = scan.fields.get('model');
  if (model === undefined) return [];
  if (scan.fields.has(service.field)) throw refused(service);
  const field = `"${service.field}":${JSON.stringify(valueFor(routed, service))}`;
  if (service.keepsModel(routed.route.operation))
    return [...namingModel(routed), { start: model.end, end: model.end, text: `,${field}` }];
  const keyEnd = body.lastIndexOf('"', model.start - 1);
  return [{ start: body.lastIndexOf('"', keyEnd - 1), end: model.end, text: field }];
}

/** A rendered request without its model. @throws as `withoutModel` does. */
export function valueWithoutModel(request: JsonObject, routed: Routed, service: ModelInPath): JsonObject {
  const { field } = service;
  if (request['model'] === undefined) return request;
  if (request[field] !== undefined) throw refused(service);
  const keepsModel = service.keepsModel(routed.route.operation);
  const inPlace = (key: string, value: Json | undefined): [string, Json | undefined][] => {
    if (key !== 'model') return [[key, value]];
    return [
      ...(keepsModel ? [[key, value] as [string, Json | undefined]] : []),
      [field, valueFor(routed, service)],
    ];
  };
  return Object.fromEntries(Object.entries(request).flatMap(([key, value]) => inPlace(key, value)));
}

/** Only a caller of the service's own format has headers that matter to it. */
function valueFor({ route, upstreamFormat, message }: Routed, service: ModelInPath) {
  return service.value(route.format === upstreamFormat ? message.headers : {});
}

function refused({ field }: ModelInPath) {
  return invalid(`${field}: Extra inputs are not permitted`, field);
}
