/** Tokens that were found to be good, so that nothing is verified, or waited for, when they come again. */

import { hashKey } from '../../store/key-secret.ts';
import type { Principal } from '../principal.ts';

export interface Remembered {
  /** Whose token it is; undefined where it has not come before, or too long ago. */
  of(token: string): Principal | undefined;
  /** @param until milliseconds since 1970. */
  add(token: string, principal: Principal, until: number): void;
}

/** So many are remembered, a few MB; beyond that those that were first are forgotten first. */
const MOST = 10_000;

/** Only hashes are kept. */
export function openRemembered(): Remembered {
  const known = new Map<string, { readonly principal: Principal; readonly until: number }>();
  return {
    of(token) {
      if (known.size === 0) return undefined;
      const hash = hashKey(token);
      const found = known.get(hash);
      if (found === undefined || Date.now() < found.until) return found?.principal;
      known.delete(hash);
      return undefined;
    },
    add(token, principal, until) {
      const [oldest] = known.keys();
      if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
      known.set(hashKey(token), { principal, until });
    },
  };
}
