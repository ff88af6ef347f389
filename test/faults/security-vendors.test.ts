/** What is sent to a vendor and what comes back: one credential, selected headers, one address, no secret. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { exchange, post, rawClient, statusOf } from '../support/raw.ts';
import { json, type Respond } from '../support/upstream.ts';
import { requestOf, useStage, ways } from './stage.ts';

const stage = useStage({}, {}, ['secret-header', 'of the inside']);
/** A machine in the operator's network that the gateway must never contact. */
let inside: { readonly url: string; readonly hits: string[]; close(): void };

beforeAll(async () => {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.end('{"secret":"of the inside"}');
  });
  server.on('connection', () => hits.push('connection'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
  inside = { url: `http://127.0.0.1:${port}`, hits, close: () => server.close() };
});
afterAll(() => inside.close());

const [native, translated] = ways;
const messages = { path: '/v1/messages', model: 'claude-sonnet-4-5' };
const gemini = '/v1beta/models/gemini-2.5-pro:generateContent';

const send = (path: string, body: string, lines: readonly string[] = []): Promise<string> =>
  exchange(stage.gateway.port, post(path, body, [...lines, 'Connection: close']));
const got = () => stage.upstream.received.at(-1);

describe('requests to a vendor', () => {
  /** Sixty headers that callers, browsers and proxies send, or might try. */
  const names =
    'cookie set-cookie proxy-authorization proxy-connection te trailer upgrade forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip x-client-ip cf-connecting-ip true-client-ip x-original-url x-rewrite-url x-http-method-override x-api-key x-goog-api-key x-vendorc-api-key api-key x-auth-token x-access-token x-csrf-token authentication www-authenticate origin referer sec-fetch-mode sec-ch-ua user-agent accept-language if-none-match range content-md5 digest from dnt x-amz-security-token x-amzn-trace-id x-ms-token x-goog-user-project x-goog-iam-authorization-token x-goog-iam-authority-selector x-goog-iap-jwt-assertion x-goog-authenticated-user-email x-goog-authenticated-user-id openai-organization openai-project anthropic-organization-id anthropic-workspace-id x-portkey-config helicone-auth x-litellm-api-key x-openrouter-key __proto__ constructor x-nominated keep-alive baggage b3 x-b3-traceid x-debug x-custom host2'.split(
      ' ',
    );

  test('S-06 contain none of sixty headers, only its own credential and what the format needs', async () => {
    expect(names.length).toBeGreaterThanOrEqual(60);
    const foreign = names.filter(
      (name) => !['x-api-key', 'x-goog-api-key', 'x-vendorc-api-key'].includes(name),
    );
    const lines = foreign.map((name) => `${name}: secret-header`);
    const requests: [path: string, body: string, carrier: string][] = [
      [native.path, requestOf(native, false), 'authorization'],
      [translated.path, requestOf(translated, false), 'authorization'],
      [messages.path, requestOf(messages, false), 'x-api-key'],
      [gemini, '{"contents":[]}', 'x-goog-api-key'],
    ];
    for (const [path, body, carrier] of requests) {
      await send(path, body, lines);
      const headers = got()?.headers ?? {};
      expect(JSON.stringify(headers)).not.toMatch(/secret-header|gw-/);
      expect(String(headers[carrier])).toMatch(/^(?:Bearer )?vendor-key-\w+$/);
      const credentials = ['authorization', 'x-api-key', 'x-goog-api-key'].filter(
        (name) => headers[name] !== undefined,
      );
      expect(credentials).toEqual([carrier]);
      expect(
        Object.keys(headers).filter(
          (name) =>
            ![
              'host',
              'connection',
              'content-length',
              'accept',
              'accept-encoding',
              'content-type',
              'user-agent',
              'anthropic-version',
              carrier,
            ].includes(name),
        ),
      ).toEqual([]);
    }
  });

  test('S-06 headers for one vendor reach that one alone', async () => {
    const lines = [
      'anthropic-beta: b1',
      'openai-beta: b2',
      'x-goog-request-params: b3',
      'traceparent: 00-1-2-01',
      'idempotency-key: i',
    ];
    await send(native.path, requestOf(native, false), lines);
    // Which one it is, `security-stored.test.ts` S-47 says.
    expect(got()?.headers).toMatchObject({
      'openai-beta': 'b2',
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(got()?.headers)).not.toMatch(/b1|b3/);
    await send(messages.path, requestOf(messages, false), lines);
    expect(got()?.headers).toMatchObject({ 'anthropic-beta': 'b1' });
    expect(JSON.stringify(got()?.headers)).not.toMatch(/b2|b3/);
    await send(translated.path, requestOf(translated, false), lines);
    expect(JSON.stringify(got()?.headers)).not.toMatch(/b1|b2|b3/);
  });

  test('S-07 hop-by-hop headers are not forwarded, including those that Connection names', async () => {
    const nominated = [
      'openai-beta: hop',
      'idempotency-key: hop',
      'Connection: openai-beta , Idempotency-Key, authorization',
      'TE: trailers',
      'Trailer: x',
      'Keep-Alive: timeout=1',
      'Proxy-Connection: keep-alive',
    ];
    await send(native.path, requestOf(native, false), nominated);
    expect(JSON.stringify(got()?.headers)).not.toContain('hop');
    for (const name of ['te', 'trailer', 'keep-alive', 'proxy-connection', 'upgrade'])
      expect(got()?.headers[name]).toBeUndefined();
    expect(got()?.headers.authorization).toBe('Bearer vendor-key-openai');
  });

  test('S-31 a header named __proto__ has no effect', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__PROTO__']) {
      const answer = await send(native.path, requestOf(native, false), [
        `${name}: anthropic-`,
        'openai-beta: here',
      ]);
      expect(statusOf(answer)).toBe(200);
      expect(got()?.headers['openai-beta']).toBe('here');
      expect(JSON.stringify(got()?.headers)).not.toContain('anthropic-');
    }
  });

  test("S-31 nor has one in a vendor's answer", async () => {
    stage.respondWith((_, response, request) => {
      request.socket.end(
        'HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
        () => response.destroy(),
      );
    });
    const answer = await send(native.path, requestOf(native, false));
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toMatch(/__proto__|constructor/);
  });

  test.each(ways)("S-07 hop-by-hop headers of a vendor's answer are not forwarded: $way", async (way) => {
    stage.respondWith((_, response) => {
      response.setHeader('connection', 'openai-hop, x-ratelimit-hop');
      response.setHeader('openai-hop', 'hop');
      response.setHeader('x-ratelimit-hop', 'hop');
      response.setHeader('openai-processing-ms', '12');
      json(response, { error: { message: 'No.' } }, 400);
    });
    const answer = await send(way.path, requestOf(way, false));
    expect(statusOf(answer)).toBe(400);
    expect(answer).not.toContain('hop');
  });
});

