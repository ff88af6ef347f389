/** Addresses that are no vendor's, and those that only a configuration may mean. */

import { BlockList, isIP, isIPv6 } from 'node:net';

/** This host, by no name of its own (RFC 6890). */
const THIS_HOST = blockList(['0.0.0.0/8'], ['::/128']);

/** This link, where clouds tell their secrets, and everybody (RFC 6890). */
const NOBODYS = blockList(
  ['169.254.0.0/16', '100.100.100.200/32', '224.0.0.0/4', '255.255.255.255/32'],
  ['fe80::/10', 'fd00:ec2::254/128', 'ff00::/8'],
);

/** Addresses inside: whoever configures a name may mean one, but the name of a public service never stands for one. */
const INSIDE = blockList(
  ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['::1/128', 'fc00::/7'],
);

/** Whether an address may be asked where a name stands for it. @param isPublic whether it is the name of a public service. */
export function mayBeAsked(address: string, isPublic: boolean): boolean {
  return !isIn(NOBODYS, address) && !isIn(THIS_HOST, address) && !(isPublic && isIn(INSIDE, address));
}

/** Whether an address is of this machine, this link or a private network: nobody outside is to know of it. */
export function isInside(address: string): boolean {
  return isIn(INSIDE, address) || isIn(NOBODYS, address) || isIn(THIS_HOST, address);
}

/** Whether the host of a URL is an address that no vendor has, however it is written: URLs know one way only. */
export function isNobodys(url: string): boolean {
  const { hostname } = new URL(url);
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) !== 0 && isIn(NOBODYS, address);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
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
