/** What callers are called, and what claims must be. */

import { describe, expect, test } from 'vitest';
import { callerName, claimAt, claimNotMet, type Required } from '../../src/identities/claims.ts';
import { keyName } from '../../src/store/key-settings.ts';

describe('a name', () => {
  test.each([
    ['alice@example.com', 'okta/alice@example.com'],
    ['system:serviceaccount:team:runner', 'okta/system:serviceaccount:team:runner'],
    ['repo:octo-org/octo-repo:ref:refs/heads/main', 'okta/repo:octo-org/octo-repo:ref:refs/heads/main'],
    ['auth0|507f1f77bcf86cd799439011', 'okta/auth0|507f1f77bcf86cd799439011'],
    ['Zoë Żółć 日本 👩', 'okta/Zoë Żółć 日本 👩'],
    [1234567, 'okta/1234567'],
  ])('%j is %s', (value, name) => {
    expect(callerName('okta', value)).toBe(name);
  });

  test.each([undefined, null, '', true, {}, ['alice'], { sub: 'alice' }])('%j is none', (value) => {
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
  ])('%j is written otherwise: short, in characters that can be stored, and by its hash', (value) => {
    const name = callerName('okta', value) ?? '';
    expect(name).toMatch(/^okta\/[\p{L}\p{N}\p{P}\p{S}]*…[0-9a-f]{32}$/u);
    expect(name.length).toBeLessThanOrEqual(200);
    expect(name.isWellFormed()).toBe(true);
  });

  test('is no other’s', () => {
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

  test('is never that of a stored key', () => {
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
])('of what is required, %j, not met is %s', (required, notMet) => {
  expect(claimNotMet(CLAIMS, required)).toBe(notMet);
});
