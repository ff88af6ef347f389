/** What lies behind an error, for the log: whoever runs this must be able to tell a name from a certificate. */

import { errorCode } from '../../lib/error-code.ts';
import type { GatewayError } from '../../lib/errors.ts';

/** A code of Node's or undici's, or of a vendor's refusal: `ENOTFOUND`, `UND_ERR_SOCKET`, `HTTP_402_BILLING_ERROR`. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The longest that is told, in characters. */
const MOST = 240;

/**
 * The code of what has caused it; of an error of the gateway's own its kind and where it came from.
 * Never its message: undici's name an address, and JSON.parse quotes the text it stumbled over.
 */
export function causeOf({ fault, cause }: GatewayError): string | undefined {
  if (fault === 'internal') return cause instanceof Error ? placeOf(cause) : undefined;
  for (let next = cause; next instanceof Error; next = next.cause) {
    const code = errorCode(next);
    if (code !== undefined && CODE.test(code)) return code;
  }
  return undefined;
}

function placeOf({ name, stack = '' }: Error): string {
  const frame = stack.split('\n').find((line) => /^ {4}at /.test(line)) ?? '';
  return `${name} ${frame.trim()}`.trim().slice(0, MOST);
}
