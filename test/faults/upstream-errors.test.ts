/** Errors and other responses that vendors send instead of an answer. */

import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Script } from '../support/fault-upstream.ts';
import { startGateway, startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { useFaultDoor } from './upstream-door.ts';
import { ask, native, streamedAnswer, translated, ways, wholeAnswer } from './upstream-ways.ts';

const door = useFaultDoor();

/** An error as a vendor of a format writes it. */
const errorBody: Readonly<Record<FormatName, (status: number, message: string) => string>> = {
  'chat-completions': (status, message) =>
    JSON.stringify({ error: { message, type: 'x_error', param: null, code: `c${status}` } }),
  responses: (status, message) =>
    JSON.stringify({ error: { message, type: 'x_error', param: null, code: `c${status}` } }),
  messages: (_, message) => JSON.stringify({ type: 'error', error: { type: 'x_error', message } }),
  'generate-content': (status, message) => JSON.stringify({ error: { code: status, message, status: 'X' } }),
};

describe('U-10 the request is refused', () => {
  describe.each([400, 404, 413, 422])('%i', (status) => {
    test.each(native)('$name: as the vendor wrote it, asked once', async (way) => {
      const body = errorBody[way.spoken](status, 'The field x is odd.').replace('{', '{ "odd" : 1.0 ,');
      door.upstream.script((wire) => wire.answer(status, body));
      const response = await ask(door.url, way, true);
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(body);
      expect(response.headers.get('x-should-retry')).toBeNull();
      expect(door.upstream.requests).toHaveLength(1);
    });
    test.each(translated)(
      '$name: the same status and words, in the caller’s format; asked once more at most, in the strictest form',
      async (way) => {
        door.upstream.script((wire) =>
          wire.answer(status, errorBody[way.spoken](status, 'The field x is odd.')),
        );
        const response = await ask(door.url, way, true);
        expect(response.status).toBe(status);
        expect(JSON.parse(await response.text()).error.message).toContain('The field x is odd.');
        expect(response.headers.get('x-should-retry')).toBe('false');
        const isUnexplained = status === 400 || status === 422;
        expect(door.upstream.requests.length).toBeLessThanOrEqual(isUnexplained ? 2 : 1);
      },
    );
  });
});

describe('U-11 the customer whom the caller wants billed is refused: as Anthropic wrote it, and the key is asked on', () => {
  const claude = native.filter(({ spoken }) => spoken === 'messages');
  describe.each(claude)('$name', (way) => {
    test.each([
      [402, 'billing_error', 'linked_organization_billing_unavailable'],
      [402, 'billing_error', 'linked_organization_spend_limit_reached'],
      [403, 'permission_error', 'user_profile_billing_not_authorized'],
      [403, 'permission_error', 'user_profile_not_billable'],
    ])('%i %s %s', async (status, type, code) => {
      const error = { type, message: 'Not this customer.', details: { error_code: code } };
      const body = JSON.stringify({ type: 'error', error, request_id: 'req_1' });
      door.upstream.script(
        (wire) => wire.answer(status, body),
        (wire) => wire.answer(200, wholeAnswer(way.spoken)),
      );
      for (const told of [status, 200]) {
        const response = await ask(door.url, way, false);
        const text = await response.text();
        expect(response.status, text).toBe(told);
        if (told === status) expect(text).toBe(body);
      }
      expect(door.upstream.requests).toHaveLength(2);
    });
  });
});

describe('U-11 the gateway’s own key is refused: 502, without the vendor’s message', () => {
  test.each(ways)('$name', async (way) => {
    for (const status of [401, 403]) {
      const message = 'Incorrect API key provided: sk-vendor-key-0123456789abcdef.';
      door.upstream.script((wire) => wire.answer(status, errorBody[way.spoken](status, message)));
      const response = await ask(door.url, way, false);
      const text = await response.text();
      expect(response.status).toBe(502);
      expect(text).not.toMatch(/sk-vendor|Incorrect/);
      expect(response.headers.get('x-should-retry')).toBe('false');
    }
    expect(door.upstream.requests).toHaveLength(2);
  });
});

describe('U-11 the log says why the gateway is refused, by a code that contains no key', () => {
  const error = (fields: object): string =>
    JSON.stringify({ error: { message: 'sk-vendor-key-0123', ...fields } });
  test.each([
    ['chat-completions', 401, error({ code: 'invalid_api_key' }), 'HTTP_401_INVALID_API_KEY'],
    ['chat-completions', 402, error({ code: 402, type: 'unknown_error' }), 'HTTP_402_UNKNOWN_ERROR'],
    ['messages', 402, error({ type: 'billing_error' }), 'HTTP_402_BILLING_ERROR'],
    ['messages', 400, error({ message: 'Your credit balance is too low.', type: 'x' }), 'HTTP_400_X'],
    [
      'generate-content',
      403,
      error({ code: 403, status: 'PERMISSION_DENIED' }),
      'HTTP_403_PERMISSION_DENIED',
    ],
    ['responses', 403, error({ code: 'sk-vendor-key-0123' }), 'HTTP_403'],
    ['responses', 401, '<html>No</html>', 'HTTP_401'],
  ] as const)('%s: %i %s', async (format, status, body, cause) => {
    const { records, ...gateway } = await startRecorded({ vendors: vendorsAtUrl(door.upstream.url) });
    onTestFinished(() => gateway.close());
    door.upstream.script((wire) => wire.answer(status, body));
    for (const way of ways.filter(({ spoken }) => spoken === format)) {
      records.length = 0;
      expect((await ask(gateway.url, way, false)).status).toBe(502);
      await expect.poll(() => records[0]).toMatchObject({ fault: 'upstream-auth', cause });
    }
  });
});

describe('U-12 429 with a wait', () => {
  const limited =
    (headers: Record<string, string>): Script =>
    (wire, { path }) => {
      const format = formatOf(path);
      wire.answer(429, errorBody[format](429, 'Slow down.'), headers);
    };
  const good: Script = (wire, { path }) => wire.answer(200, wholeAnswer(formatOf(path)));

  test.each<[string, () => Record<string, string>]>([
    ['seconds', () => ({ 'retry-after': '0' })],
    ['milliseconds', () => ({ 'retry-after-ms': '20' })],
    ['a date', () => ({ 'retry-after': new Date(Date.now() + 500).toUTCString() })],
    ['a date in the past', () => ({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })],
    [
      'the reset of an exhausted limit',
      () => ({ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20ms' }),
    ],
  ])('%s, short: waited for', async (_, headers) => {
    for (const way of ways) {
      door.upstream.requests.length = 0;
      door.upstream.script(limited(headers()), good);
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(200);
      await response.text();
      expect(door.upstream.requests).toHaveLength(2);
    }
  });

  test.each<[string, Record<string, string>]>([
    ['Infinitys', { 'retry-after': 'Infinity' }],
    ['1e308s', { 'retry-after': '1e308', 'retry-after-ms': 'Infinity' }],
    ['-1s', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'NaN' }],
    ['315576000000s', { 'retry-after': '999999999' }],
  ])('%s and %j: a wait is finite, or omitted', async (retryDelay, headers) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
    for (const way of translated) {
      const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.', details };
      const body =
        way.spoken === 'generate-content'
          ? JSON.stringify({ error })
          : errorBody[way.spoken](429, 'Slow down.');
      door.upstream.script((wire) => wire.answer(429, body, headers));
      for (const stream of [false, true]) {
        const response = await ask(door.url, way, stream);
        expect(response.status).toBe(429);
        for (const name of ['retry-after', 'retry-after-ms']) {
          expect(response.headers.get(name) ?? '0').toMatch(/^\d{1,9}$/);
        }
        expect(await response.text()).not.toContain('Infinity');
      }
    }
  });

  test('short, but the same twice: the caller gets the wait, and is not told not to retry', async () => {
    door.upstream.script(limited({ 'retry-after-ms': '20' }));
    for (const way of ways) {
      door.upstream.requests.length = 0;
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after') ?? response.headers.get('retry-after-ms')).not.toBeNull();
      expect(response.headers.get('x-should-retry')).toBeNull();
      await response.text();
      expect(door.upstream.requests).toHaveLength(2);
    }
  });

  test.each<[string, Record<string, string>, string | null]>([
    ['long', { 'retry-after': '60' }, '60'],
    ['longer than SDKs should wait', { 'retry-after': '61', 'x-should-retry': 'true' }, '61'],
    ['as long as a quota lasts', { 'retry-after': '999999999' }, String(31 * 86_400)],
    ['negative', { 'retry-after': '-1' }, null],
    ['not a number', { 'retry-after': 'NaN' }, null],
    ['infinite', { 'retry-after': '1e999' }, null],
    ['empty', { 'retry-after': '' }, null],
    ['a text that is not a date', { 'retry-after': '12 monkeys' }, null],
    ['two', { 'retry-after': '1, 2' }, null],
  ])('%s: passed on, not waited for', async (_, headers, told) => {
    door.upstream.script(limited(headers));
    for (const way of translated) {
      door.upstream.requests.length = 0;
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe(told);
      expect(response.headers.get('x-should-retry')).toBe(Number(told) > 60 ? 'false' : null);
      await response.text();
      expect(door.upstream.requests).toHaveLength(1);
    }
    const [way] = native;
    if (way === undefined) throw new Error('There is no way.');
    const response = await ask(door.url, way, false);
    expect(response.status).toBe(429);
    // As the vendor sent it, whatever it is.
    expect(response.headers.get('retry-after') ?? '').toBe(headers['retry-after']);
    await response.text();
  });

  test('too long to sit through: a usage limit in responses, since Codex would otherwise sleep that long', async () => {
    for (const { wait, error } of [
      { wait: 60, error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
      { wait: 3600, error: { type: 'usage_limit_reached', code: 'rate_limit_exceeded' } },
    ]) {
      door.upstream.script(limited({ 'retry-after': String(wait) }));
      for (const way of translated.filter(({ format }) => format === 'responses')) {
        const renewed = Date.now() / 1000 + wait;
        const response = await ask(door.url, way, true);
        const told = JSON.parse(await response.text()).error;
        expect(told).toMatchObject({ ...error, message: expect.stringContaining('Slow down.') });
        if (wait === 60) expect(told).not.toHaveProperty('resets_at');
        else expect(Math.abs(told.resets_at - renewed)).toBeLessThan(30);
      }
    }
  });
});

describe('U-13 429 that no wait helps', () => {
  test.each(ways)('$name: asked once', async (way) => {
    const bodies: Record<FormatName, string> = {
      'chat-completions':
        '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
      responses:
        '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
      messages:
        '{"type":"error","error":{"type":"rate_limit_error","message":"Spend limit","details":{"error_code":"enforced_spend_limit_reached"}}}',
      'generate-content':
        '{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"RequestsPerDay_per_day"}]}]}}',
    };
    for (const headers of [{}, { 'retry-after-ms': '1' }]) {
      door.upstream.requests.length = 0;
      door.upstream.script((wire) => wire.answer(429, bodies[way.spoken], headers));
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(429);
      await response.text();
      if (way.format !== way.spoken) expect(response.headers.get('x-should-retry')).toBe('false');
      expect(door.upstream.requests).toHaveLength(1);
    }
  });
});

describe('U-14 the vendor fails', () => {
  /** Which are retried by default, and which with `failed`. */
  const table: [status: number, again: boolean][] = [
    [408, true],
    [409, true],
    [500, false],
    [502, false],
    [503, true],
    [504, false],
    [529, true],
  ];
  describe.each(table)('%i', (status, again) => {
    test.each(ways)('$name', async (way) => {
      door.upstream.script(
        (wire) => wire.answer(status, errorBody[way.spoken](status, 'Not now.')),
        (wire) => wire.answer(200, wholeAnswer(way.spoken)),
      );
      const response = await ask(door.url, way, false);
      await response.text();
      expect(door.upstream.requests).toHaveLength(again ? 2 : 1);
      expect(response.status === 200).toBe(again);
    });
  });

  test('all are, if a retry may cost twice', async () => {
    const bold = await startGateway({
      vendors: vendorsAtUrl(door.upstream.url),
      retries: { after: 'failed', wait: 1, perSecond: 1_000 },
    });
    for (const [status] of table) {
      for (const way of ways) {
        door.upstream.script(
          (wire) => wire.answer(status, errorBody[way.spoken](status, 'Not now.')),
          (wire) => wire.answer(200, wholeAnswer(way.spoken)),
        );
        const response = await ask(bold.url, way, false);
        expect(response.status, `${way.name} ${status}`).toBe(200);
        await response.text();
      }
    }
    await bold.close();
  });

  test('the same twice: the caller gets it unchanged, and may wait for as long as at the vendor itself', async () => {
    for (const way of ways) {
      door.upstream.requests.length = 0;
      const body = errorBody[way.spoken](503, 'Not now.');
      door.upstream.script((wire) => wire.answer(503, body));
      const response = await ask(door.url, way, false);
      const text = await response.text();
      if (way.format === way.spoken) expect(text).toBe(body);
      expect(response.status).toBe(way.format === 'messages' && way.spoken !== 'messages' ? 529 : 503);
      // Claude Code waits through ten attempts at an overloaded model, but makes none if this is false.
      expect(response.headers.get('x-should-retry')).toBeNull();
      expect(door.upstream.requests).toHaveLength(2);
    }
  });
});

test.each(ways)('U-14 $name: the answer after a retry tells SDKs not to retry', async (way) => {
  for (const status of [408, 409]) {
    door.upstream.script((wire) => wire.answer(status, errorBody[way.spoken](status, 'Not now.')));
    for (const stream of [false, true]) {
      door.upstream.requests.length = 0;
      const response = await ask(door.url, way, stream);
      await response.text();
      expect(response.ok).toBe(false);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(door.upstream.requests).toHaveLength(2);
    }
  }
});

describe('U-15 HTML pages, and empty bodies', () => {
  const page = '<!DOCTYPE html><html><title>502 Bad Gateway</title><h1>cloudflare ray 1f3</h1></html>';
  const table: [name: string, status: number, body: string, type: string][] = [
    ['a page with an error status', 502, page, 'text/html; charset=UTF-8'],
    ['a page with a success status', 200, page, 'text/html'],
    ['a page in XML with a success status', 200, page, 'application/xhtml+xml'],
    ['a drawing with a success status', 200, page, 'image/svg+xml; charset=utf-8'],
    ['a page of unsaid type with a success status', 200, ` ${page}`, ''],
    ['a sentence with an error status', 500, 'upstream connect error', 'text/plain'],
    ['an empty body with an error status', 500, '', 'application/json'],
    ['half an object with an error status', 500, '{"error":{"mess', 'application/json'],
  ];
  test.each(table)(
    '%s: an error in the caller’s format that shows nothing of it',
    async (_, status, body, type) => {
      for (const way of ways) {
        door.upstream.script((wire) => wire.answer(status, body, { 'content-type': type }));
        const response = await ask(door.url, way, false);
        const text = await response.text();
        expect(response.status).toBe(502);
        expect(JSON.parse(text)).toHaveProperty('error.message');
        expect(text).not.toMatch(/cloudflare|connect error|DOCTYPE/);
      }
    },
  );

  test.each(translated)('$name: a page without an end is not waited for', async (way) => {
    for (const stream of [false, true]) {
      let gone: Promise<number> | undefined;
      door.upstream.script((wire) => {
        gone = wire.gone;
        wire.head(200, { 'content-type': 'text/html' });
        wire.chunk('<p>');
      });
      const response = await ask(door.url, way, stream);
      expect(response.status).toBe(502);
      await response.text();
      expect(await gone).toBeGreaterThan(0);
    }
  });

  test('an empty body, a sentence or half an object instead of a translated answer: 502', async () => {
    for (const way of translated) {
      for (const [body, type] of [
        ['', 'application/json'],
        ['fine, thanks', 'text/plain'],
        [wholeAnswer(way.spoken).slice(0, -20), 'application/json'],
        ['[]', 'application/json'],
        ['null', 'application/json'],
        ['"x"', 'application/json'],
      ] as const) {
        door.upstream.script((wire) => wire.answer(200, body, { 'content-type': type }));
        const response = await ask(door.url, way, false);
        expect(response.status, `${way.name} ${body.slice(0, 20)}`).toBe(502);
        expect(JSON.parse(await response.text())).toHaveProperty('error.message');
      }
    }
  });
});

describe('U-16 answers that are shorter than they declare, or far too long', () => {
  const cuts: [name: string, script: (whole: string) => Script][] = [
    [
      'less than its length',
      (whole) => (wire) => {
        wire.head(200, { 'content-length': String(whole.length + 100) });
        wire.raw(whole);
        wire.fin();
      },
    ],
    [
      'no last chunk',
      (whole) => (wire) => {
        wire.head(200);
        wire.chunk(whole);
        wire.fin();
      },
    ],
    [
      'a reset in the middle',
      (whole) => (wire) => {
        wire.head(200);
        wire.chunk(whole.slice(0, 30));
        setTimeout(() => wire.reset(), 20);
      },
    ],
  ];
  describe.each(cuts)('%s', (_, cut) => {
    test.each(translated)('$name: 502, and nothing of it', async (way) => {
      door.upstream.script(cut(wholeAnswer(way.spoken)));
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(502);
      expect(JSON.parse(await response.text())).toHaveProperty('error.message');
      expect(door.upstream.requests).toHaveLength(1);
    });
    test.each(native)('$name: the caller’s connection breaks as the vendor’s did', async (way) => {
      door.upstream.script(cut(wholeAnswer(way.spoken)));
      const response = await ask(door.url, way, false);
      await expect(response.text()).rejects.toThrow();
    });
  });

  describe.each([
    ['in a text', (whole: string) => whole.slice(0, whole.indexOf('"', whole.length / 2) + 1)],
    ['behind an inner bracket', (whole: string) => whole.slice(0, whole.trimEnd().lastIndexOf('}'))],
    ['before its first byte', () => ''],
  ])('an answer that only its connection ends, cut %s', (_, cut) => {
    test.each(ways)('$name: 502 if it came at once, later the caller’s connection breaks', async (way) => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n';
      const sent = cut(wholeAnswer(way.spoken));
      door.upstream.script((wire) => {
        wire.raw(head + sent);
        wire.fin();
      });
      const response = await ask(door.url, way, false);
      const text = await response.text().catch(() => 'broken');
      if (text !== 'broken') expect(JSON.parse(text)).toHaveProperty('error.message');
      expect(text === 'broken' || response.status === 502).toBe(true);
    });
  });

  test.each(ways)('$name: an answer that only its connection ends passes', async (way) => {
    const sent = wholeAnswer(way.spoken);
    door.upstream.script((wire) => {
      wire.raw('HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n');
      for (const piece of sent.match(/[\s\S]{1,99}/g) ?? []) wire.raw(piece);
      wire.fin();
    });
    const response = await ask(door.url, way, false);
    expect(response.status).toBe(200);
    const text = await response.text();
    if (way.format === way.spoken) expect(text).toBe(sent);
  });

  test.each(['application/json', 'text/event-stream'])(
    'more than 64 MiB of %s to translate: 502',
    async (type) => {
      const [way] = translated;
      if (way === undefined) throw new Error('There is no way.');
      const piece = Buffer.from(`${' '.repeat(1024 * 1024 - 1)}\n`);
      let sent = 0;
      door.upstream.script(async (wire) => {
        wire.head(200, { 'content-type': type });
        while (sent < 80 && wire.socket.writable) {
          sent += 1;
          wire.chunk(piece);
          if (wire.socket.writableNeedDrain) {
            await Promise.race([new Promise((resolve) => wire.socket.once('drain', resolve)), wire.gone]);
          }
        }
      });
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(502);
      await response.text();
      expect(sent).toBeLessThan(80);
    },
  );

  test('an error of more than 1 MiB: 502', async () => {
    for (const way of ways) {
      door.upstream.script((wire) =>
        wire.answer(400, JSON.stringify({ error: { message: 'x'.repeat(1_100_000) } })),
      );
      const response = await ask(door.url, way, false);
      expect(response.status).toBe(502);
      expect((await response.text()).length).toBeLessThan(1_000);
    }
  });
});

describe('U-32 statuses without an answer', () => {
  test.each([204, 205, 206, 300, 301, 302, 303, 304, 307, 308, 399])(
    '%i: 502, and no redirect is followed',
    async (status) => {
      for (const way of ways) {
        door.upstream.requests.length = 0;
        door.upstream.script((wire) =>
          wire.raw(
            `HTTP/1.1 ${status} Said\r\nlocation: ${door.upstream.url}/elsewhere\r\ncontent-length: 0\r\n\r\n`,
          ),
        );
        const response = await ask(door.url, way, false);
        expect(response.status).toBe(502);
        const text = await response.text();
        expect(text).toContain(`(status ${status})`);
        expect(text).not.toContain('elsewhere');
        expect(door.upstream.requests.map(({ path }) => path)).not.toContain('/elsewhere');
        expect(door.upstream.requests).toHaveLength(1);
      }
    },
  );

  test.each(ways)('$name: a body that goes on after one is not waited for', async (way) => {
    let gone: Promise<number> | undefined;
    door.upstream.script((wire) => {
      gone = wire.gone;
      wire.head(307, { location: '/elsewhere' });
      wire.chunk('<p>');
    });
    const response = await ask(door.url, way, false);
    expect(response.status).toBe(502);
    await response.text();
    expect(await gone).toBeGreaterThan(0);
  });

  const interim = {
    100: 'HTTP/1.1 100 Continue\r\n\r\n',
    '100 with headers': 'HTTP/1.1 100\r\nx-a: b\r\n\r\n',
    102: 'HTTP/1.1 102 Processing\r\n\r\n',
    103: 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n',
  };
  test.each(Object.entries(interim))('%s before the answer is skipped', async (_, head) => {
    for (const way of ways) {
      for (const heads of [[head], [head + head], [...head], [head.slice(0, 5), head.slice(5)]]) {
        const whole = wholeAnswer(way.spoken);
        door.upstream.script(async (wire) => {
          for (const piece of heads) {
            wire.raw(piece);
            if (heads.length > 1) await new Promise((resolve) => setTimeout(resolve, 1));
          }
          wire.answer(200, whole);
        });
        const response = await ask(door.url, way, false);
        expect(response.status).toBe(200);
        expect(response.headers.get('link')).toBeNull();
        const text = await response.text();
        if (way.format === way.spoken) expect(text).toBe(whole);
      }
    }
  });

  test('a body that looks like one is left alone', async () => {
    const [way] = native;
    const looks = `${interim[100]}${interim[100]}`;
    door.upstream.script(async (wire) => {
      wire.head(200, { 'content-type': 'text/event-stream', 'content-length': `${looks.length + 2}` });
      await new Promise((resolve) => setTimeout(resolve, 20));
      wire.raw(looks);
      await new Promise((resolve) => setTimeout(resolve, 20));
      wire.raw('\n\n');
    });
    const response = await ask(door.url, way, true);
    expect(await response.text()).toContain(`${looks}\n\n`);
  });

  test('101, which nobody asked for: 502', async () => {
    door.upstream.script((wire) =>
      wire.raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    );
    const response = await ask(door.url, native[0], false);
    expect(response.status).toBe(502);
    await response.text();
  });
});

describe('U-34 headers of the vendor', () => {
  const sent = {
    'set-cookie': 'session=1',
    server: 'nginx/1.2',
    'alt-svc': 'h3=":443"',
    'strict-transport-security': 'max-age=1',
    'x-powered-by': 'Express',
    'openai-organization': 'org-x',
    'anthropic-organization-id': 'org-y',
    'access-control-allow-origin': 'https://vendor.example',
    'content-security-policy': "default-src 'none'",
    location: 'http://internal/',
    'x-internal-host': '10.0.0.7',
    'proxy-authenticate': 'Basic',
    trailer: 'x-later',
    via: '1.1 internal',
    'cf-ray': '1',
  };
  test.each(ways)('$name: only listed ones pass, on good answers, streams and errors', async (way) => {
    for (const script of [
      (wire) => wire.answer(200, wholeAnswer(way.spoken), sent),
      (wire) => {
        wire.stream([streamedAnswer(way.spoken)], sent);
        wire.lastChunk();
      },
      (wire) => wire.answer(400, errorBody[way.spoken](400, 'No.'), sent),
    ] satisfies Script[]) {
      door.upstream.script(script);
      const response = await ask(door.url, way, true);
      await response.text();
      for (const name of Object.keys(sent)) {
        const got = response.headers.get(name);
        expect(got === null || !Object.values(sent).includes(got), `${name}: ${got}`).toBe(true);
      }
    }
  });
});

test('an error is as long as it declares, even if a key was removed from it', async () => {
  const [way] = native;
  if (way === undefined) throw new Error('There is no way.');
  const said = (key: string): string => errorBody['chat-completions'](400, `Not with ${key}.`);
  door.upstream.script((wire) => wire.answer(400, said('vendor-key-openai')));
  const response = await ask(door.url, way, false);
  expect(await response.text()).toBe(said('[hidden]'));
  expect(response.headers.get('content-length')).toBe(`${said('[hidden]').length}`);
});

test.each(ways)('$name: a whole answer declares its length', async (way) => {
  door.upstream.script((wire) => wire.answer(200, wholeAnswer(way.spoken)));
  const response = await ask(door.url, way, false);
  const bytes = await response.bytes();
  expect(response.headers.get('content-length')).toBe(`${bytes.byteLength}`);
});

test('a compressed error is read all the same', async () => {
  const [way] = native;
  if (way === undefined) throw new Error('There is no way.');
  const body = errorBody['chat-completions'](400, 'The field x is odd.');
  door.upstream.script((wire) => wire.answer(400, gzipSync(body), { 'content-encoding': 'gzip' }));
  const response = await ask(door.url, way, false);
  expect(response.status).toBe(400);
  expect(await response.text()).toBe(body);
});

/** The format of a request on the vendor's side. */
function formatOf(path: string): FormatName {
  if (path.includes('chat/completions')) return 'chat-completions';
  if (path.includes('/responses')) return 'responses';
  return path.includes('/messages') ? 'messages' : 'generate-content';
}
