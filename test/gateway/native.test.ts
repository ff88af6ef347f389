/** The native path of all four formats: the caller's request and the vendor's answer pass byte for byte. */

import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

let upstream: TestUpstream;
let gateway: TestGateway;
let respond: Respond;

beforeAll(async () => {
  upstream = await startUpstream((received, response, request) => respond(received, response, request));
  gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
afterEach(() => void vi.useRealTimers());
beforeEach(() => {
  upstream.received.length = 0;
  respond = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

interface Path {
  readonly name: string;
  readonly path: string;
  /** The model as a caller writes it, with the vendor; absent if the path names it. */
  readonly model?: string;
  readonly upstreamModel?: string;
  readonly upstreamPath: string;
  readonly auth: Record<string, string>;
  readonly vendorAuth: [header: string, value: string];
}

const bearer = { authorization: `Bearer ${KEY}` };
const paths: Path[] = [
  {
    name: 'chat-completions, openai',
    path: '/v1/chat/completions',
    model: 'openai/gpt-4o',
    upstreamModel: 'gpt-4o',
    upstreamPath: '/v1/chat/completions',
    auth: bearer,
    vendorAuth: ['authorization', 'Bearer vendor-key-openai'],
  },
  {
    name: 'chat-completions, another vendor',
    path: '/v1/chat/completions',
    model: 'deepseek/deepseek-v4-flash',
    upstreamModel: 'deepseek/deepseek-v4-flash',
    upstreamPath: '/v1/chat/completions',
    auth: bearer,
    vendorAuth: ['authorization', 'Bearer vendor-key-compatible'],
  },
  {
    name: 'responses',
    path: '/v1/responses',
    model: 'openai/gpt-4o',
    upstreamModel: 'gpt-4o',
    upstreamPath: '/v1/responses',
    auth: bearer,
    vendorAuth: ['authorization', 'Bearer vendor-key-openai'],
  },
  {
    name: 'compact',
    path: '/v1/responses/compact',
    model: 'openai/gpt-5.4',
    upstreamModel: 'gpt-5.4',
    upstreamPath: '/v1/responses/compact',
    auth: bearer,
    vendorAuth: ['authorization', 'Bearer vendor-key-openai'],
  },
  {
    name: 'input_tokens',
    path: '/v1/responses/input_tokens',
    model: 'openai/gpt-4o',
    upstreamModel: 'gpt-4o',
    upstreamPath: '/v1/responses/input_tokens',
    auth: bearer,
    vendorAuth: ['authorization', 'Bearer vendor-key-openai'],
  },
  {
    name: 'messages',
    path: '/v1/messages',
    model: 'anthropic/claude-sonnet-4-5',
    upstreamModel: 'claude-sonnet-4-5',
    upstreamPath: '/v1/messages',
    auth: { 'x-api-key': KEY },
    vendorAuth: ['x-api-key', 'vendor-key-anthropic'],
  },
  {
    name: 'count_tokens',
    path: '/v1/messages/count_tokens',
    model: 'anthropic/claude-sonnet-4-5',
    upstreamModel: 'claude-sonnet-4-5',
    upstreamPath: '/v1/messages/count_tokens',
    auth: { 'x-api-key': KEY },
    vendorAuth: ['x-api-key', 'vendor-key-anthropic'],
  },
  ...['generateContent', 'streamGenerateContent', 'countTokens'].map((method) => ({
    name: method,
    path: `/v1beta/models/gemini-2.5-flash:${method}`,
    upstreamPath: `/v1beta/models/gemini-2.5-flash:${method}`,
    auth: { 'x-goog-api-key': KEY },
    vendorAuth: ['x-goog-api-key', 'vendor-key-google'] satisfies [string, string],
  })),
];

/** Bodies that parsing and serializing would change. `"MODEL"` stands for the model's value. */
const bodies: [name: string, body: string][] = [
  [
    'odd spacing',
    ' {\r\n\t"messages" :\t[ ] ,"max_tokens" : 9 ,"model"  :\n "MODEL" , "x":[1 ,2 , 3 ]\n}\n ',
  ],
  ['escapes', '{"max_tokens":9,"model":"MODEL","text":"\\u00e9\\ud83d\\ude00\\/ \\u0000 é 😀 \u2028"}'],
  [
    'big numbers',
    '{"max_tokens":9,"a":12345678901234567890,"b":1.0,"c":-0,"d":1e400,"e":0.1000,"model":"MODEL"}',
  ],
  [
    'unknown fields, nested duplicates',
    '{"max_tokens":9,"zzz":{"a":1,"a":2,"model":"inner"},"model":"MODEL","__proto__":{"x":1}}',
  ],
  [
    '5 MB of text',
    `{"max_tokens":9,"model":"MODEL","text":"${'Zeile \\n "\\"" 漢字 '.repeat(250_000).replaceAll('"\\""', '\\"')}"}`,
  ],
];

/** The least that a request has. */
const least = ({ model }: Path) => (model ? { model, max_tokens: 9 } : {});

const send = (path: Path, body: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path.path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...path.auth, ...headers },
  });

describe.each(paths)('$name', (path) => {
  test.each(bodies)('passes %s unchanged, except for the vendor part of the model', async (_, template) => {
    // If the path names the model, the body has none.
    const template_ =
      path.model === undefined ? template.replace(/"model"(?=\s*:\s*"MODEL")/, '"model_"') : template;
    const sent = template_.replace('MODEL', path.model ?? 'MODEL');
    const expected = template_.replace('MODEL', path.upstreamModel ?? 'MODEL');
    let got = '';
    respond = ({ body }, response) => {
      got = sha256(body);
      // The vendor's answer is as odd as the request.
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    };
    const response = await send(path, sent);
    const answer = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(got).toBe(sha256(expected));
    expect(sha256(answer)).toBe(sha256(expected));
    expect(upstream.received[0]?.url).toBe(path.upstreamPath);
  });

  test("streams the vendor's stream, each event when it is complete", async () => {
    const pieces = [
      ['event: a\r\ndata: {"x":1}\r\n\r\n'],
      [': comment\n\n'],
      // A partial event is held: its other half may contain what no caller should read.
      ['data: \u{1f600}', '\n\n'],
      ['data: 1\n\ndata: 2\n\n'],
      ['data: [DONE]\n\n'],
    ];
    let next: (() => void) | undefined;
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const rest = [...pieces];
      next = () => {
        const piece = rest.shift();
        if (piece === undefined) response.end();
        for (const part of piece ?? []) response.write(part);
      };
      next();
    };
    const response = await send(path, JSON.stringify({ ...least(path), stream: true }));
    const seen: string[] = [];
    // Each piece is requested only when the one before has arrived: nothing is held back.
    for await (const chunk of response.body ?? []) {
      seen.push(Buffer.from(chunk).toString());
      next?.();
    }
    expect(seen).toEqual(pieces.map((parts) => parts.join('')));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
  });

  test('no proxy on the way may buffer a stream: its type stays, and a non-streamed answer is left unchanged', async () => {
    const body = JSON.stringify(least(path));
    const own = { 'cache-control': 'private', 'content-length': '9' };
    respond = (_, response) =>
      response.writeHead(200, { ...own, 'content-type': 'text/event-stream;x=1' }).end('data: 1\n\n');
    const stream = await send(path, body);
    expect(await stream.text()).toBe('data: 1\n\n');
    expect(stream.headers.get('content-type')).toBe('text/event-stream;x=1');
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    respond = (_, response) =>
      response.writeHead(200, { ...own, 'content-type': 'application/json' }).end('{"a": 1 }');
    const whole = await send(path, body);
    expect(whole.headers.get('cache-control')).toBe('private');
    expect(whole.headers.get('content-length')).toBe('9');
    expect(whole.headers.get('x-accel-buffering')).toBeNull();
  });

  test("sends the vendor's own credential and no other", async () => {
    await send(path, JSON.stringify(least(path)), {
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      'x-nominated': 'hop',
      'openai-organization': 'org-caller',
      'proxy-authorization': 'Basic x',
    });
    const headers = upstream.received[0]?.headers ?? {};
    const [header, value] = path.vendorAuth;
    expect(headers[header]).toBe(value);
    expect(JSON.stringify(headers)).not.toContain(KEY);
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key'].filter((name) => name !== header)) {
      expect(headers[name]).toBeUndefined();
    }
    for (const name of [
      'cookie',
      'x-forwarded-for',
      'x-nominated',
      'openai-organization',
      'proxy-authorization',
    ]) {
      expect(headers[name]).toBeUndefined();
    }
  });

  test('an error of the vendor comes back as the vendor wrote it', async () => {
    const text = '{ "error" : {"message":"no such luck", "odd":1.0 } }';
    respond = (_, response) =>
      response.writeHead(422, { 'content-type': 'application/json', 'retry-after': '7' }).end(text);
    const response = await send(path, JSON.stringify(least(path)));
    expect(response.status).toBe(422);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.text()).toBe(text);
  });

  test("the vendor's refusal of the gateway's key is neither shown nor blamed on the caller", async () => {
    respond = (_, response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"error":{"message":"Incorrect API key provided: vendor-key-openai"}}');
    const response = await send(path, JSON.stringify(least(path)));
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('vendor-key');
  });

  test('an answer that breaks off before the first byte of its body is a 502, not a connection that just ends', async () => {
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).flushHeaders();
      setTimeout(() => response.destroy(), 20);
    };
    const response = await send(path, JSON.stringify(least(path)));
    expect(response.status).toBe(502);
    expect(await response.json()).toHaveProperty('error');
  });

  test('the upstream is aborted when the caller leaves, without a timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    };
    const closed = upstream.closed();
    const controller = new AbortController();
    const response = await fetch(gateway.url + path.path, {
      method: 'POST',
      body: JSON.stringify(least(path)),
      headers: { 'content-type': 'application/json', ...path.auth },
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
    await closed;
  });

  test('the same if the caller leaves before the vendor has sent anything', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    respond = () => arrived?.();
    const closed = upstream.closed();
    const controller = new AbortController();
    const pending = fetch(gateway.url + path.path, {
      method: 'POST',
      body: JSON.stringify(least(path)),
      headers: { 'content-type': 'application/json', ...path.auth },
      signal: controller.signal,
    });
    pending.catch(() => undefined);
    await arrival;
    controller.abort();
    await closed;
  });
});

