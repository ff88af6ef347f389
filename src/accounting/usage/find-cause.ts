/** The cause of an error, for the log. Operators must be able to tell a wrong name from a bad certificate. */

import { errorCode } from '../../lib/error-code.ts';
import type { GatewayError } from '../../lib/errors.ts';

/** A code of Node, undici or a vendor's refusal: `ENOTFOUND`, `UND_ERR_SOCKET`, `HTTP_402_BILLING_ERROR`. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/**
 * The code of the cause if a hook of the operator refuses. A vendor's own code begins with `HTTP_`, so none looks like
 * this one.
 */
export const REFUSED_BY_HOOK = 'REFUSED_BY_HOOK';

/** The most characters of a cause. */
const MAX_LENGTH = 240;

/**
 * The code of what caused an error; for an error of the gateway itself, its kind and where it was thrown. Never its
 * message: undici's messages name addresses, and those of JSON.parse quote the text.
 */
export function findCause({ fault, cause }: GatewayError): string | undefined {
  if (fault === 'internal') return cause instanceof Error ? findThrowPlace(cause) : undefined;
  for (let next = cause; next instanceof Error; next = next.cause) {
    const code = errorCode(next);
    if (code !== undefined && CODE.test(code)) return code;
  }
  return undefined;
}

function findThrowPlace({ name, stack = '' }: Error): string {
  const frame = stack.split('\n').find((line) => /^ {4}at /.test(line)) ?? '';
  return `${name} ${frame.trim()}`.trim().slice(0, MAX_LENGTH);
}
