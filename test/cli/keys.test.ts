import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readKeyOptions } from '../../src/cli/key-options.ts';
import { parseDuration, parseOptions } from '../../src/cli/options.ts';
import { formatDay } from '../../src/lib/calendar.ts';
import { hashKey } from '../../src/store/keys/key-secret.ts';
import { keySettings } from '../../src/store/keys/key-settings.ts';
import { createKey, revokeKey } from '../../src/store/keys/keys.ts';
import { openStore } from '../../src/store/store.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { keyRecords } from '../support/key-records.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-keys-'));
});
afterEach(() => rm(directory, { recursive: true }));

const keys = (...words: string[]): Promise<CommandResult> => runCommand(directory, ['keys', ...words]);

async function records() {
  const store = await openStore({ path: join(directory, '.gateway', 'gateway.db') });
  const all = await keyRecords(store);
  await store.close();
  return all;
}

test('an unknown model is reported, and the key may still use it', async () => {
  const models = 'openai/gpt-nope,anthropic/*,openia/*';
  const made = await keys('create', 'team', '--models', models);
  expect(made.code).toBe(0);
  expect(made.stderr).toContain('Note: the catalog has no model openai/gpt-nope (see');
  expect(made.stderr).toContain('Note: the catalog has no model openia/* (see');
  expect(made.stderr).not.toContain('anthropic');
  expect(await records()).toMatchObject([{ models: models.split(',') }]);
  expect((await keys('change', 'team', '--models', 'openai/gpt-5')).stderr).not.toContain('catalog');
});

test('unknown models of limits are reported, each once', async () => {
  const note = (model: string) => `Note: the catalog has no model ${model} (see "gateway models").\n`;
  const limits =
    'openai/nope anthropic/* budget-day=1; openai/nope antropic/* openai/gpt-5 requests-per-minute=2';
  const made = await keys('create', 'team', '--models', 'openai/nope', '--model-limits', limits);
  expect(made.code).toBe(0);
  expect(made.stderr.startsWith(note('openai/nope') + note('antropic/*'))).toBe(true);
  expect(made.stderr.match(/Note: /g)).toHaveLength(2);
  const changed = await keys('change', 'team', '--model-limits', 'openai/nop budget-day=1');
  expect(changed.stderr).toBe(`${note('openai/nop')}Changed the key team.\n`);
  expect((await keys('change', 'team', '--model-limits', 'none')).stderr).toBe('Changed the key team.\n');
});

test('an alias of a model is accepted as the model is', async () => {
  const { stderr } = await keys('create', 'team', '--models', 'openai/gpt-5.4-2026-03-05');
  expect(stderr).not.toContain('has no model');
});

test('a key from its creation to its revocation', async () => {
  const made = await keys(
    'create',
    'team blue',
    '--models',
    'openai/*',
    '--budget-day=2.5',
    '--expires',
    '2999-01-31',
  );
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gw_[\w-]{43}_[0-9a-f]{8}\n$/) });
  expect(made.stderr).toContain('team blue');
  expect(made.stderr).not.toContain('catalog');
  expect(await records()).toEqual([
    {
      name: 'team blue',
      hash: hashKey(made.stdout.trim()),
      models: ['openai/*'],
      expires: Date.parse('2999-01-31'),
      limits: { budgetDay: 2.5 },
    },
  ]);

  const rotated = await keys('rotate', 'team blue', '--grace', '1h', '--json');
  const { key, id } = JSON.parse(rotated.stdout);
  const opening = async () => (await records()).map(({ hash }) => hash);
  expect(await opening()).toEqual([hashKey(key), hashKey(made.stdout.trim())]);
  const twice = await keys('rotate', 'team blue', '--grace', '1h');
  expect(twice).toMatchObject({ code: 1, stdout: '' });
  expect(twice.stderr).toMatch(
    /^The old key of the last rotation still works until .*Z, and rotating now would end it\./,
  );
  expect(await opening()).toEqual([hashKey(key), hashKey(made.stdout.trim())]);
  const again = await keys('rotate', 'team blue', '--grace', '1h', '--again');
  expect(await opening()).toEqual([hashKey(again.stdout.trim()), hashKey(made.stdout.trim())]);

  expect(await keys('change', id, '--budget-day', 'none', '--requests-per-minute', '9')).toMatchObject({
    code: 0,
  });
  expect(await records()).toMatchObject([{ limits: { requestsPerMinute: 9 } }, {}]);

  const { stdout } = await keys('list');
  expect(stdout).toMatch(/^name +id +key +state/);
  expect(stdout).toContain('until 2999-01-31');
  expect(stdout).not.toContain(key);
  expect(await keys('revoke', 'team blue')).toMatchObject({ code: 0 });
  expect(await records()).toEqual([]);
  expect(JSON.parse((await keys('list', '--json')).stdout)).toEqual([]);
  expect(JSON.parse((await keys('list', '--json', '--all')).stdout)).toMatchObject([
    { id, name: 'team blue' },
  ]);
});

