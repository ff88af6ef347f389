import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findPrincipal, joinKeys, MAX_REVOKED, openKeyRegistry, openKeys } from '../../src/access/keys.ts';
import { groupsByName } from '../../src/access/principal.ts';
import { haveDistinctModels } from '../../src/store/keys/key-limits.ts';
import { hashKey, makeKey } from '../../src/store/keys/key-secret.ts';
import { startGateway } from '../support/gateway.ts';

describe('keys', () => {
  test('a new key is unique, and is found by its full value only', () => {
    const made = makeKey();
    const keys = openKeys([{ name: 'a', hash: hashKey(made) }]);
    expect(made).toMatch(/^gw_[\w-]{43}_[0-9a-f]{8}$/);
    expect(makeKey()).not.toBe(made);
    expect(findPrincipal(keys, made)?.name).toBe('a');
    expect(findPrincipal(keys, `${made} `)).toBeUndefined();
    expect(findPrincipal(keys, hashKey(made))).toBeUndefined();
    expect(findPrincipal(keys, '')).toBeUndefined();
  });

  test('of the revoked keys, a bounded number is remembered: the last ones', () => {
    const keys = openKeyRegistry();
    for (let index = 0; index <= MAX_REVOKED; index += 1)
      keys.addRevoked({ name: `key-${index}`, hash: hashKey(`${index}`) });
    expect(keys.findEnded(hashKey('0')).revoked).toBeUndefined();
    expect(keys.findEnded(hashKey('1')).revoked).toBe('key-1');
    expect(keys.findEnded(hashKey(`${MAX_REVOKED}`)).revoked).toBe(`key-${MAX_REVOKED}`);
  });

  test.each([
    [undefined, 'openai/gpt-4o', true],
    [[], 'openai/gpt-4o', false],
    [['openai/gpt-4o'], 'openai/gpt-4o', true],
    [['OpenAI/GPT-4o'], 'openai/gpt-4o', true],
    [['openai/gpt-4o'], 'openai/gpt-4o-mini', false],
    [['openai/*'], 'openai/gpt-4o', true],
    [['openai/*'], 'openai2/gpt-4o', false],
    [['open/*'], 'openai/gpt-4o', false],
    [['anthropic/*', 'openai/gpt-4o'], 'openai/gpt-4o', true],
  ])('restricted to %j, %s: %s', (models, id, allowed) => {
    const keys = openKeys([{ name: 'a', hash: hashKey('secret-key'), ...(models && { models }) }]);
    expect(findPrincipal(keys, 'secret-key')?.allows(id, () => [])).toBe(allowed);
  });

  test('an expired key is unknown', () => {
    const hash = hashKey('secret-key');
    expect(
      findPrincipal(openKeys([{ name: 'a', hash, expires: Date.now() + 60_000 }]), 'secret-key')?.name,
    ).toBe('a');
    expect(findPrincipal(openKeys([{ name: 'a', hash, expires: Date.now() }]), 'secret-key')).toBeUndefined();
  });

  test('a holder has the limits of the key', () => {
    const hash = hashKey('secret-key');
    const limits = { requestsPerMinute: 3, budgetMonth: 12.5 };
    expect(findPrincipal(openKeys([{ name: 'a', hash, limits }]), 'secret-key')?.limits).toEqual(limits);
    expect(findPrincipal(openKeys([{ name: 'a', hash }]), 'secret-key')?.limits).toEqual({});
  });

  test('a key in a group is bound by the models and limits of both', () => {
    const hash = hashKey('secret-key');
    const limits = { budgetMonth: 500 };
    const allowed = (own: readonly string[] | undefined, group: readonly string[] | undefined) => {
      const found = openKeys(
        [{ name: 'a', hash, group: 'search', ...(own && { models: own }) }],
        [{ name: 'search', limits, ...(group && { models: group }) }],
      ).findByHash(hashKey('secret-key'));
      expect(found?.group).toEqual({ name: 'search', limits });
      expect(found?.restricted).toBe((own ?? group) !== undefined);
      return ['openai/a', 'openai/b', 'google/c'].filter((id) => found?.allows(id, () => []));
    };
    expect(allowed(undefined, undefined)).toEqual(['openai/a', 'openai/b', 'google/c']);
    expect(allowed(['openai/a', 'google/c'], undefined)).toEqual(['openai/a', 'google/c']);
    expect(allowed(undefined, ['openai/*'])).toEqual(['openai/a', 'openai/b']);
    expect(allowed(['openai/a', 'google/c'], ['openai/*'])).toEqual(['openai/a']);
    expect(allowed(['openai/a'], [])).toEqual([]);
    expect(findPrincipal(openKeys([{ name: 'a', hash, group: 'search' }]), 'secret-key')).toBeUndefined();
  });

  test('a change to a group applies to all of its keys', () => {
    const book = openKeyRegistry();
    book.set('one', [{ name: 'one', hash: hashKey('key-one'), group: 'search' }]);
    book.set('two', [{ name: 'two', hash: hashKey('key-two'), group: 'search' }]);
    book.setGroups(groupsByName([{ name: 'search', limits: { budgetDay: 1 } }]));
    const found = findPrincipal(book, 'key-one');
    expect(found?.group?.limits).toEqual({ budgetDay: 1 });
    // A repeated lookup creates no new objects.
    expect(findPrincipal(book, 'key-one')).toBe(found);
    book.setGroups(groupsByName([{ name: 'search', limits: { budgetDay: 2 } }]));
    for (const key of ['key-one', 'key-two'])
      expect(findPrincipal(book, key)?.group?.limits).toEqual({ budgetDay: 2 });
    book.setGroups(groupsByName([]));
    for (const key of ['key-one', 'key-two']) expect(findPrincipal(book, key)).toBeUndefined();
  });

  test('a holder’s previous keys stop working once it has others, or none', () => {
    const book = openKeyRegistry();
    const recordOf = (key: string) => ({ name: key, hash: hashKey(key) });
    book.set('one', ['a', 'b'].map(recordOf));
    book.set('two', ['c'].map(recordOf));
    book.set('one', ['b', 'd'].map(recordOf));
    const open = () => ['a', 'b', 'c', 'd'].filter((key) => findPrincipal(book, key) !== undefined);
    expect(open()).toEqual(['b', 'c', 'd']);
    book.set('one', []);
    expect(open()).toEqual(['c']);
    book.set('one', ['a'].map(recordOf));
    expect(open()).toEqual(['a', 'c']);
  });

  test('a key that has moved to another holder is not removed by its previous one', () => {
    const book = openKeyRegistry();
    book.set('one', [{ name: 'first', hash: hashKey('key') }]);
    book.set('two', [{ name: 'second', hash: hashKey('key') }]);
    expect(findPrincipal(book, 'key')?.name).toBe('second');
    book.set('one', []);
    expect(findPrincipal(book, 'key')?.name).toBe('second');
    book.set('two', []);
    expect(findPrincipal(book, 'key')).toBeUndefined();
  });

  test('limits by model come from the key and from its group, each under its own name', () => {
    const ofKey = [{ models: ['OpenAI/B', 'openai/a', 'openai/b'], requestsPerMinute: 3 }];
    const ofGroup = [{ models: ['openai/*'], budgetDay: 5 }];
    const found = openKeys(
      [{ name: 'a', hash: hashKey('key'), group: 'search', modelLimits: ofKey }],
      [{ name: 'search', modelLimits: ofGroup }],
    ).findByHash(hashKey('key'));
    expect(found?.modelLimits).toMatchObject([
      {
        name: 'a\nopenai/a openai/b',
        of: 'a',
        models: 'openai/a, openai/b',
        limits: { requestsPerMinute: 3 },
      },
    ]);
    expect(found?.group?.modelLimits).toMatchObject([
      { name: 'search\nopenai/*', of: 'search', models: 'openai/*', limits: { budgetDay: 5 } },
    ]);
    for (const holder of [found, found?.group]) {
      expect(holder?.modelLimits?.[0]?.allows('openai/a', () => [])).toBe(true);
      expect(holder?.modelLimits?.[0]?.allows('google/c', () => [])).toBe(false);
    }
    expect(
      findPrincipal(openKeys([{ name: 'a', hash: hashKey('key'), modelLimits: [] }]), 'key'),
    ).not.toHaveProperty('modelLimits');
  });

  test('two limits cover the same models in whatever order those are listed', () => {
    expect(haveDistinctModels([])).toBe(true);
    expect(haveDistinctModels([{ models: ['a/b'] }, { models: ['a/c'] }])).toBe(true);
    expect(haveDistinctModels([{ models: ['a/b', 'a/c'] }, { models: ['A/C', 'a/b', 'a/c'] }])).toBe(false);
  });

  test('with several sources, the first one that knows a key decides whose it is', () => {
    const [one, two] = ['key-one', 'key-two'].map(hashKey);
    const keys = joinKeys(
      openKeys([{ name: 'first', hash: one ?? '' }]),
      openKeys([one, two].map((hash) => ({ name: 'second', hash: hash ?? '' }))),
    );
    expect(findPrincipal(keys, 'key-one')?.name).toBe('first');
    expect(findPrincipal(keys, 'key-two')?.name).toBe('second');
    expect(findPrincipal(keys, 'key-three')).toBeUndefined();
  });
});

