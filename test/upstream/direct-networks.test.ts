/** The networks of NO_PROXY. */

import { expect, test } from 'vitest';
import { directNetworks, findInvalidNetwork } from '../../src/upstream/direct-networks.ts';

test.each<[string, string, boolean]>([
  ['10.0.0.0/8', 'https://10.255.0.1', true],
  ['10.0.0.0/8', 'https://11.0.0.1', false],
  ['a.test, 10.1.2.0/23', 'https://10.1.3.9:8443', true],
  ['a.test 10.1.2.0/23', 'https://10.1.4.9', false],
  ['192.0.2.7/32', 'https://192.0.2.7', true],
  ['0.0.0.0/0', 'https://198.51.100.1', true],
  ['fd00::/8', 'https://[fd12::1]:443', true],
  ['[fd00::]/8', 'https://[fd12::1]', true],
  ['fd00::/8', 'https://[fe80::1]', false],
  ['10.0.0.0/8', 'https://[fd12::1]', false],
  // A name is not resolved.
  ['0.0.0.0/0', 'https://vendor.test', false],
])('%s has %s: %s', (except, origin, expected) => {
  expect(directNetworks(except)?.(origin)).toBe(expected);
});

test('a list without a network needs no check', () => {
  expect(directNetworks('a.test, .b.test, 10.0.0.1, ::1')).toBeUndefined();
});

test.each([['10.0.0.0/33'], ['10.0.0/8'], ['a.test/8'], ['fd00::/129'], ['10.0.0.0/'], ['/8']])(
  '%s is no network',
  (entry) => {
    expect(findInvalidNetwork(`a.test,${entry}`)).toBe(entry);
  },
);