describe('S-08 no address in a request is ever contacted', () => {
  const names =
    'api_base base_url baseURL api_url endpoint url proxy proxies http_proxy host hostname webhook webhook_url callback callback_url redirect redirect_uri upstream target provider_url custom_llm_provider api_version deployment_id azure_endpoint vertex_location aws_bedrock_runtime_endpoint langfuse_host model_info litellm_params file_url fileUri image_url file_id'.split(
      ' ',
    );

  test('in a body, as a parameter, a media part or a file', async () => {
    stage.respondWith((_, response) => json(response, {}));
    const here = { url: `${inside.url}/latest/meta-data/` };
    const content = [
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: here },
      { type: 'input_audio', input_audio: here },
      { type: 'file', file: { file_url: here.url, ...here } },
    ];
    for (const { path, model } of [
      native,
      messages,
      translated,
      { path: '/v1/chat/completions', model: 'anthropic/claude-sonnet-4-5' },
      { path: '/v1/chat/completions', model: 'google/gemini-2.5-pro' },
    ]) {
      for (const name of names) {
        const media = [
          { type: 'text', text: 'x' },
          { type: 'image', source: { type: 'url', ...here } },
          { type: 'document', source: { type: 'url', ...here } },
        ];
        for (const value of [here.url, here]) {
          await send(
            path,
            JSON.stringify({
              model,
              max_tokens: 9,
              [name]: value,
              messages: [{ role: 'user', content: path === '/v1/messages' ? media : content }],
            }),
          );
        }
      }
    }
    const parts = [
      { text: 'x' },
      { fileData: { fileUri: here.url, mimeType: 'image/png' } },
      { file_data: { file_uri: here.url } },
    ];
    await send(gemini, JSON.stringify({ contents: [{ role: 'user', parts }] }));
    await send(
      '/v1/responses',
      JSON.stringify({
        model: 'anthropic/claude-sonnet-4-5',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: here.url },
              { type: 'input_file', file_url: here.url },
            ],
          },
        ],
      }),
    );
    expect(inside.hits).toEqual([]);
  });

  test('in a query or a header', async () => {
    const query = names.map((name) => `${name}=${encodeURIComponent(inside.url)}`).join('&');
    await send(`${native.path}?${query}`, requestOf(native, false));
    for (const name of [
      ...names.map((name) => `x-${name.replaceAll('_', '-')}`),
      'x-forwarded-host',
      'x-original-url',
      'forwarded',
      'x-upstream',
      'x-target-url',
      'destination',
    ]) {
      await send(native.path, requestOf(native, false), [`${name}: ${inside.url}`]);
    }
    await send(native.path, requestOf(native, false), [`Host: ${new URL(inside.url).host}`]);
    expect(inside.hits).toEqual([]);
    expect(got()?.headers.host).toBe(new URL(stage.upstream.url).host);
  });

  test.each([301, 302, 303, 307, 308, 304, 300])(
    'S-10, F6 in a redirect (%d) of a vendor, which would take its key along',
    async (status) => {
      stage.respondWith((_, response) =>
        response.writeHead(status, { location: `${inside.url}/stolen` }).end(),
      );
      for (const way of ways) {
        expect(statusOf(await send(way.path, requestOf(way, true)))).toBe(502);
      }
      expect(inside.hits).toEqual([]);
    },
  );

  test('in what a vendor offers instead of itself: Alt-Svc, Refresh, Link', async () => {
    stage.respondWith((_, response) =>
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'alt-svc': `http/1.1="${inside.url.slice(7)}"`,
          refresh: `0;url=${inside.url}`,
          link: `<${inside.url}>; rel=preconnect`,
          'content-location': inside.url,
        })
        .end('{}'),
    );
    for (let round = 0; round < 3; round++) {
      const answer = await send(native.path, requestOf(native, false));
      expect(answer).not.toContain(inside.url.slice(7));
    }
    expect(inside.hits).toEqual([]);
  });
});

