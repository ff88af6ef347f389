/** A cache of verified tokens, so that a token that comes again is neither verified nor waited for. */

import { hashKey } from '../../store/keys/key-secret.ts';
import type { Principal } from '../principal.ts';

export interface TokenCache {
  /** The principal of a token; undefined if it is unknown or has expired. */
  get(token: string): Principal | undefined;
  /** @param until milliseconds since 1970. */
  add(token: string, principal: Principal, until: number): void;
}

/** The size of the cache, which takes a few MB. The oldest entry is dropped first. */
const MAX_ENTRIES = 10_000;

/** Only hashes of tokens are kept. */
export function openTokenCache(): TokenCache {
  const known = new Map<string, { readonly principal: Principal; readonly until: number }>();
  return {
    get(token) {
      if (known.size === 0) return undefined;
      const hash = hashKey(token);
      const found = known.get(hash);
      if (found === undefined || Date.now() < found.until) return found?.principal;
      known.delete(hash);
      return undefined;
    },
    add(token, principal, until) {
      const [oldest] = known.keys();
      if (known.size >= MAX_ENTRIES && oldest !== undefined) known.delete(oldest);
      known.set(hashKey(token), { principal, until });
    },
  };
}
