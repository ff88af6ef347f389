/** How callers are named, and how claims are checked. */

import { describe, expect, test } from 'vitest';
import {
  callerName,
  claimAt,
  claimNotMet,
  claimsIn,
  groupsNamed,
  isUnproven,
  type Required,
} from '../../../src/access/identities/claims.ts';
import { keyName } from '../../../src/store/keys/key-settings.ts';

describe('a name', () => {
  test.each([
    ['alice@example.com', 'okta/alice@example.com'],
    ['system:serviceaccount:team:runner', 'okta/system:serviceaccount:team:runner'],
    ['repo:octo-org/octo-repo:ref:refs/heads/main', 'okta/repo:octo-org/octo-repo:ref:refs/heads/main'],
    ['auth0|507f1f77bcf86cd799439011', 'okta/auth0|507f1f77bcf86cd799439011'],
    ['Zoë Żółć 日本 👩', 'okta/Zoë Żółć 日本 👩'],
    [1234567, 'okta/1234567'],
  ])('the name of %j is %s', (value, name) => {
    expect(callerName('okta', value)).toBe(name);
  });

  test.each([undefined, null, '', true, {}, ['alice'], { sub: 'alice' }])('%j is not a name', (value) => {
    expect(callerName('okta', value)).toBeUndefined();
  });

  test.each([
    'x'.repeat(10_000),
    'x'.repeat(196),
    'a\0b',
    'a\nb',
    'a\u202eb',
    'a\ud800b',
    'a…b',
    '\x1b[2J',
    '\u2028',
    '\ufeff',
    'x'.repeat(161) + '👩'.repeat(100),
  ])('%j is written in another form: short, in characters that can be stored, with its hash', (value) => {
    const name = callerName('okta', value) ?? '';
    expect(name).toMatch(/^okta\/[\p{L}\p{N}\p{P}\p{S}]*…[0-9a-f]{32}$/u);
    expect(name.length).toBeLessThanOrEqual(200);
    expect(name.isWellFormed()).toBe(true);
  });

  test('it differs from the name of every other caller', () => {
    const long = 'x'.repeat(300);
    const cut = callerName('okta', long) ?? '';
    const values = [
      long,
      `${long}x`,
      cut.slice('okta/'.length),
      'a\0b',
      'a\x01b',
      'a_b',
      'a b',
      'A_b',
      'a…b',
    ];
    expect(new Set(values.map((value) => callerName('okta', value))).size).toBe(values.length);
    expect(callerName('okta', 'a')).not.toBe(callerName('entra', 'a'));
  });

  test('it never equals the name of a stored key', () => {
    for (const value of ['team', '1', 'a b', 'x'.repeat(40)])
      expect(keyName.safeParse(callerName('okta', value)).success).toBe(false);
  });
});

const CLAIMS = {
  sub: 'alice',
  groups: ['a', 'b'],
  admin: true,
  tid: 7,
  scp: 'read write',
  title: 'read write',
  realm_access: { roles: ['user', 'developer'] },
  'kubernetes.io': { namespace: 'team', serviceaccount: { name: 'runner' } },
  'https://example.com/roles': ['x'],
  'a.b': 'own',
  a: { b: 'inner', c: 1 },
  none: null,
};

test.each<[string, unknown]>([
  ['sub', 'alice'],
  ['realm_access.roles', ['user', 'developer']],
  ['kubernetes.io.namespace', 'team'],
  ['kubernetes.io.serviceaccount.name', 'runner'],
  ['https://example.com/roles', ['x']],
  ['a.b', 'own'],
  ['a.c', 1],
  ['sub.length', undefined],
  ['groups.0', undefined],
  ['none.x', undefined],
  ['constructor', undefined],
  ['__proto__.sub', undefined],
  ['realm_access.constructor', undefined],
  ['.', undefined],
])('the claim %s', (path, value) => {
  expect(claimAt(CLAIMS, path)).toEqual(value);
});

test.each<[Readonly<Record<string, Required>>, string | undefined]>([
  [{}, undefined],
  [{ sub: 'alice' }, undefined],
  [{ sub: ['bob', 'alice'] }, undefined],
  [{ sub: 'Alice' }, 'sub'],
  [{ groups: 'b' }, undefined],
  [{ groups: ['c', 'a'] }, undefined],
  [{ groups: 'a,b' }, 'groups'],
  [{ admin: true }, undefined],
  [{ admin: 'true' }, 'admin'],
  [{ tid: 7 }, undefined],
  [{ tid: '7' }, 'tid'],
  [{ scp: 'write' }, undefined],
  [{ scp: 'writ' }, 'scp'],
  [{ title: 'read' }, 'title'],
  [{ 'realm_access.roles': 'developer' }, undefined],
  [{ 'realm_access.roles': 'admin' }, 'realm_access.roles'],
  [{ 'kubernetes.io.namespace': 'team' }, undefined],
  [{ missing: '' }, 'missing'],
  [{ sub: 'alice', groups: 'z', tid: 8 }, 'groups'],
])('of the required claims %j, %s is not met', (required, notMet) => {
  expect(claimNotMet(CLAIMS, required)).toBe(notMet);
});

const tokenOf = (claims: string): string => `e30.${Buffer.from(claims).toString('base64url')}.c2ln`;

test.each([
  ['7', 7],
  ['7.0', 7],
  ['-12', -12],
  ['0.25', 0.25],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', '9007199254740992'],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['9007199254740990.6', '9007199254740990.6'],
  ['0.1000000000000000055', '0.1000000000000000055'],
  ['1e999', '1e999'],
])('a claim with the number %s is %j', (written, claim) => {
  const claims = claimsIn(tokenOf(`{"sub":${written},"within":{"ids":[${written}]}}`));
  expect(claims).toEqual({ sub: claim, within: { ids: [claim] } });
  expect(callerName('okta', claims['sub'])).toBe(`okta/${String(claim)}`);
});

test('a required number with too many digits is written as text, and no other number matches it', () => {
  const claims = claimsIn(tokenOf('{"tid":9007199254740993}'));
  expect(claimNotMet(claims, { tid: '9007199254740993' })).toBeUndefined();
  expect(claimNotMet(claims, { tid: '9007199254740992' })).toBe('tid');
  expect(claimNotMet(claims, { tid: 9007199254740992 })).toBe('tid');
});

test.each<[unknown, readonly string[]]>([
  ['a', ['a']],
  [7, ['7']],
  [
    ['a', 'b', 7],
    ['a', 'b', '7'],
  ],
  [undefined, []],
  [null, []],
  [true, []],
  [{ toString: 'x' }, []],
  [['a', { toString: 'x' }, [{ toString: null }], null], ['a']],
])('the groups of %j', (claim, names) => {
  expect(groupsNamed(claim)).toEqual(names);
});

test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['email', {}, false],
  ['email', { email_verified: true }, false],
  ['email', { email_verified: 'true' }, false],
  ...[false, 'false', 'False', 'FALSE', 'no', '0', '', 'TRUE', 0, 1, null, [true], {}].map(
    (said): [string, Readonly<Record<string, unknown>>, boolean] => ['email', { email_verified: said }, true],
  ),
  ['sub', { email_verified: false }, false],
  ['user.email', { user: { email_verified: false } }, true],
  ['user.email', { user: { email_verified: true } }, false],
  ['https://example.com/email', { 'https://example.com/email_verified': 'no' }, true],
  ['https://example.com/email', { email_verified: false }, true],
  ['contact_email', { email_verified: false }, false],
])('whether the subject %s of %j is unverified: %s', (subject, claims, unproven) => {
  expect(isUnproven(subject, claims)).toBe(unproven);
});
