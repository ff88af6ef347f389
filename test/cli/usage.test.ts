import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeUsage } from '../../src/accounting/usage/write-usage.ts';
import { csv } from '../../src/cli/tables.ts';
import { usageAnswer } from '../../src/server/http/admin/usage-route.ts';
import { openStore } from '../../src/store/store.ts';
import { exchange, noon, rowOf } from '../accounting/usage/records.ts';
import { runCommand } from '../support/command.ts';

const IN_OCTOBER = noon('2026-10-20');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-usage-'));
  const store = await openStore({ path: join(directory, '.gateway', 'gateway.db') });
  const records = [
    exchange({ key: 'a' }),
    exchange({ key: 'b, the "second"', cost: 2 }),
    exchange({
      key: 'a',
      status: 404,
      outcome: 'refused',
      attempts: 0,
      model: '',
      vendor: '',
      usage: {},
      cost: 0,
    }),
    exchange({ key: 'c', time: IN_OCTOBER }),
    exchange({
      key: 'c',
      time: IN_OCTOBER,
      usage: {},
      cost: undefined,
      estimated: { tokens: 900, cost: 0.25 },
    }),
  ];
  await writeUsage(store, records.map(rowOf));
  await store.close();
});
afterAll(() => rm(directory, { recursive: true }));

const NOVEMBER = ['--from=2026-11-01', '--to=2026-11-30'];

const usage = async (...words: string[]): Promise<string> => {
  const days = words.some((word) => word.startsWith('--from')) ? [] : NOVEMBER;
  const { code, stdout, stderr } = await runCommand(directory, ['usage', ...days, ...words]);
  expect(code, stderr).toBe(0);
  return stdout;
};

test('as text', async () => {
  const lines = (await usage()).trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['key', 'model', 'requests', 'errors', 'input', 'cached', 'output', 'cost $', 'first byte ms', 'ms'],
    ['b, the "second"', 'openai/gpt-4o', '1', '0', '100', '40', '20', '2.0000', '200', '1000'],
    ['a', 'openai/gpt-4o', '1', '0', '100', '40', '20', '0.0010', '200', '1000'],
    ['a', '-', '1', '1', '0', '0', '0', '0.0000', '200', '1000'],
    ['total', '3', '1', '200', '80', '40', '2.0010', '200', '1000'],
  ]);
});

test('answers without reported usage are shown, since they were not free', async () => {
  const lines = (await usage('--from=2026-10-01', '--to=2026-10-31')).trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
    ['key', 'model', 'requests', 'errors', 'uncounted', 'input'],
    ['c', 'openai/gpt-4o', '2', '0', '1', '100'],
    ['total', '2', '0', '1', '100', '40'],
  ]);
  // What budgets were charged for them is separate from what vendors have reported.
  expect(lines.map((line) => line.split(/ {2,}/).at(-3))).toEqual(['estimated $', '0.2500', '0.2500']);
});

test('as CSV and as JSON at once is an error', async () => {
  expect(await runCommand(directory, ['usage', '--csv', '--json'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('--csv and --json exclude each other'),
  });
});

test('as CSV', async () => {
  expect(await usage('--csv', '--by', 'day,key')).toBe(
    [
      'day,key,requests,errors,uncounted,input_tokens,output_tokens,reasoning_tokens,cache_read_tokens,cache_write_tokens,cost,mean_duration,mean_first_byte,estimated_cost',
      '2026-11-20,"b, the ""second""",1,0,0,100,20,5,40,0,2,1000,200,0',
      '2026-11-20,a,2,1,0,100,20,5,40,0,0.001,1000,200,0',
      '',
    ].join('\n'),
  );
});

test('as JSON, the same as the admin API answers', async () => {
  const answer = usageAnswer
    .omit({ object: true })
    .parse(JSON.parse(await usage('--json', '--by=model,vendor', '--key=a')));
  expect(answer).toMatchObject({
    from: '2026-11-01',
    to: '2026-11-30',
    has_more: false,
    total: { requests: 2 },
  });
  expect(answer.data.map(({ model, vendor }) => [model, vendor])).toEqual([
    ['openai/gpt-4o', 'openai'],
    [null, null],
  ]);
});

test('with more lines than the limit, the first ones and the total of all', async () => {
  const asked = ['usage', '--from=2026-11-01', '--to=2026-11-30', '--limit=2'];
  const { code, stdout, stderr } = await runCommand(directory, asked);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['key', 'model', 'requests'],
    ['b, the "second"', 'openai/gpt-4o', '1'],
    ['a', 'openai/gpt-4o', '1'],
    ['total', '3', '1'],
  ]);
  expect(stderr).toBe('There are more than 2 lines. Raise --limit to see the rest.\n');
  const whole = await runCommand(directory, [...asked.slice(0, -1), '--limit=3', '--json']);
  expect(whole.stderr).toBe('');
  expect(JSON.parse(whole.stdout)).toMatchObject({ has_more: false, total: { requests: 3 } });
  const part = JSON.parse((await runCommand(directory, [...asked, '--json'])).stdout);
  expect(part).toMatchObject({ has_more: true, total: { requests: 3 } });
});

test('no usage, and invalid queries', async () => {
  expect((await runCommand(directory, ['usage', '--from=2020-01-01', '--to=2020-01-31'])).stdout).toBe(
    'No usage from 2020-01-01 to 2020-01-31. Use --simulated to report answers of the sandbox.\n',
  );
  expect(
    (await runCommand(directory, ['usage', '--simulated', '--from=2020-01-01', '--to=2020-01-31'])).stdout,
  ).toBe('No usage from 2020-01-01 to 2020-01-31.\n');
  expect(await runCommand(directory, ['usage', '--from=2026-11-30', '--to=2026-11-01'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: '--from: is after the last day\n',
  });
  expect(await runCommand(directory, ['usage', '--by=mood'])).toMatchObject({ code: 1, stdout: '' });
  expect(await runCommand(directory, ['usage', '--month=11'])).toMatchObject({
    code: 1,
    stderr: 'Unknown option --month. See --help.\n',
  });
});

test.each([
  [[['a', 1]], 'a,1'],
  [[['a,b', 'c"d', 'e\nf', '']], '"a,b","c""d","e\nf",'],
  [[], ''],
  // Numbers are never a caller's text.
  [[[-1.5, 'a=b', "'=b"]], "-1.5,a=b,'=b"],
  [[['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1']], "'=1+1,'+1,'-1,'@SUM(A1),'\t=1,'＝1"],
  [
    [['\r=1', '\n=1', '=HYPERLINK("http://a.test","b")']],
    '"\'\r=1","\'\n=1","\'=HYPERLINK(""http://a.test"",""b"")"',
  ],
])('CSV of %j', (rows, text) => {
  expect(csv(rows)).toBe(text);
});