describe('S-28 what a vendor reveals about itself', () => {
  const leaks =
    'vendor-key-openai sk-proj-abcdefghijklmnop0123 Bearer abcdefgh.ijklmnop https://admin:hunter2@proxy.example/ AIzaSyA1234567890123456789012345678901';
  const error: Respond = (_, response) =>
    json(
      response,
      { error: { message: `Failed with ${leaks} at 10.11.12.13:8000`, type: 'invalid_request_error' } },
      400,
    );
  const secrets = ['vendor-key', 'sk-proj', 'ijklmnop', 'hunter2', 'AIzaSy'];

  test.each(ways)('$way: an error before the answer shows no credential', async (way) => {
    stage.respondWith(error);
    for (const stream of [false, true]) {
      const answer = await send(way.path, requestOf(way, stream));
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('Failed with');
      for (const secret of secrets) expect(answer).not.toContain(secret);
      if (way.way === 'translated') expect(answer).not.toContain('10.11.12.13');
    }
  });

  test('nor does one in the middle of a translated stream', async () => {
    // What comes in one read counts as one, and is no content if it fails.
    const isHeard = Promise.withResolvers<void>();
    stage.respondWith(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n',
      );
      await isHeard.promise;
      response.end(
        `data: {"error":{"message":${JSON.stringify(`Failed with ${leaks} at 10.11.12.13`)}}}\n\n`,
      );
    });
    const client = rawClient(
      stage.gateway.port,
      post(translated.path, requestOf(translated, true), ['Connection: close']),
    );
    await client.until((text) => text.includes('"Hi"'));
    isHeard.resolve();
    const answer = await client.over;
    expect(answer).toContain('Failed with');
    for (const secret of [...secrets, '10.11.12.13']) expect(answer).not.toContain(secret);
  });

  test.each(ways)('$way: no header shows whose account it is, or what software runs there', async (way) => {
    const told = {
      'openai-organization': 'org-1',
      'openai-project': 'proj-1',
      'anthropic-organization-id': 'org-2',
      'anthropic-workspace-id': 'wrkspc-4',
      'x-goog-user-project': 'p-3',
      server: 'secret-server',
      'x-powered-by': 'secret-server',
      via: 'secret-server',
      'set-cookie': 'secret-server=1',
      'strict-transport-security': 'max-age=1',
      'x-internal-host': 'secret-server',
      'cf-ray': 'secret-server',
      'access-control-allow-origin': 'https://secret-server',
      'content-security-policy': 'secret-server',
    };
    stage.respondWith((_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...told })
        .end(
          '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hi"}}]}',
        ),
    );
    const answer = await send(way.path, requestOf(way, false));
    expect(statusOf(answer)).toBe(200);
    for (const value of ['org-1', 'proj-1', 'org-2', 'wrkspc-4', 'p-3', 'secret-server', 'max-age=1'])
      expect(answer).not.toContain(value);
  });

  test('an error of the gateway itself shows no path, no stack, no key', async () => {
    for (const body of ['{', '{"model":1}', `{"model":"${KEY}"}`, '{"model":"gpt-4o","messages":7}']) {
      for (const path of [native.path, translated.path, gemini]) {
        expect(await send(path, body)).not.toMatch(/\/work|node_modules|\.ts\b|at \w+ \(|vendor-key/);
      }
    }
  });
});
