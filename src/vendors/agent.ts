/** The connections to vendors. */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { isVendors } from './addresses.ts';

export interface AgentOptions {
  /** Milliseconds for a connection to be made: its name resolved, TLS spoken. */
  readonly connect: number;
  /** Hosts that are on the public internet, as everybody knows. */
  readonly publicHosts: ReadonlySet<string>;
  /** How names are resolved; not cached, so that what is repaired is reached at once. */
  readonly lookup?: Resolve;
  /** Told when a name stood for nothing but addresses that must not be asked. */
  readonly onRefused?: () => void;
}

/** As `dns.lookup` does it. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export function openAgent({
  connect,
  publicHosts,
  lookup: resolve = lookup,
  onRefused,
}: AgentOptions): Agent {
  return new Agent({
    connect: { timeout: connect, lookup: checkedLookup(publicHosts, resolve, onRefused) },
    // Shorter than any vendor's own, so that a socket is not closed under a request.
    keepAliveTimeout: 4_000,
    // A connection is one answer's alone: one that stalls or breaks takes no other with it.
    allowH2: false,
  });
}

/** Resolves names, and gives no address that must not be asked: checked when it connects, not before. */
export function checkedLookup(
  publicHosts: ReadonlySet<string>,
  resolve: Resolve,
  onRefused: () => void = () => {},
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => isVendors(address, publicHosts.has(hostname)));
      const [first] = good;
      if (first === undefined) {
        if (addresses.length > 0) onRefused();
        return callback(new Error('The name has no address that may be asked.'), '', 0);
      }
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}