test('a key of the configuration is accepted by its hash alone, until it expires, and for its models only', async () => {
  const models = ['openai/gpt-4.1'];
  const gateway = await startGateway({
    keys: [
      { name: 'hashed', hash: hashKey('the-key-by-its-hash') },
      { name: 'over', key: 'the-key-that-is-over', expires: '2020-01-31T00:00:00Z' },
      { name: 'not-yet', key: 'the-key-that-ends-late', expires: '2999-12-31T00:00:00+02:00' },
      { name: 'narrow', key: 'the-key-for-one-model', models },
    ],
  });
  const listed = async (key: string): Promise<readonly string[] | number> => {
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = JSON.parse(await response.text());
    return response.status === 200 ? data.map(({ id }: { readonly id: string }) => id) : response.status;
  };
  try {
    const all = await listed('the-key-by-its-hash');
    expect(all).toEqual(expect.arrayContaining(models));
    expect(await listed('the-key-that-ends-late')).toEqual(all);
    expect(await listed('the-key-for-one-model')).toEqual(models);
    expect(await listed('the-key-that-is-over')).toBe(401);
    expect(await listed(hashKey('the-key-by-its-hash'))).toBe(401);
  } finally {
    await gateway.close();
  }
});

describe('secrets are compared in constant time', () => {
  const sources = globSync('src/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  test.each([
    ['src/access/keys.ts', "!timingSafeEqual(Buffer.from(found.hash, 'hex'), "],
    ['src/server/http/admin/authenticate-admin.ts', 'if (timingSafeEqual('],
  ])('%s compares with timingSafeEqual', (path, decision) => {
    expect(readFileSync(path, 'utf8')).toContain(decision);
  });

  test('no digest is compared in any other way', () => {
    const quick =
      /\b(?:digest|hash|mac|hashKey\([^)]*\))\)? *(?:[!=]==? *(?!undefined|null|'|\d)\w|\.equals\()|[!=]==? *(?:\w+\.)?(?:digest|mac|hashKey\()/;
    for (const line of ['found.digest !== digest', 'hash === hashKey(key)', 'found.digest.equals(other)'])
      expect(line).toMatch(quick);
    const found = sources.flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => quick.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});