test('budgets of all periods, what requests hold of them, and limits for each tag', async () => {
  await keys(
    'create',
    'app',
    '--budget-week=7',
    '--budget-total=100',
    '--budget-reserve=longest',
    '--tag-limits=requests-per-minute=5 budget-day=0.5',
  );
  expect(await records()).toMatchObject([
    {
      limits: { budgetWeek: 7, budgetTotal: 100, budgetReserve: 'longest' },
      tagLimits: { requestsPerMinute: 5, budgetDay: 0.5 },
    },
  ]);
  expect((await keys('list')).stdout).toContain('requests-per-minute=5 budget-day=0.5');
  await keys('change', 'app', '--budget-total=none', '--budget-reserve=typical', '--tag-limits=none');
  const [changed] = await records();
  expect(changed?.limits).toEqual({ budgetWeek: 7, budgetReserve: 'typical' });
  expect(changed).not.toHaveProperty('tagLimits');
  const refused: readonly (readonly [string, string])[] = [
    ['--budget-reserve=all', '--budget-reserve: must be one of typical, longest'],
    [
      '--tag-limits=openai/*',
      '--tag-limits: "openai/*" must be limits, such as "budget-day=0.50", or "none".',
    ],
    [
      '--tag-limits=budget-total=5',
      '--tag-limits: there is no limit "budget-total". The limits are requests-per-minute, tokens-per-minute, concurrent-requests, budget-day, budget-week, budget-month.',
    ],
    ['--tag-limits=budget-day=x', '--tag-limits: budget-day=x has no number, as in budget-day=5.'],
    ['--tag-limits=budget-day=1 budget-day=2', '--tag-limits: budget-day is given twice.'],
    ['--tag-limits=budget-day=-1', '--tag-limits: budget-day must not be negative'],
    [
      '--tag-limits=requests-per-minute=0',
      '--tag-limits: requests-per-minute must be a whole number above 0',
    ],
    ['--model-limits=openai/* budget-day=-1', '--model-limits: budget-day must not be negative'],
    [
      '--model-limits=openai budget-day=1',
      '--model-limits: models must be <vendor>/<model_name> or <vendor>/*',
    ],
    [
      '--model-limits=openai/* rpm=1',
      '--model-limits: there is no limit "rpm". The limits are requests-per-',
    ],
  ];
  for (const [wrong, reason] of refused) {
    const { code, stderr } = await keys('change', 'app', wrong);
    expect([code, stderr], wrong).toEqual([1, expect.stringContaining(reason)]);
  }
});

test('a list shows for each key whether it is valid, and a revoked key cannot be changed', async () => {
  const store = await openStore({ path: join(directory, '.gateway', 'gateway.db') });
  await createKey(store, 'open');
  await createKey(store, 'until', { expires_at: Date.parse('2999-01-31') });
  await createKey(store, 'expired', { expires_at: Date.parse('2020-01-31') });
  const id = (await createKey(store, 'ended', { expires_at: Date.parse('2999-01-31') }))?.row.id ?? '';
  const revoked = (await revokeKey(store, id))?.revoked_at ?? 0;
  await store.close();
  const states = async (...words: string[]): Promise<Record<string, string | undefined>> => {
    const [, ...lines] = (await keys('list', ...words)).stdout.trimEnd().split('\n');
    const cells = lines.map((line) => line.split(/ {2,}/));
    return Object.fromEntries(cells.map(([name, , , state]) => [name, state]));
  };
  const opening = { open: 'active', until: 'until 2999-01-31', expired: 'expired 2020-01-31' };
  expect(await states()).toEqual(opening);
  expect(await states('--all')).toEqual({ ...opening, ended: `revoked ${formatDay(revoked)}` });
  const refused = { code: 1, stdout: '', stderr: `The key ${id} has been revoked.\n` };
  expect(await keys('rotate', id)).toEqual(refused);
  expect(await keys('change', id, '--budget-day=1')).toEqual(refused);
});

test('rotating an expired key reports that the new one has expired too', async () => {
  const store = await openStore({ path: join(directory, '.gateway', 'gateway.db') });
  await createKey(store, 'expired', { expires_at: Date.parse('2020-01-31') });
  await createKey(store, 'until', { expires_at: Date.parse('2999-01-31') });
  await store.close();
  const rotated = await keys('rotate', 'expired');
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gw_\S+\n$/) });
  expect(rotated.stderr).toMatch(
    /^Note: the key expired on 2020-01-31, so the new one does not work either\. /,
  );
  expect((await keys('rotate', 'until')).stderr).not.toContain('Note');
});

