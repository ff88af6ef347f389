/** Tags that callers give to requests: from the header to the report. */

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { reportUsage } from '../../../src/accounting/usage/report.ts';
import type { UsageQuery } from '../../../src/accounting/usage/usage-dimensions.ts';
import { lineView, usageLine } from '../../../src/accounting/usage/usage-view.ts';
import { runCommand } from '../../support/command.ts';
import { KEY, startRecorded, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { spawnGateway } from '../../support/process.ts';
import { soon } from '../../support/soon.ts';
import { describeStores } from '../../support/stores.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { recordAll, viewReport } from './recorded.ts';
import { noon } from './records.ts';

describe('the header', () => {
  let vendor: TestUpstream;
  let gateway: Awaited<ReturnType<typeof startRecorded>>;
  beforeAll(async () => {
    vendor = await startUpstream(({ url }, response) =>
      json(
        response,
        url.includes('/chat/')
          ? { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [] }
          : { error: { message: 'No.' } },
        url.includes('/chat/') ? 200 : 400,
      ),
    );
    gateway = await startRecorded({ vendors: vendorsAtUrl(vendor.url) });
  });
  afterAll(async () => {
    await gateway.close();
    await vendor.close();
  });
  beforeEach(() => {
    vendor.received.length = 0;
    gateway.records.length = 0;
  });

  const messages = [{ role: 'user', content: 'Hi' }];
  const REQUESTS = [
    ['/v1/chat/completions', { model: 'gpt-4.1', messages }],
    ['/v1/chat/completions', { model: 'anthropic/claude-sonnet-4-5', messages }],
    ['/v1/responses', { model: 'gpt-4.1', input: 'Hi' }],
    ['/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 9, messages }],
    ['/v1/messages', { model: 'openai/gpt-4.1', max_tokens: 9, messages }],
    ['/v1/messages/count_tokens', { model: 'claude-sonnet-4-5', messages }],
    ['/v1beta/models/gemini-2.5-flash:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
  ] as const;

  function ask(path: string, body: object, headers: Record<string, string>): Promise<Response> {
    return postJson(gateway.url + path, body, { headers });
  }

  test.each(REQUESTS)('is recorded from %s as %j, and not sent to vendors', async (path, body) => {
    await (await ask(path, body, { 'x-gateway-tag': 'customer 42' })).text();
    await soon(() => expect(gateway.records.map(({ tag }) => tag)).toEqual(['customer 42']));
    expect(vendor.received).toHaveLength(1);
    expect(JSON.stringify(vendor.received[0]?.headers)).not.toContain('customer');
    expect(String(vendor.received[0]?.body)).not.toContain('customer');
  });

  test.each([{}, { 'x-gateway-tag': '' }])('a request with %j has no tag', async (headers) => {
    await (await ask(...REQUESTS[0], headers)).text();
    await soon(() => expect(gateway.records).toHaveLength(1));
    expect(gateway.records[0]?.tag).toBeUndefined();
  });

  test.each(['x'.repeat(129), 'Müller', 'a\tb'])(
    'with the value %j is rejected, before a vendor is asked',
    async (tag) => {
      for (const [path, body] of REQUESTS) {
        const response = await ask(path, body, { 'x-gateway-tag': tag });
        expect(response.status).toBe(400);
        expect(await response.text()).toContain(
          'The header x-gateway-tag must be at most 128 characters of printable ASCII.',
        );
      }
      expect(vendor.received).toHaveLength(0);
      await soon(() => expect(gateway.records.map(({ key }) => key)).toEqual(REQUESTS.map(() => 'test')));
    },
  );

  test('is only read for requests with a key', async () => {
    const response = await ask(...REQUESTS[0], { 'x-gateway-tag': 'Müller', authorization: 'Bearer none' });
    expect(response.status).toBe(401);
  });

  test('of a WebSocket applies to all its answers', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: `Bearer ${KEY}`, 'x-gateway-tag': 'a' },
    });
    onTestFinished(() => socket.terminate());
    await new Promise((resolve) => socket.once('open', resolve));
    for (const count of [1, 2]) {
      const answered = new Promise((resolve) => socket.once('message', resolve));
      socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-4.1', input: 'Hi' }));
      await answered;
      await soon(() => expect(gateway.records).toHaveLength(count));
    }
    expect(gateway.records.map(({ tag }) => tag)).toEqual(['a', 'a']);
  });
});

