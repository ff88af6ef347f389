/** What the status of an error answer means by itself. The formats know words that say more. */

import type { Fault } from '../lib/errors.ts';
import { asNumber, type Json } from '../lib/json.ts';

const FAULTS: ReadonlyMap<number, Fault> = new Map<number, Fault>([
  [400, 'invalid-request'],
  [401, 'upstream-auth'],
  [402, 'upstream-auth'],
  [403, 'upstream-auth'],
  [404, 'not-found'],
  // What a caller accepts as an answer is passed on.
  [406, 'invalid-request'],
  [408, 'upstream-timeout'],
  [409, 'conflict'],
  // NVIDIA's status for a model that it no longer serves.
  [410, 'not-found'],
  // Fireworks' status for a suspended account.
  [412, 'upstream-auth'],
  [413, 'too-large'],
  // So is a caller's query, which may be too long for a server in front of the service.
  [414, 'invalid-request'],
  [422, 'unprocessable'],
  [429, 'rate-limited'],
  // Groq's status for missing capacity, and Anthropic's.
  [498, 'upstream-overloaded'],
  [529, 'upstream-overloaded'],
  [503, 'upstream-overloaded'],
  [504, 'upstream-timeout'],
  // Cloudflare's status for an origin that took too long.
  [524, 'upstream-timeout'],
]);

/** The fault that a status means. @param status absent if the error came without one. */
export function findStatusFault(status = 500): Fault {
  // If the upstream does not know a method, a path or a media type, that is the gateway's mistake and not the caller's.
  const isCallers = status > 422 && status < 499;
  return FAULTS.get(status) ?? (isCallers ? 'invalid-request' : 'upstream-broken');
}

/** Reads the HTTP status of a failure, if a field of an error is one. LiteLLM and Envoy AI Gateway write it as a text. */
export function parseErrorStatus(field: Json | undefined): number | undefined {
  const status = typeof field === 'string' && field.length === 3 ? Number(field) : asNumber(field);
  const isStatus = status !== undefined && Number.isInteger(status) && status >= 400 && status <= 599;
  return isStatus ? status : undefined;
}