describe('headers and query of the native path', () => {
  const messages = paths.find((path) => path.name === 'messages');
  if (messages === undefined) throw new TypeError('no messages path');
  const body = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 9 });

  test("anthropic-version is filled in, or the caller's is kept, under either name", async () => {
    await send(messages, body);
    await send(messages, body, { 'anthropic-version': '2024-01-01' });
    await send(messages, body, { 'vendorB-version': '2025-01-01', 'vendorB-beta': 'b1' });
    expect(upstream.received.map(({ headers }) => headers['anthropic-version'])).toEqual([
      '2023-06-01',
      '2024-01-01',
      '2025-01-01',
    ]);
    expect(upstream.received[2]?.headers['anthropic-beta']).toBe('b1');
  });

  test('anthropic-beta and the query pass; a key in the query does not', async () => {
    await fetch(`${gateway.url}/v1/messages?beta=true&x=1`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'anthropic-beta': 'a-2025,b-2025' },
    });
    await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=${KEY}`, {
      method: 'POST',
      body: '{"contents":[]}',
      headers: { 'content-type': 'application/json' },
    });
    expect(upstream.received.map(({ url }) => url)).toEqual([
      '/v1/messages?beta=true&x=1',
      '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    ]);
    expect(upstream.received[0]?.headers['anthropic-beta']).toBe('a-2025,b-2025');
  });

  test("the vendor's rate limits pass, its account and its cookies do not", async () => {
    respond = (_, response) =>
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'x-ratelimit-remaining-tokens': '5',
          'anthropic-ratelimit-requests-remaining': '6',
          'openai-organization': 'org-of-the-gateway',
          'anthropic-organization-id': 'org',
          'set-cookie': 'a=b',
          server: 'nginx',
        })
        .end('{}');
    const { headers } = await send(messages, body, { 'x-request-id': 'mine-1' });
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe('5');
    expect(headers.get('anthropic-ratelimit-requests-remaining')).toBe('6');
    for (const name of ['openai-organization', 'anthropic-organization-id', 'set-cookie', 'server']) {
      expect(headers.get(name)).toBeNull();
    }
    expect(headers.get('x-request-id')).toBe('mine-1');
  });

  test("the vendor's headers that clients rely on pass", async () => {
    const told = {
      'content-language': 'en',
      'retry-after': '7',
      'retry-after-ms': '6500',
      'x-should-retry': 'true',
      'request-id': 'req_vendor',
      warning: '299 - "Old"',
      deprecation: '@1767225600',
      sunset: 'Thu, 31 Dec 2026 00:00:00 GMT',
      'server-timing': 'model;dur=5',
      'x-gemini-service-tier': 'flex',
    };
    for (const status of [200, 400]) {
      respond = (_, response) =>
        response.writeHead(status, { 'content-type': 'application/json', ...told }).end('{}');
      const { headers } = await send(messages, body);
      expect(Object.fromEntries(headers)).toMatchObject(told);
    }
  });

  test("a model in any spelling reaches the vendor in the vendor's spelling", async () => {
    for (const model of ['Anthropic/Claude-Sonnet-4-5', 'CLAUDE-SONNET-4-5', 'claude-sonnet-4-5']) {
      await send(messages, JSON.stringify({ model, max_tokens: 1 }));
    }
    expect(upstream.received.map(({ body }) => body.toString())).toEqual(
      Array(3).fill('{"model":"claude-sonnet-4-5","max_tokens":1}'),
    );
  });
});

// At the beginning the gateway waits for a whole event, which may say that there will be no answer; but not for a very
// long one.
test.each(['response.created', 'response.output_text.delta'])(
  'a first event of any length passes as it arrives: %s',
  async (type) => {
    const patient = await startGateway({
      vendors: vendorsAtUrl(upstream.url),
      timeouts: { hold: 3_600_000 },
    });
    const begin = `data: {"type":"${type}","x":"${'y'.repeat(300_000)}`;
    let goOn: (() => void) | undefined;
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(begin);
      goOn = () => response.end('"}\n\n');
    };
    const response = await postJson(`${patient.url}/v1/responses`, '{"model":"gpt-4o"}');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      goOn?.();
      goOn = undefined;
    }
    expect(text).toBe(`${begin}"}\n\n`);
    await patient.close();
  },
);

