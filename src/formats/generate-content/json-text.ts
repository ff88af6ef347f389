/** JSON text of values that came from outside. */

import { GatewayError, invalid } from '../../errors.ts';
import type { Json } from '../../json.ts';

/**
 * A vendor's value as JSON text.
 * @throws GatewayError `upstream-broken` where it is nested more deeply than can be written.
 */
export function vendorJsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new GatewayError('upstream-broken', 'The upstream sent a value that is nested too deeply.', {
      cause,
    });
  }
}

/**
 * A caller's value as JSON text.
 * @throws GatewayError `invalid-request` where it is nested more deeply than can be written.
 */
export function callerJsonText(value: Json, param: string): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw invalid(`Invalid value at '${param}': nested too deeply.`, param);
  }
}
