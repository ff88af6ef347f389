/** What the status of a refusal means by itself. Each format knows words that say more. */

import type { Fault } from '../lib/errors.ts';

const FAULTS: ReadonlyMap<number, Fault> = new Map<number, Fault>([
  [400, 'invalid-request'],
  [401, 'upstream-auth'],
  [402, 'upstream-auth'],
  [403, 'upstream-auth'],
  [404, 'not-found'],
  [408, 'upstream-timeout'],
  [409, 'conflict'],
  // Fireworks' word for an account that is suspended.
  [412, 'upstream-auth'],
  [413, 'too-large'],
  [422, 'unprocessable'],
  [429, 'rate-limited'],
  // Groq's word for 'no capacity', and Anthropic's.
  [498, 'upstream-overloaded'],
  [529, 'upstream-overloaded'],
  [503, 'upstream-overloaded'],
  [504, 'upstream-timeout'],
  // Cloudflare's.
  [524, 'upstream-timeout'],
]);

/** @param status undefined of an error that came without one. */
export function faultOfStatus(status = 500): Fault {
  // A method, a path or a media type the upstream does not know is this program's mistake, not the caller's.
  const isCallers = status > 422 && status < 499;
  return FAULTS.get(status) ?? (isCallers ? 'invalid-request' : 'upstream-broken');
}
