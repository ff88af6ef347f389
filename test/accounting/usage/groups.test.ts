/** What keys of a group used: from the request to the report. */

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { reportUsage } from '../../../src/accounting/usage/report.ts';
import type { UsageQuery } from '../../../src/accounting/usage/usage-dimensions.ts';
import { usageQuery } from '../../../src/accounting/usage/usage-query.ts';
import { runCommand } from '../../support/command.ts';
import { KEY, startRecorded } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { spawnGateway } from '../../support/process.ts';
import { soon } from '../../support/soon.ts';
import { describeStores } from '../../support/stores.ts';
import { recordAll, viewReport } from './recorded.ts';
import { noon } from './records.ts';

const ALL: UsageQuery = { from: '2026-11-18', to: '2026-11-21', by: ['group'], limit: 1_000 };
const ONE = 'gw-test-key-of-the-group';

function ask(url: string, key: string, model = 'gpt-4.1'): Promise<Response> {
  return postJson(
    `${url}/v1/chat/completions`,
    { model, messages: [{ role: 'user', content: 'Hi' }] },
    { key },
  );
}

test('the group of the key is recorded, for rejected requests too', async () => {
  const gateway = await startRecorded({
    groups: [{ name: 'search', models: ['openai/*'] }],
    keys: [{ name: 'one', key: ONE, group: 'search' }],
  });
  onTestFinished(() => gateway.close());
  for (const [key, model] of [
    [ONE, 'gpt-4.1'],
    [ONE, 'anthropic/claude-sonnet-4-5'],
    [KEY, 'gpt-4.1'],
    ['none', 'gpt-4.1'],
  ] as const)
    await (await ask(gateway.url, key, model)).text();
  await soon(() =>
    expect(gateway.records.map(({ key, group, status }) => [key, group, status])).toEqual([
      ['one', 'search', 200],
      ['one', 'search', 403],
      ['test', undefined, 200],
      [undefined, undefined, 401],
    ]),
  );
});

test.each([
  { by: 'group,tag' },
  { by: 'key', group: 'search', tag: 'one' },
  { by: 'tag', group: 'search' },
  { by: 'day,group', tag: 'one' },
])('%j is rejected, since such sums do not exist', (asked) => {
  const { error } = usageQuery.safeParse(asked);
  expect(error?.issues).toMatchObject([
    {
      path: ['group'],
      message: 'cannot be combined with tag: usage is summed up by group and by tag, but not by both at once',
    },
  ]);
});

describeStores('a report by group', (stores) => {
  test('covers the usage of each key while it belonged to a group, and that without a group', async () => {
    const store = await stores.open();
    const all = [
      { key: 'one', group: 'search', cost: 0.1 },
      { key: 'one', cost: 0.2 },
      { key: 'two', group: 'ads', cost: 5, tag: 'x' },
      { key: 'two', group: 'search', cost: 0.3, tag: 'x' },
      { key: 'one', group: 'search', cost: 0.7 },
    ];
    await recordAll(store, all, 2);
    const report = (query: Partial<UsageQuery>) => viewReport(store, { ...ALL, ...query }, 'group');
    expect(await report({})).toEqual({
      total: 5,
      lines: [
        [undefined, 'ads', 1, 5],
        [undefined, 'search', 3, 1.1],
        [undefined, null, 1, 0.2],
      ],
    });
    expect(await report({ by: ['group', 'key'] })).toEqual({
      total: 5,
      lines: [
        ['two', 'ads', 1, 5],
        ['one', 'search', 2, 0.8],
        ['two', 'search', 1, 0.3],
        ['one', null, 1, 0.2],
      ],
    });
    expect(await report({ by: ['key'], group: 'search' })).toEqual({
      total: 3,
      lines: [
        ['one', undefined, 2, 0.8],
        ['two', undefined, 1, 0.3],
      ],
    });
    expect((await report({ group: 'nobody' })).lines).toEqual([]);
    // By tag, as if there were no groups.
    expect(await report({ by: ['key'], tag: 'x' })).toEqual({
      total: 2,
      lines: [['two', undefined, 2, 5.3]],
    });
  });

  test('covers as much as any other report', async () => {
    const used = fc.record({
      key: fc.constantFrom('a', 'b'),
      model: fc.constantFrom('m', 'n'),
      group: fc.option(fc.constantFrom('x', 'y', "of 'words'"), { nil: undefined }),
      tag: fc.option(fc.constantFrom('s', 't'), { nil: undefined }),
      time: fc.constantFrom('2026-11-18', '2026-11-20').map(noon),
      cost: fc.double({ min: 0, max: 1e6, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(used, { maxLength: 40 }), async (all) => {
        const store = await stores.open();
        await recordAll(store, all, 7);
        for (const of of ['group', 'tag'] as const) {
          const { lines, total } = await reportUsage(store, { ...ALL, by: [of] });
          expect(total.requests).toBe(all.length);
          expect(new Set(lines.map((line) => line.of[of]))).toEqual(new Set(all.map((one) => one[of] ?? '')));
          for (const line of lines) {
            const own = all.filter((one) => (one[of] ?? '') === line.of[of]);
            expect(line.sums.requests).toBe(own.length);
            expect(line.sums.cost).toBeCloseTo(
              own.reduce((sum, { cost }) => sum + cost, 0),
              5,
            );
          }
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});

test('a start, a request, a report', async () => {
  const running = await spawnGateway({
    log: 'json',
    groups: [{ name: 'search' }],
    keys: [{ name: 'one', key: ONE, group: 'search' }],
  });
  onTestFinished(() => running.close());
  for (const key of [ONE, KEY]) expect((await ask(running.url, key)).status).toBe(200);
  running.signal('SIGTERM');
  expect(await running.ended).toBe(0);
  const { stdout } = await runCommand(running.directory, ['usage', '--csv', '--simulated', '--by=key,group']);
  const lines = stdout.split('\n').map((line) => line.split(',').slice(0, 3));
  expect(lines[0]).toEqual(['group', 'key', 'requests']);
  expect(lines.slice(1, 3).sort()).toEqual([
    ['', 'test', '1'],
    ['search', 'one', '1'],
  ]);
  const only = await runCommand(running.directory, [
    'usage',
    '--json',
    '--simulated',
    '--by=key',
    '--group=search',
  ]);
  expect(JSON.parse(only.stdout)).toMatchObject({
    data: [{ key: 'one', requests: 1 }],
    total: { requests: 1 },
  });
  expect(running.output()).toContain('"key":"one","group":"search"');
});
