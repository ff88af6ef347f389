/** `gateway groups`, and keys that belong to a group. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createGroup } from '../../src/store/keys/groups.ts';
import { hashKey } from '../../src/store/keys/key-secret.ts';
import { createKey } from '../../src/store/keys/keys.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { keyRecords } from '../support/key-records.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-groups-'));
});
afterEach(() => rm(directory, { recursive: true }));

const run = (...words: string[]): Promise<CommandResult> => runCommand(directory, words);

async function withStore<R>(use: (store: Store) => Promise<R>): Promise<R> {
  const store = await openStore({ path: join(directory, '.gateway', 'gateway.db') });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

test('a group from its creation to its deletion', async () => {
  const made = await run(
    'groups',
    'create',
    'search',
    '--budget-month=500',
    '--models',
    'openai/*,openai/gpt-nope',
  );
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect(made.stderr).toBe(
    'Note: the catalog has no model openai/gpt-nope (see "gateway models").\n' +
      "Created the group search. Add keys with: gateway keys create NAME --group 'search'\n",
  );
  const key = await run('keys', 'create', 'ranker', '--group', 'search');
  expect(await withStore(keyRecords)).toEqual([
    { name: 'ranker', hash: hashKey(key.stdout.trim()), group: 'search', limits: {} },
  ]);
  expect((await run('keys', 'list')).stdout).toMatch(
    /^name +id +key +state +group +req\/min.*\nranker .* active +search /,
  );
  const byModel = 'openai/* openai/o3 requests-per-minute=10 budget-day=5; google/* budget-month=2';
  expect(
    await run(
      'groups',
      'change',
      'search',
      '--requests-per-minute=60',
      '--models=any',
      '--model-limits',
      byModel,
    ),
  ).toMatchObject({ code: 0, stderr: 'Changed the group search.\n' });
  for (const wrong of ['openai/*', 'budget-day=5', 'openai/* budget-day=much']) {
    const refused = await run('groups', 'change', 'search', '--model-limits', wrong);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('--model-limits: ');
  }
  const [head, row] = (await run('groups', 'list')).stdout.split('\n');
  expect(head).toMatch(
    /^name +req\/min +tok\/min +at once +\$\/day +\$\/week +\$\/month +\$ total +reserve +models +stored +by model$/,
  );
  expect(row).toMatch(/^search +60 +- +- +- +- +500 +- +- +any +all +openai/);
  expect(row?.endsWith(byModel)).toBe(true);
  expect(JSON.parse((await run('groups', 'list', '--json')).stdout)).toMatchObject([
    { object: 'group', name: 'search', models: null, budget_month: 500 },
  ]);
  expect(await run('groups', 'delete', 'search')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'The group search still has keys that are not revoked: 1. First move them to another group, or to none: gateway keys change NAME --group none\n',
  });
  expect(await run('keys', 'change', 'ranker', '--group', 'none')).toMatchObject({ code: 0 });
  expect(await run('groups', 'delete', 'search')).toMatchObject({
    code: 0,
    stderr: 'Deleted the group search.\n',
  });
  expect(JSON.parse((await run('groups', 'list', '--json')).stdout)).toEqual([]);
});

test('reports what cannot be done in one line, with exit code 1', async () => {
  await withStore(async (store) => {
    await createGroup(store, 'search');
    await createKey(store, 'ci');
  });
  const refused: [string[], RegExp][] = [
    [['groups', 'create', 'search'], /^A group named search already exists\.\n$/],
    [['groups', 'create', 'none'], /^The name must be 1 to 64 .* and not be "none"\n$/],
    [['groups', 'create', 'ads', '--expires=30d'], /^Unknown option --expires\. See --help\.\n$/],
    [
      ['groups', 'create', 'ads', '--budget-day', '$5'],
      /^--budget-day: \$5 is neither a number nor "none"\.\n$/,
    ],
    [['groups', 'change', 'search'], /^Nothing to change: give at least one setting/],
    [
      ['groups', 'change', 'ads', '--budget-day=5'],
      /^There is no group ads \(see "gateway groups list"\)\.\n$/,
    ],
    [['groups', 'delete', 'ads'], /^There is no group ads \(see "gateway groups list"\)\.\n$/],
    [
      ['keys', 'create', 'other', '--group=ads'],
      /^There is no group ads\. To create it: gateway groups create 'ads'\n$/,
    ],
    [
      ['keys', 'change', 'ci', '--group=ads'],
      /^There is no group ads\. To create it: gateway groups create 'ads'\n$/,
    ],
    [['keys', 'change', 'ci', '--group=a/b'], /^--group: must be 1 to 64 /],
    [
      ['usage', '--by=group,tag'],
      /^--group: cannot be combined with tag: usage is summed up by group and by tag,/,
    ],
  ];
  for (const [words, reason] of refused) {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stdout], words.join(' ')).toEqual([1, '']);
    expect(stderr, words.join(' ')).toMatch(reason);
  }
  expect(await withStore(keyRecords)).toMatchObject([{ name: 'ci' }]);
});

test('keys and groups of the configuration are named as such: no stored group of that name is suggested', async () => {
  await writeFile(
    join(directory, 'gateway.config.json'),
    JSON.stringify({
      groups: [{ name: 'ads', limits: { budgetMonth: 5 } }],
      keys: [{ name: 'ci', key: 'a-key-of-the-configuration', group: 'ads' }],
    }),
  );
  const group =
    'The group ads is in the configuration, so only keys of the configuration can belong to it.\n';
  const key = 'The key ci is in the configuration: change it there.\n';
  for (const [said, ...words] of [
    [group, 'keys', 'create', 'other', '--group=ads'],
    [key, 'keys', 'change', 'ci', '--budget-day=5'],
    [key, 'keys', 'rotate', 'ci'],
    [key, 'keys', 'revoke', 'ci'],
  ] as const)
    expect(await run(...words), words.join(' ')).toMatchObject({ code: 1, stdout: '', stderr: said });
});
