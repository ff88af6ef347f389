/** The networks in a NO_PROXY list (`10.0.0.0/8`, `fd00::/8`), whose addresses are reached without the proxy. */

import { BlockList, isIP } from 'node:net';

/** The entries of a NO_PROXY list, which commas or spaces separate. */
function splitEntries(except: string): readonly string[] {
  return except.split(/[,\s]+/).filter((entry) => entry !== '');
}

/** The first entry with a slash that is not a network; undefined if all are. */
export function findInvalidNetwork(except: string): string | undefined {
  return splitEntries(except).find((entry) => entry.includes('/') && parseNetwork(entry) === undefined);
}

/**
 * Finds the origins whose host is an address in one of the networks of a NO_PROXY list. As in Go and curl, a name is
 * never resolved for this: behind many proxies the gateway could not resolve it.
 * @returns undefined if the list has no network.
 */
export function directNetworks(except: string): ((origin: string) => boolean) | undefined {
  const networks = splitEntries(except).flatMap((entry) => parseNetwork(entry) ?? []);
  if (networks.length === 0) return undefined;
  const list = new BlockList();
  for (const { address, bits, family } of networks) list.addSubnet(address, bits, family);
  return (origin) => {
    const { hostname } = new URL(origin);
    const address = hostname.replace(/^\[(.*)\]$/, '$1');
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** A network in CIDR notation; undefined for any other text. */
function parseNetwork(entry: string): Network | undefined {
  const [, address = '', digits = ''] = /^\[?([^/\]]+)\]?\/(\d{1,3})$/.exec(entry) ?? [];
  const version = isIP(address);
  const bits = Number(digits);
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return undefined;
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}