describe('a caller who stops reading', () => {
  const total = 200 * 1024 * 1024;

  test('pauses the vendor, and loses nothing when reading resumes', async () => {
    let written = 0;
    const sent = createHash('sha256');
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = `data: ${'x'.repeat(8184)}\n\n`;
      const more = (): void => {
        while (written < total) {
          sent.update(event);
          written += event.length;
          if (!response.write(event)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-4o', stream: true }),
      headers: { 'content-type': 'application/json', ...bearer },
    });
    // Wait until nothing moves any more: kernel buffers and the gateway's own are full.
    let before = -1;
    while (written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(written).toBeLessThan(32 * 1024 * 1024);
    const got = createHash('sha256');
    for await (const chunk of response.body ?? []) got.update(chunk);
    expect(got.digest('hex')).toBe(sent.digest('hex'));
  });
});

describe('a messages request without max_tokens', () => {
  const messages = paths.find((path) => path.name === 'messages');
  if (messages === undefined) throw new TypeError('no messages path');

  test.each([
    ['without it', {}],
    ['with null', { max_tokens: null }],
  ])('is refused by the gateway itself, whatever the service would do: %s', async (_, more) => {
    const body = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }], ...more };
    const response = await send(messages, JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: Field required' },
    });
    expect(upstream.received).toHaveLength(0);
  });
});
