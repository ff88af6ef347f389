/**
 * Refusals of a request that names something stored, by an account that has not stored it. Another account of the vendor
 * may have: the gateway keeps no ids, so it does not know which one.
 */

import type { Fault, GatewayError } from '../../lib/errors.ts';
import type { Routed } from '../exchange.ts';
import { storedReferences } from '../restrictions/stored-references.ts';
import { parseExactBody } from './refusal.ts';

/** What such a refusal may mean. Google answers 403, and does not say whether the thing exists. */
const FAULTS: ReadonlySet<Fault> = new Set<Fault>([
  'invalid-request',
  'unprocessable',
  'not-found',
  'permission-denied',
]);

/**
 * OpenAI: "Previous response with id '…' not found", "No such File object"; Anthropic: "File not found"; Google:
 * "CachedContent not found (or permission denied)", "… to access the File … or it may not exist".
 */
const UNKNOWN = /not[ _]?found|no such|(?:not|n['’]t) exist/i;

/** Whether a vendor's account has refused a request because it does not know what the request names. */
export function isOfUnknownStored(routed: Routed, error: GatewayError): boolean {
  if (!saysUnknown(error)) return false;
  const body = parseExactBody(routed);
  return body !== undefined && storedReferences(routed.route.format, body).length > 0;
}

/** Whether a refusal says that something does not exist. */
export function saysUnknown({ fault, code, message }: GatewayError): boolean {
  return FAULTS.has(fault) && UNKNOWN.test(`${code ?? ''} ${message}`);
}
