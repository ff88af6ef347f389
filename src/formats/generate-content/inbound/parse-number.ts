/** Numbers in the JSON of protobuf, which may be written as text (proto3 JSON mapping). */

import { invalid } from '../../../lib/errors.ts';
import { asNumber, type Json } from '../../../lib/json.ts';

/**
 * A number of a request; undefined if the field is absent.
 * @param param where it stands.
 * @throws GatewayError `invalid-request` for anything that is no finite number.
 */
export function parseNumber(value: Json | undefined, param: string): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : asNumber(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw invalid(`Invalid value at '${param}': a number is expected.`, param);
}
