/** What leaves the gateway: headers and streams into which nothing can be injected, browsers, logs, and neighbours. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { spawnGateway } from '../support/process.ts';
import { eventually, exchange, post, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { CANARY, chunk, requestOf, STREAM_END, sized, streamEvents, useStage, ways } from './stage.ts';

const stage = useStage({ cors: { origins: ['https://app.example', 'http://localhost:3000'] } }, {}, [
  'SECRET-IN-QUERY',
  '\x1b[2J',
]);
afterAll(() => {
  // Every log entry is one JSON object a line, whoever wrote what into it.
  for (const line of stage.gateway.lines().filter((line) => line.startsWith('{')))
    expect(() => JSON.parse(line)).not.toThrow();
});

const [native, translated] = ways;
const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', connection: 'close' };

const send = (path: string, body: string, lines: readonly string[] = []): Promise<string> =>
  exchange(stage.gateway.port, post(path, body, [...lines, 'Connection: close']));

describe("S-18 a caller's input is in no header of the answer", () => {
  const evil = [
    'a b',
    'x;y',
    '<x>',
    '"',
    "'",
    'é',
    '\t',
    'a,b',
    'x'.repeat(129),
    '%0d%0aX-Injected:1',
    '../x',
    'a:b',
    '',
  ];

  test.each(evil.map((id) => [JSON.stringify(id.slice(0, 30)), id] as const))(
    'the request id %s is replaced by one of ours',
    async (_, id) => {
      for (const way of ways) {
        for (const body of [requestOf(way, false), '{']) {
          const answer = await send(way.path, body, [`x-request-id: ${id}`]);
          expect(answer).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}\r\n/);
          expect(answer).not.toContain('X-Injected');
        }
      }
    },
  );

  test('two of them count as none', async () => {
    const answer = await send(native.path, '{', ['x-request-id: one', 'x-request-id: two']);
    expect(answer).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}\r\n/);
  });

  test('nor is a model, an origin, a path or an unknown header', async () => {
    const answer = await send(
      `/v1/models/x${encodeURIComponent('\r\nX-Injected: 1')}`,
      '{"model":"\\r\\nX-Injected: 1"}',
      ['Origin: https://evil.example', 'traceparent: x', 'tracestate: evil=1', 'x-echo: evil'],
    );
    const [head = ''] = answer.split('\r\n\r\n');
    expect(head).not.toMatch(/evil|injected/i);
  });
});

describe("S-19 a vendor's text cannot break a frame of the stream", () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\0',
      '\u2028',
      '\u0085',
      'data: ',
      'event: error',
      ': ',
      'id: 1',
      'retry: 1',
      '[DONE]',
      '"',
      '\\',
      '</script>',
      'a',
      '\ud83d\ude00',
    ),
    maxLength: 30,
  });

  test('text, names of tools, arguments, ids: every event of the translation is one, and whole', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, async (text, name, id) => {
        const call = {
          index: 0,
          id: `c${id}`,
          type: 'function',
          function: { name: `f${name}`, arguments: JSON.stringify({ text }) },
        };
        const choice = (delta: object, reason: string | null = null) =>
          `data: ${JSON.stringify({ id: `x${id}`, object: 'chat.completion.chunk', created: 1, model: `m${name}`, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
        stage.respondWith((_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(
            choice({ content: `t${text}` }) +
              choice({ tool_calls: [call] }) +
              choice({}, 'tool_calls') +
              'data: [DONE]\n\n',
          );
        });
        const response = await fetch(stage.gateway.url + translated.path, {
          method: 'POST',
          body: requestOf(translated, true),
          headers: HEADERS,
        });
        const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
        let said = '';
        for (const frame of frames) {
          const [event = '', data = '', ...more] = frame.split(/\r\n|\n|\r/);
          expect(more).toEqual([]);
          expect(event).toMatch(
            /^event: (?:message_start|content_block_(?:start|delta|stop)|message_(?:delta|stop)|ping)$/,
          );
          const value = JSON.parse(data.slice('data: '.length));
          expect(`event: ${value.type}`).toBe(event);
          if (value.delta?.type === 'text_delta') said += value.delta.text;
        }
        expect(said).toBe(`t${text}`);
      }),
      { numRuns: 150 },
    );
  });

  test("the vendor's event names do not appear in ours", async () => {
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: evil\rdata: x\n${chunk('Hi')}event: message_stop\nid: 1\nretry: 1\n${STREAM_END}`);
    });
    const answer = await send(translated.path, requestOf(translated, true));
    expect(answer).not.toMatch(/evil|retry|id: 1/);
    expect(answer.match(/event: message_stop/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

describe('S-20, S-26 the log', () => {
  test('contains no prompts, answers, keys, queries or terminal escapes', async () => {
    const escapes = '\x1b[2J\n{"level":"fatal"}\r\x07';
    stage.respondWith((_, response) => json(response, { error: { message: `${CANARY} ${escapes}` } }, 400));
    for (const way of ways) {
      await send(`${way.path}?key=SECRET-IN-QUERY`, requestOf(way, false, CANARY + escapes));
      await send(way.path, JSON.stringify({ model: `${escapes}${CANARY}`, messages: CANARY }));
      await send(way.path, `{"${CANARY}":`);
    }
    stage.respondWith((_, response) => streamEvents(response, 3, 5, () => `${CANARY} ${escapes}`));
    for (const way of ways) expect(await send(way.path, requestOf(way, true))).toContain(CANARY);
    expect(stage.gateway.output()).not.toContain(CANARY);
  });

  test('S-26 a crash of Node writes no report and no heap snapshot', () => {
    const scripts = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).scripts;
    expect(JSON.stringify(scripts)).not.toMatch(/--report|--heapsnapshot|--heap-prof|--inspect/);
  });
});

describe('S-22 browsers', () => {
  const ask = async (
    method: string,
    origin: string | undefined,
    lines: readonly string[] = [],
    path = '/v1/models',
  ) => {
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: gateway',
      `Authorization: Bearer ${KEY}`,
      'Connection: close',
      ...(origin === undefined ? [] : [`Origin: ${origin}`]),
      ...lines,
      '',
      '',
    ].join('\r\n');
    const [answer = ''] = (await exchange(stage.gateway.port, head)).split('\r\n\r\n');
    return answer.toLowerCase();
  };

  test.each(['https://app.example', 'http://localhost:3000'])(
    'an allowed origin, %s, and no other, may read answers',
    async (origin) => {
      const answer = await ask('GET', origin);
      expect(answer).toContain(`\r\naccess-control-allow-origin: ${origin}`);
      expect(answer).toMatch(/\r\nvary: origin/);
      expect(answer).not.toContain('access-control-allow-credentials');
    },
  );

  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'https://app.example:444',
    'http://app.example',
    'https://APP.example',
    'null',
    'https://app.example, https://evil.example',
    '*',
    'file://',
    'https://evil-app.example',
    '',
  ])('any other may not: %j', async (origin) => {
    for (const path of ['/v1/models', '/v1/chat/completions', '/nope', '/']) {
      for (const method of ['GET', 'OPTIONS']) {
        expect(
          await ask(
            method,
            origin,
            ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization'],
            path,
          ),
        ).not.toContain('access-control-allow');
      }
    }
  });

  test('a preflight needs no key, gets the answer it asks for, and reaches no vendor', async () => {
    const before = stage.upstream.received.length;
    const head = `OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, x-stainless-os\r\nConnection: close\r\n\r\n`;
    const answer = await exchange(stage.gateway.port, head);
    expect(statusOf(answer)).toBe(204);
    expect(answer).toMatch(/\r\naccess-control-allow-headers: authorization, x-stainless-os\r\n/);
    expect(answer).toMatch(/\r\naccess-control-allow-methods: GET, POST, PUT, PATCH, DELETE, OPTIONS\r\n/);
    expect(answer).toMatch(/\r\nvary: origin, access-control-request-headers\r\n/);
    expect(answer).toMatch(/\r\naccess-control-max-age: 86400\r\n/);
    expect(answer).not.toContain('private-network');
    expect(stage.upstream.received.length).toBe(before);
  });

  test('a web page may send requests into a private network, with the permission that browsers require', async () => {
    const asked = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Private-Network: true'];
    const line = '\r\naccess-control-allow-private-network: true';
    expect(await ask('OPTIONS', 'https://app.example', asked)).toContain(line);
    expect(await ask('OPTIONS', 'https://evil.example', asked)).not.toContain(line);
  });

  test.each([
    ['OPTIONS', 'https://app.example', []],
    ['OPTIONS', undefined, ['Access-Control-Request-Method: POST']],
    ['GET', 'https://app.example', ['Access-Control-Request-Method: POST']],
  ])(
    'a request that is not a preflight gets 404 for an unknown path: %s of %s with %j',
    async (method, origin, lines) => {
      expect(await ask(method, origin, lines, '/nope')).toMatch(/^http\/1\.1 404/);
    },
  );

  test.each([
    ['POST', '/v1/v1/messages'],
    ['POST', '/chat/completions'],
    ['POST', '/v1/embeddings'],
    ['DELETE', '/v1/responses/resp_1/cancel'],
    ['PATCH', '/v1beta/models/gemini-2.5-flash'],
  ])('a page can read the error for an unknown path or method too: %s %s', async (method, path) => {
    const origin = 'https://app.example';
    const preflight = await ask(
      'OPTIONS',
      origin,
      [`Access-Control-Request-Method: ${method}`, 'Access-Control-Request-Headers: authorization'],
      path,
    );
    expect(preflight).toMatch(/^http\/1\.1 204/);
    expect(preflight).toContain(`\r\naccess-control-allow-origin: ${origin}`);
    expect(preflight).toContain('\r\naccess-control-allow-headers: authorization');
    expect(preflight).toMatch(new RegExp(`\r\naccess-control-allow-methods: .*${method.toLowerCase()}`));
    const answer = await ask(method, origin, [], path);
    expect(answer).toMatch(/^http\/1\.1 40[45]/);
    expect(answer).toContain(`\r\naccess-control-allow-origin: ${origin}`);
  });

  test('pages can read errors too, and cookies are neither read nor set', async () => {
    for (const [path, body] of [
      ['/v1/chat/completions', '{'],
      ['/nope', ''],
    ] as const) {
      const answer = await send(path, body, ['Origin: https://app.example', 'Cookie: session=1']);
      expect(answer).toContain('access-control-allow-origin: https://app.example');
      expect(answer).not.toMatch(/set-cookie/i);
    }
  });

  test('every origin is allowed if none is named: then without a Vary, and still without credentials', async () => {
    const open = await spawnGateway();
    const headers = { authorization: `Bearer ${KEY}`, origin: 'https://any.example' };
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
    for (const response of [
      await fetch(`${open.url}/v1/models`, { headers }),
      await fetch(`${open.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(response.headers.get('vary')).toBeNull();
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      await response.text();
    }
    await open.close();
  });

  test('the console runs no script but its own, and may not be framed', async () => {
    const response = await fetch(`${stage.gateway.url}/`, { headers: { connection: 'close' } });
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style="|javascript:/i);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});

describe('S-29 neighbours', () => {
  const STREAMS = sized(1_000, 10_000);

  test(`${STREAMS} streams, a hundred at a time, some leaving: each gets its own words and no others`, {
    timeout: 60 * STREAMS,
  }, async () => {
    const tagOf = (body: string): string => /tag-\d+/.exec(body)?.[0] ?? 'none';
    stage.respondWith(({ body }, response) => {
      const tag = tagOf(body.toString());
      streamEvents(response, 4, 1 + (Number(tag.slice(4)) % 7), (at) => `<${tag}:${at}>`);
    });
    let heard = 0;
    const one = async (at: number): Promise<void> => {
      const way = at % 2 === 0 ? native : translated;
      const leaves = at % 5 === 4;
      const control = new AbortController();
      const response = await fetch(stage.gateway.url + way.path, {
        method: 'POST',
        body: requestOf(way, true, `tag-${at}`),
        headers: { ...HEADERS, 'x-request-id': `id-${at}` },
        signal: control.signal,
      });
      expect(response.headers.get('x-request-id')).toBe(`id-${at}`);
      let text = '';
      try {
        for await (const piece of response.body ?? []) {
          text += Buffer.from(piece).toString();
          if (leaves && text.includes(':1>')) control.abort();
        }
      } catch (error) {
        if (!leaves) throw error;
      }
      const said = [...text.matchAll(/<(tag-\d+):(\d)>/g)].map(([, tag, index]) => `${tag}:${index}`);
      expect(said).toEqual([0, 1, 2, 3].slice(0, said.length).map((index) => `tag-${at}:${index}`));
      if (!leaves) expect(said).toHaveLength(4);
      heard++;
    };
    for (let round = 0; round < STREAMS / 100; round++)
      await Promise.all(Array.from({ length: 100 }, (_, at) => one(round * 100 + at)));
    expect(heard).toBe(STREAMS);
    await eventually(() => stage.live() === 0, 'every answer of the vendor has ended');
  });

  test('bodies that the vendor echoes come back to their own callers', async () => {
    stage.respondWith(({ body }, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const body = requestOf(native, false, `${at}-`.repeat(1 + at * 50));
        const response = await fetch(stage.gateway.url + native.path, {
          method: 'POST',
          body,
          headers: HEADERS,
        });
        expect(sha(await response.text())).toBe(sha(body));
      }),
    );
  });
});
