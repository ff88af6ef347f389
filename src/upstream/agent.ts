/** The connections to vendors. */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { mayBeAsked } from './addresses.ts';

export interface AgentOptions {
  /** Milliseconds for a connection to be made: its name resolved, TLS spoken. */
  readonly connect: number;
  /** Hosts that are on the public internet, as everybody knows. */
  readonly publicHosts: ReadonlySet<string>;
  /** What stands between here and the vendors. */
  readonly proxy?: VendorProxy;
  /** How names are resolved; not cached, so that what is repaired is reached at once. */
  readonly lookup?: Resolve;
  /** Told when a name stood for nothing but addresses that must not be asked. */
  readonly onRefused?: () => void;
}

/** A proxy that gives tunnels (RFC 9110, 9.3.6) to vendors at https addresses. */
export interface VendorProxy {
  readonly url: string;
  /** Hosts that are asked directly, as NO_PROXY lists them; this machine always is. */
  readonly except: string;
}

/** As `dns.lookup` does it. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Keeps connections between requests, and none to an address that must not be asked. To be destroyed at the end. */
export function openAgent({
  connect,
  publicHosts,
  proxy,
  lookup: resolve = lookup,
  onRefused,
}: AgentOptions): Dispatcher {
  const options: Agent.Options = {
    connect: { timeout: connect, lookup: checkedLookup(publicHosts, resolve, onRefused) },
    // Shorter than any vendor's own, so that a socket is not closed under a request.
    keepAliveTimeout: 4_000,
    // A connection is one answer's alone: one that stalls or breaks takes no other with it.
    allowH2: false,
  };
  if (proxy === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    // It resolves the names of vendors, too.
    httpsProxy: proxy.url,
    connectTimeout: connect,
    // Given, so that undici does not look for them in the environment.
    httpProxy: '',
    noProxy: `${LOOPBACK} ${proxy.except}`,
  });
}

/** This machine is never reached through a proxy. */
export const LOOPBACK = 'localhost 127.0.0.1 ::1';

/** Resolves names, and gives no address that must not be asked: checked when it connects, not before. */
export function checkedLookup(
  publicHosts: ReadonlySet<string>,
  resolve: Resolve,
  onRefused: () => void = () => {},
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => mayBeAsked(address, publicHosts.has(hostname)));
      const [first] = good;
      if (first === undefined) {
        if (addresses.length > 0) onRefused();
        return callback(new Error('The name resolves to no address that the gateway may connect to.'), '', 0);
      }
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}