const ALL: UsageQuery = { from: '2026-11-18', to: '2026-11-21', by: ['tag'], limit: 1_000 };

describeStores('a report by tag', (stores) => {
  test('covers the usage of each tag, and usage without one', async () => {
    const store = await stores.open();
    const all = [
      { key: 'team', tag: 'one', cost: 0.1 },
      { key: 'team', cost: 0.2 },
      { key: 'team', tag: 'two', cost: 5 },
      { key: 'team', tag: 'one', cost: 0.3 },
      { key: 'other', tag: 'one', cost: 0.7 },
    ];
    await recordAll(store, all, 2);
    const report = (query: Partial<UsageQuery>) => viewReport(store, { ...ALL, ...query }, 'tag');
    expect(await report({})).toEqual({
      total: 5,
      lines: [
        [undefined, 'two', 1, 5],
        [undefined, 'one', 3, 1.1],
        [undefined, null, 1, 0.2],
      ],
    });
    expect(await report({ by: ['key', 'tag'] })).toEqual({
      total: 5,
      lines: [
        ['team', 'two', 1, 5],
        // All other requests of this key have a tag: they have no line without one.
        ['other', 'one', 1, 0.7],
        ['team', 'one', 2, 0.4],
        ['team', null, 1, 0.2],
      ],
    });
    expect(await report({ by: ['key'], tag: 'one' })).toEqual({
      total: 3,
      lines: [
        ['other', undefined, 1, 0.7],
        ['team', undefined, 2, 0.4],
      ],
    });
    expect((await report({ tag: 'three' })).lines).toEqual([]);
  });

  test('covers as much as any other report', async () => {
    const text = fc.string({ unit: 'binary-ascii', minLength: 1 }).filter((tag) => !tag.includes('\0'));
    const used = fc.record({
      key: fc.constantFrom('a', 'b'),
      model: fc.constantFrom('m', 'n'),
      tag: fc.option(fc.oneof(fc.constantFrom('x', 'y'), text), { nil: undefined }),
      time: fc.constantFrom('2026-11-18', '2026-11-20').map(noon),
      cost: fc.double({ min: 0, max: 1e6, noNaN: true }),
      status: fc.constantFrom(200, 429),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(used, { maxLength: 40 }), async (all) => {
        const store = await stores.open();
        await recordAll(store, all, 7);
        const { lines, total } = await reportUsage(store, ALL);
        const other = await reportUsage(store, { ...ALL, by: ['key'] });
        expect({ ...total, cost: 0, first_byte: 0, duration: 0 }).toEqual({
          ...other.total,
          cost: 0,
          first_byte: 0,
          duration: 0,
        });
        expect(new Set(lines.map(({ of }) => of.tag))).toEqual(new Set(all.map(({ tag }) => tag ?? '')));
        for (const line of lines) {
          const own = all.filter(({ tag }) => (tag ?? '') === line.of.tag);
          const view = usageLine.parse(lineView(line));
          expect(view.requests).toBe(own.length);
          expect(view.errors).toBe(own.filter(({ status }) => status === 429).length);
          expect(view.cost).toBeCloseTo(
            own.reduce((sum, { cost }) => sum + cost, 0),
            5,
          );
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});

test('a start, a request, a report', async () => {
  const running = await spawnGateway({ log: 'json' });
  onTestFinished(() => running.close());
  for (const tag of ['customer-42', '']) {
    const response = await postJson(
      `${running.url}/v1/chat/completions`,
      { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] },
      { headers: { 'x-gateway-tag': tag } },
    );
    expect(response.status).toBe(200);
    await response.text();
  }
  running.signal('SIGTERM');
  expect(await running.ended).toBe(0);
  const { stdout } = await runCommand(running.directory, ['usage', '--csv', '--simulated', '--by=tag,model']);
  const lines = stdout.split('\n').map((line) => line.split(',').slice(0, 3));
  expect(lines[0]).toEqual(['model', 'tag', 'requests']);
  expect(lines.slice(1, 3).sort()).toEqual([
    ['openai/gpt-4.1', '', '1'],
    ['openai/gpt-4.1', 'customer-42', '1'],
  ]);
  expect(running.output()).toContain('"tag":"customer-42"');
});
