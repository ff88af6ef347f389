/** What a vendor's refusal says in words alone, since it has no code for it. */

import type { GatewayError } from '../lib/errors.ts';

/** Whether the vendor refuses the request with one of these words. @param words in lower case */
export function refusesInWords({ fault, message }: GatewayError, words: readonly string[]): boolean {
  if (fault !== 'invalid-request') return false;
  const lower = message.toLowerCase();
  return words.some((each) => lower.includes(each));
}
