/** Addresses that no vendor has, and those that only a configured name may resolve to. */

import { BlockList, isIP, isIPv6 } from 'node:net';

/** This host, without a name of its own (RFC 6890). */
const THIS_HOST = blockList(['0.0.0.0/8'], ['::/128']);

/** The local link, where clouds serve their secrets, and multicast and reserved addresses (RFC 6890). */
const RESERVED = blockList(
  [
    '169.254.0.0/16',
    '100.100.100.200/32',
    // Azure's host, which serves virtual machines their settings (Microsoft, "What is IP address 168.63.129.16?").
    '168.63.129.16/32',
    // Protocol assignments. Oracle Cloud serves secrets at 192.0.0.192.
    '192.0.0.0/24',
    '224.0.0.0/4',
    '255.255.255.255/32',
  ],
  ['fe80::/10', 'fd00:ec2::254/128', 'ff00::/8'],
);

/** Private addresses. A name in the configuration may mean one, but the name of a public service never does. */
const PRIVATE = blockList(
  ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '240.0.0.0/4'],
  // These include local NAT64 (RFC 8215) and site-local addresses (RFC 3879).
  ['::1/128', '64:ff9b:1::/48', 'fc00::/7', 'fec0::/10'],
);

/**
 * Whether the gateway may connect to an address that a name resolves to.
 * @param isPublic whether it is the name of a public service.
 */
export function isAllowed(address: string, isPublic: boolean): boolean {
  return !isIn(RESERVED, address) && !isIn(THIS_HOST, address) && !(isPublic && isIn(PRIVATE, address));
}

/** Whether an address belongs to this machine, this link or a private network; it must not be shown to callers. */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address) || isIn(RESERVED, address) || isIn(THIS_HOST, address);
}

/** Whether the host of a URL is an address that no vendor has, however it is written: URL parsing normalizes it. */
export function isReserved(url: string): boolean {
  const { hostname } = new URL(url);
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) !== 0 && isIn(RESERVED, address);
}

/** An IPv6 address that leads to an IPv4 address is in each list that contains the IPv4 address. */
function isIn(list: BlockList, address: string): boolean {
  if (!isIPv6(address)) return list.check(address, 'ipv4');
  const behind = addressBehind(address);
  return list.check(address, 'ipv6') || (behind !== undefined && list.check(behind, 'ipv4'));
}

/**
 * The IPv4 address that an IPv6 address carries, and to which a router forwards its traffic: NAT64 (RFC 6052), 6to4
 * (RFC 3056), Teredo (RFC 4380) and the IPv4-compatible form (RFC 4291, 2.5.5.1). BlockList itself handles the
 * IPv4-mapped form.
 */
function addressBehind(address: string): string | undefined {
  const groups = parseGroups(address);
  const [first, second = 0, third = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  if (first === 0x2002) return dotted(second, third);
  if (first === 0x2001 && second === 0) return dotted(high ^ 0xffff, low ^ 0xffff);
  const isNat64 = first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  // `::` and `::1` stand for themselves.
  const isCompatible = high !== 0 && groups.slice(0, 6).every((group) => group === 0);
  return isNat64 || isCompatible ? dotted(high, low) : undefined;
}

/** The eight groups of an IPv6 address as numbers. URL parsing writes each address in one way, without dots. */
function parseGroups(address: string): readonly number[] {
  const [bare = ''] = address.split('%', 1);
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const numbers = (text = ''): number[] =>
    text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
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
