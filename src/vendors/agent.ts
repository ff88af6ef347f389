/** The connections to vendors. */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import { Agent } from 'undici';

export interface AgentOptions {
  /** Milliseconds for a connection to be made: its name resolved, TLS spoken. */
  readonly connect: number;
  /** Hosts that are on the public internet, as everybody knows. */
  readonly publicHosts: ReadonlySet<string>;
  /** How names are resolved; not cached, so that what is repaired is reached at once. */
  readonly lookup?: Resolve;
}

/** As `dns.lookup` does it. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export function openAgent({ connect, publicHosts, lookup: resolve = lookup }: AgentOptions): Agent {
  return new Agent({
    connect: { timeout: connect, lookup: checkedLookup(publicHosts, resolve) },
    // Shorter than any vendor's own, so that a socket is not closed under a request.
    keepAliveTimeout: 4_000,
    // A connection is one answer's alone: one that stalls or breaks takes no other with it.
    allowH2: false,
  });
}

/** Addresses that are no vendor's: this host, this link (where clouds tell their secrets), everybody (RFC 6890). */
const NOBODYS = blockList(
  ['0.0.0.0/8', '169.254.0.0/16', '100.100.100.200/32', '224.0.0.0/4', '255.255.255.255/32'],
  ['::/128', 'fe80::/10', 'fd00:ec2::254/128', 'ff00::/8'],
);

/** Addresses inside: whoever configures a name may mean one, but the name of a public service never stands for one. */
const INSIDE = blockList(
  ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['::1/128', 'fc00::/7'],
);

/** Resolves names, and gives no address that must not be asked: checked when it connects, not before. */
export function checkedLookup(publicHosts: ReadonlySet<string>, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter((address) => isVendors(address, publicHosts.has(hostname)));
      const [first] = good;
      if (first === undefined)
        return callback(new Error('The name has no address that may be asked.'), '', 0);
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}

function isVendors({ address }: LookupAddress, isPublic: boolean): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return !NOBODYS.check(address, family) && !(isPublic && INSIDE.check(address, family));
}

function blockList(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (family: 'ipv4' | 'ipv6') => (range: string) => {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  };
  v4.forEach(add('ipv4'));
  v6.forEach(add('ipv6'));
  return list;
}
