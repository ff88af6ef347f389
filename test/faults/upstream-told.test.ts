/**
 * Native streams that end in an error of the vendor: the caller gets its bytes, and the failure counts against the
 * vendor.
 */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ExchangeRecord } from '../../src/accounting/usage/exchange-record.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import { ask, eventTexts, native, streamedAnswer, translated, type UpstreamWay } from './upstream-ways.ts';

let upstream: FaultUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;
beforeAll(async () => {
  upstream = await startFaultUpstream();
});
afterAll(() => upstream.close());
afterEach(() => gateway.close());

/** Ejected after two failures. */
async function open(): Promise<void> {
  gateway = await startRecorded({
    vendors: vendorsAtUrl(upstream.url),
    ejection: { lone: true, failures: 2 },
    retries: { limit: 0 },
  });
}

function wayOf(format: FormatName): UpstreamWay {
  const way = native.find(({ spoken }) => spoken === format);
  if (way === undefined) throw new Error(`There is no native way of ${format}.`);
  return way;
}

/**
 * The beginning of a good answer, and then `end`; requested twice. @returns the record of it, and the status of a third
 * request.
 */
async function endedBy(way: UpstreamWay, end: string): Promise<{ record?: ExchangeRecord; next: number }> {
  const good = eventTexts(streamedAnswer(way.spoken));
  const pieces = [...good.slice(0, Math.ceil(good.length / 2)), end];
  upstream.script((wire) => wire.wholeStream(pieces));
  for (let asked = 1; asked <= 2; asked += 1) {
    const response = await ask(gateway.url, way, true);
    expect(await response.text()).toBe(pieces.join(''));
    await eventually(() => gateway.records.length === asked, 'the exchange is recorded');
  }
  const [record] = gateway.records;
  const next = await ask(gateway.url, way, true);
  await next.arrayBuffer();
  return { ...(record && { record }), next: next.status };
}