test('what cannot be done is reported in one line, with exit code 1', async () => {
  await keys('create', 'ci');
  const refused: [string[], RegExp][] = [
    [['create', 'ci'], /^A key named ci already exists\.\n$/],
    [['create', 'other', '--budget-dya', '5'], /^Unknown option --budget-dya\. See --help\.\n$/],
    [['create', 'other', 'name'], /^Unexpected argument name\./],
    [['create', 'other', '--models', 'gpt-4o'], /^--models: must be <vendor>/],
    [['create', 'other', '--budget-day', '$5'], /^--budget-day: \$5 is neither a number nor "none"\.\n$/],
    [['create', 'other', '--expires', '2020-01-31'], /^--expires: 2020-01-31 is in the past\.\n$/],
    [['create', 'key_other'], /^The name must be 1 to 64/],
    [['create', 'ci '], /^The name must be 1 to 64 .* not end in a space\n$/],
    [['change', 'ci'], /^Nothing to change: give at least one setting/],
    [['rotate', 'ci', '--grace', 'long'], /^--grace: long is not a duration/],
    [
      ['rotate', 'ci', '--grace', '32d'],
      /^--grace: 32d is more than 31d, the longest that an old key may keep working\.\n$/,
    ],
    [['revoke', 'nobody'], /^There is no key nobody \(see "gateway keys list"\)\.\n$/],
  ];
  const results = await Promise.all(refused.map(([words]) => keys(...words)));
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    expect(stderr).toMatch(refused[index]?.[1] ?? /never/);
    expect([code, stdout]).toEqual([1, '']);
  }
  expect(await records()).toHaveLength(1);
});

test('the store is the one that the configuration names', async () => {
  const env = { GATEWAY_STORE_PATH: join(directory, 'elsewhere', 'keys.db') };
  expect(await runCommand(directory, ['keys', 'create', 'ci'], env)).toMatchObject({ code: 0 });
  expect(await readdir(directory)).toEqual(['elsewhere']);
  const unreachable = await runCommand(directory, ['keys', 'list'], {
    DATABASE_URL: 'postgres://x:secret@127.0.0.1:1/x',
  });
  expect(unreachable).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Nothing was done: the store PostgreSQL.*ECONNREFUSED/),
  });
  expect(unreachable.stderr).not.toContain('secret');
  const wrong = await runCommand(directory, ['keys', 'list'], { DATABASE_URL: 'mysql://127.0.0.1/x' });
  expect(wrong).toMatchObject({ code: 78, stderr: expect.stringContaining('must be postgres://') });
});

describe('options', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  test.each([
    [{}, {}],
    [{ models: 'any' }, { models: null }],
    [{ models: 'openai/*, google/gemini-2.5-pro' }, { models: ['openai/*', 'google/gemini-2.5-pro'] }],
    [{ expires: 'never' }, { expires_at: null }],
    [{ expires: '30d' }, { expires_at: '2026-12-20T12:00:00.000Z' }],
    [{ expires: '2027-01-31' }, { expires_at: '2027-01-31T00:00:00.000Z' }],
    [{ expires: '2028-02-29' }, { expires_at: '2028-02-29T00:00:00.000Z' }],
    [{ expires: '2027-01-31T10:00:00+02:00' }, { expires_at: '2027-01-31T08:00:00.000Z' }],
    [{ 'budget-month': '0' }, { budget_month: 0 }],
    [{ 'tokens-per-minute': 'none' }, { tokens_per_minute: null }],
  ])('%j is accepted', (options, settings) => {
    expect(parseOptions(readKeyOptions(options, now), keySettings)).toEqual(settings);
  });

  test.each([
    [{ expires: 'soon' }, /^--expires: soon is not a date/],
    [{ expires: '999999w' }, /^--expires/],
    [{ 'budget-day': '' }, /^--budget-day/],
    [{ 'budget-day': '5$' }, /^--budget-day/],
    [{ 'requests-per-minute': '1.5' }, /^--requests-per-minute/],
    [{ 'concurrent-requests': '0' }, /^--concurrent-requests/],
    [{ models: '' }, /^--models/],
  ])('%j is rejected', (options, message) => {
    expect(() => parseOptions(readKeyOptions(options, now), keySettings)).toThrow(message);
  });

  test.each([
    '2027-02-30',
    '2027-02-31',
    '2027-02-30T10:00Z',
    '2027-02-29 10:00',
    '2027-04-31T10:00:00+02:00',
    '2027-2-28',
    'Feb 30, 2027',
    '2027',
  ])('an expiry at %s is rejected', (expires) => {
    expect(() => readKeyOptions({ expires }, now)).toThrow(`--expires: ${expires} is not a date`);
  });

  test('durations', () => {
    expect(['90s', '2m', '3h', '4d', '1w', '0s'].map(parseDuration)).toEqual([
      90_000, 120_000, 10_800_000, 345_600_000, 604_800_000, 0,
    ]);
    expect(['', '5', 'd', '1.5h', '-1d', '1y', '1 d'].map(parseDuration)).toEqual(Array.from({ length: 7 }));
  });
});