const data = (value: object, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`;
const failedResponse = (code: string): string =>
  data(
    {
      type: 'response.failed',
      sequence_number: 9,
      response: { status: 'failed', error: { code, message: 'No.' } },
    },
    'response.failed',
  );

describe("U-20 the vendor's own failure in a native stream", () => {
  const overloaded = { error: { message: 'Overloaded', type: 'server_error', code: 503 } };
  test.each<[FormatName, string, string, string]>([
    ['chat-completions', 'as a chunk', data(overloaded), 'upstream-overloaded'],
    ['chat-completions', 'before [DONE]', `${data(overloaded)}data: [DONE]\n\n`, 'upstream-overloaded'],
    ['chat-completions', 'by its name', data({ message: 'Failed' }, 'error'), 'upstream-broken'],
    [
      'chat-completions',
      'in a chunk with a choice',
      data({ ...overloaded, choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }),
      'upstream-overloaded',
    ],
    [
      'responses',
      'as an error event',
      data(
        { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Failed' } },
        'error',
      ),
      'upstream-broken',
    ],
    ['responses', 'as a failed response', failedResponse('server_error'), 'upstream-broken'],
    [
      'responses',
      'as both',
      data({ type: 'error', error: { type: 'insufficient_quota', code: 'insufficient_quota' } }, 'error') +
        failedResponse('insufficient_quota'),
      'quota-exceeded',
    ],
    [
      'messages',
      'as an error event',
      data({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
      'upstream-overloaded',
    ],
    [
      'generate-content',
      'as a chunk',
      data({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }),
      'upstream-overloaded',
    ],
  ])('%s, %s: it is recorded, and counts against the vendor', async (format, _, end, fault) => {
    await open();
    const { record, next } = await endedBy(wayOf(format), end);
    expect(record).toMatchObject({ fault, status: 200 });
    if (fault.startsWith('upstream-')) expect(record?.outcome).toBe('failed');
    // Anthropic's own status for 'overloaded' is another one.
    expect(next).toBe(format === 'messages' ? 529 : 503);
  });
});

describe("U-20 the vendor's own failure in a translated stream", () => {
  const failures: Readonly<Record<FormatName, string>> = {
    'chat-completions': data({ error: { message: 'Overloaded', type: 'server_error', code: 503 } }),
    responses: failedResponse('server_error'),
    messages: data({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
    'generate-content': data({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }),
  };
  test.each(translated)('$name: it is recorded, and counts against the vendor', async (way) => {
    await open();
    const good = eventTexts(streamedAnswer(way.spoken));
    let fail = (): void => {};
    upstream.script((wire) => {
      wire.stream(good.slice(0, Math.ceil(good.length / 2)));
      fail = () => {
        wire.chunk(failures[way.spoken]);
        wire.lastChunk();
      };
    });
    for (let asked = 1; asked <= 2; asked += 1) {
      const response = await ask(gateway.url, way, true);
      expect(response.status).toBe(200);
      // Whatever comes in one read can still become an honest status: this failure comes later.
      fail();
      await response.text();
      await eventually(() => gateway.records.length === asked, 'the exchange is recorded');
    }
    expect(gateway.records[0]?.fault).toMatch(/^upstream-/);
    const next = await ask(gateway.url, way, true);
    await next.arrayBuffer();
    expect(next.status).toBe(way.format === 'messages' ? 529 : 503);
  });
});

describe('a long failure event', () => {
  const long = 'instructions '.repeat(2_000);
  const error = { code: 'server_error', message: 'No.' };
  const failed = { type: 'response.failed', response: { status: 'failed', error, instructions: long } };
  const generated = { error: { message: 'No.', type: 'server_error', code: 503, failed_generation: long } };
  const told: readonly [FormatName, string, string][] = [
    ['responses', data(failed, 'response.failed'), 'upstream-broken'],
    ['chat-completions', data(generated, 'error'), 'upstream-overloaded'],
  ];
  /** The sizes of the first piece and of all others. */
  const cases = told.flatMap(([format, text, fault]) =>
    [1_400, 16_384, text.length].flatMap((size) =>
      [size, 60].map((start) => ({ format, text, fault, start, size })),
    ),
  );
  test.each(cases)(
    '$format, in pieces of $start and $size: its end shows no secret',
    async ({ format, text, fault, start, size }) => {
      await open();
      const [first = '', second = ''] = eventTexts(streamedAnswer(format));
      upstream.script(async (wire) => {
        wire.stream([first, second]);
        wire.chunk(text.slice(0, start));
        for (let at = start; at < text.length; at += size) {
          await new Promise((resolve) => setImmediate(resolve));
          wire.chunk(text.slice(at, at + size));
        }
        wire.lastChunk();
      });
      const response = await ask(gateway.url, wayOf(format), true);
      expect(await response.text()).toBe(first + second + text);
      await eventually(() => gateway.records.length === 1, 'the exchange is recorded');
      expect(gateway.records[0]).toMatchObject({ fault, outcome: 'failed' });
    },
  );
});

describe('an error of the request itself in a native stream', () => {
  test.each<[FormatName, string, string]>([
    [
      'chat-completions',
      'a call that does not fit its schema',
      data(
        {
          error: {
            message: 'Tool call validation failed',
            type: 'invalid_request_error',
            code: 'tool_use_failed',
          },
        },
        'error',
      ),
    ],
    ['responses', 'an image held back', failedResponse('image_content_policy_violation')],
    ['responses', 'a prompt held back', failedResponse('invalid_prompt')],
    [
      'messages',
      'a refused prompt',
      data({ type: 'error', error: { type: 'invalid_request_error', message: 'No.' } }, 'error'),
    ],
    [
      'generate-content',
      'a refused argument',
      data({ error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } }),
    ],
  ])('%s, %s: it is recorded, and does not count against the vendor', async (format, _, end) => {
    await open();
    const { record, next } = await endedBy(wayOf(format), end);
    expect(record).toMatchObject({ fault: 'invalid-request', outcome: 'complete' });
    expect(next).toBe(200);
  });
});

test.each(native)('$name: an answer about errors is not an error', async (way) => {
  await open();
  const text = String.raw`event: error\ndata: {\"type\":\"error\",\"error\": {\"code\":503}}`;
  const stream = streamedAnswer(way.spoken).replace(/("(?:content|text|delta)": ?")(?=[^"])/, `$1${text}`);
  expect(stream).toContain(text);
  upstream.script((wire) => wire.wholeStream([stream]));
  for (let asked = 1; asked <= 3; asked += 1) {
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(stream);
    await eventually(() => gateway.records.length === asked, 'the exchange is recorded');
  }
  for (const record of gateway.records) {
    expect(record.outcome).toBe('complete');
    expect(record.fault).toBeUndefined();
  }
});

test.each(native)(
  '$name: a caller who leaves at the error, as SDKs do, does not clear the vendor',
  async (way) => {
    await open();
    const sent = streamedAnswer(way.spoken, 'error-in-stream');
    upstream.script((wire) => wire.stream([sent]));
    for (let asked = 1; asked <= 2; asked += 1) {
      const caller = new AbortController();
      const response = await ask(gateway.url, way, true, { signal: caller.signal });
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (text === sent) break;
      }
      caller.abort();
      await eventually(() => gateway.records.length === asked, 'the exchange is recorded');
    }
    await eventually(() => upstream.open() === 0, 'the vendor is aborted');
    const next = await ask(gateway.url, way, true);
    expect(next.status).toBe(way.format === 'messages' ? 529 : 503);
    await next.arrayBuffer();
  },
);
