import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseError } from '../../src/formats/messages/outbound/parse-error.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { validateFile } from '../../src/protocol/validate-file.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type CommandResult, runCommand, startCommand } from '../support/command.ts';
import { allFormats, eventsOf, eventsOfWhole } from '../support/meaning.ts';
import { json, type Received, startUpstream, type TestUpstream } from '../support/upstream.ts';

const KEY = 'vendor/key+of=the"tests\\0123456789';
const CALLERS = 'sk-the-callers-own-key-0123456789';

let respond: (received: Received, response: ServerResponse) => void;
let vendor: TestUpstream;
let elsewhere: TestUpstream;
let directory: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  elsewhere = await startUpstream((_, response) => json(response, {}));
  vendor = await startUpstream((received, response) => respond(received, response));
});
afterAll(() => Promise.all([vendor.close(), elsewhere.close()]));
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-record-'));
  vendor.received.length = 0;
  const place = { baseUrl: vendor.url, apiKey: KEY };
  const config = {
    vendors: {
      openai: {
        ...place,
        baseUrl: `${vendor.url}/v1`,
        headers: { 'OpenAI-Organization': 'organisation-of-tests' },
      },
      anthropic: place,
      google: place,
      compatible: {
        ...place,
        baseUrl: `${vendor.url}/api/v1`,
        headers: { 'X-Team-Token': 'Bearer token-of-the-team' },
        upstreams: [{ apiKey: 'another-key-for-the-vendor' }],
      },
    },
    keys: [{ name: 'a', key: 'a-key-of-the-gateways-own' }],
    admin: { key: 'the-key-of-the-admin' },
    store: { url: 'postgres://x:password%2Dof-the-store@localhost/x' },
    redis: { url: 'redis://:password-of-redis@localhost' },
    proxy: { url: 'http://x:password-at-a-proxy@localhost:9' },
  };
  await writeFile(join(directory, 'gateway.config.json'), JSON.stringify(config));
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  await rm(directory, { recursive: true });
});

interface Recording {
  readonly url: string;
  stderr(): string;
  readonly ended: Promise<CommandResult>;
}

/** Starts `gateway record`, and waits until it listens. */
async function record(...words: readonly string[]): Promise<Recording> {
  const { child, stderr, ended } = startCommand(directory, ['record', ...words]);
  running.push(child);
  const url = await new Promise<string>((found, failed) => {
    child.stderr.on('data', () => {
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(stderr());
      if (match) found(match[0]);
    });
    void ended.then(({ code }) => failed(new Error(`It ended with ${code}:\n${stderr()}`)));
  });
  return { url, stderr, ended };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A POST with exactly these headers, and the bytes of the answer as they arrived. */
function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((done, failed) => {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.once('error', failed);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', failed);
      response.once('end', () =>
        done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.end(body);
  });
}

const written = (path: string): Buffer => readFileSync(join(directory, 'fixtures', path));

/** All bytes under the folder of fixtures. */
function allWritten(): string {
  const folder = join(directory, 'fixtures');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

const MESSAGE = { model: 'claude-sonnet-4-5', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };

const eventStream = (...events: readonly object[]): string =>
  events
    .map((event) => `event: ${'type' in event ? String(event.type) : ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

const claude = (...texts: readonly string[]): string =>
  eventStream(
    {
      type: 'message_start',
      message: {
        id: 'msg_01',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...texts.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  );

const streamed =
  (body: string, headers: Record<string, string | string[]> = {}) =>
  (_: Received, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(body);
  };

describe('one exchange of a client', () => {
  test('is passed on unchanged with the vendor’s key, streamed back, and written byte for byte', async () => {
    const { url, ended } = await record('--vendor=anthropic', '--name=rainy-day');
    // Unusual line ends and spacing, and a character split by the chunks.
    const stream = Buffer.from(claude('Grüße ', '👋').replaceAll('\n\n', '\r\n\r\n'));
    const cut = stream.indexOf('👋') + 2;
    let goOn = (): void => undefined;
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-odd': 'yes' });
      response.write(stream.subarray(0, cut));
      goOn = () => response.end(stream.subarray(cut));
    };
    const body =
      '{ "model":"claude-sonnet-4-5",\n"max_tokens": 50, "stream":true, "messages":[{"role":"user","content":"Hi"}] }';
    const answer = await new Promise<Answer>((done, failed) => {
      const sent = request(`${url}/v1/messages?beta=true&key=${CALLERS}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': CALLERS,
          authorization: `Bearer ${CALLERS}`,
          cookie: 'session=the-session-of-the-caller',
          'anthropic-version': '2023-06-01',
          'anthropic-beta': 'one,two',
          'x-app': 'cli',
          'accept-encoding': 'gzip, br',
        },
      });
      sent.once('error', failed);
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => {
          chunks.push(chunk);
          // The vendor sends the rest only after the client has the beginning, so nothing is held back.
          if (Buffer.concat(chunks).length === cut) goOn();
        });
        response.once('end', () =>
          done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      sent.end(body);
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-odd': 'yes' } });
    expect(answer.body.equals(stream)).toBe(true);

    const [received] = vendor.received;
    expect(received).toMatchObject({ method: 'POST', url: '/v1/messages?beta=true' });
    expect(received?.body.toString()).toBe(body);
    expect(received?.headers).toMatchObject({
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one,two',
      'x-app': 'cli',
      'accept-encoding': 'identity',
    });
    expect(JSON.stringify([received?.headers, received?.url])).not.toContain(CALLERS);
    expect(received?.headers).not.toHaveProperty('cookie');

    expect(await ended).toEqual({
      code: 0,
      stdout: 'fixtures/requests/messages/rainy-day.json\nfixtures/replies/messages/rainy-day.sse\n',
      stderr: expect.stringContaining('Listening on http://127.0.0.1:'),
    });
    expect(written('replies/messages/rainy-day.sse').equals(stream)).toBe(true);
    expect(written('requests/messages/rainy-day.json').toString()).toBe(
      `${JSON.stringify(JSON.parse(body), undefined, 2)}\n`,
    );
  });

  test('that was rejected becomes an error fixture like the others', async () => {
    respond = (_, response) => {
      response.writeHead(429, {
        'content-type': 'application/json',
        'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy',
        'retry-after': '20',
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-organization-id': '9f8e7d6c-1111-4222-8333-444455556666',
        'set-cookie': ['_cfuvid=a-cookie-of-the-vendor-0123; path=/; domain=.example.com; HttpOnly'],
        'cf-ray': '8f0123456789abcd-FRA',
        server: 'cloudflare',
      });
      response.end(
        JSON.stringify({
          type: 'error',
          error: {
            type: 'rate_limit_error',
            message: `Your organization (9f8e7d6c-1111-4222-8333-444455556666) with the key ${KEY} is over its limit.`,
          },
          request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
        }),
      );
    };
    const { url, ended } = await record('--vendor=anthropic', '--name', 'too-fast');
    const answer = await post(`${url}/v1/messages`, JSON.stringify(MESSAGE));
    // The client receives all of it; only the file is cleaned.
    expect(answer.headers).toMatchObject({ 'cf-ray': '8f0123456789abcd-FRA', 'retry-after': '20' });
    expect(JSON.parse(answer.body.toString()).error.message).toContain(KEY);
    expect(await ended).toMatchObject({
      code: 0,
      stdout: 'fixtures/errors/messages/too-fast.json\n',
      // Nobody is to take it for a success.
      stderr: expect.stringMatching(
        /\nThe vendor answered with an error, status 429: that is what was recorded\.\n$/,
      ),
    });
    const text = written('errors/messages/too-fast.json').toString();
    const fixture = JSON.parse(text);
    expect(fixture).toEqual({
      status: 429,
      headers: {
        'content-type': 'application/json',
        'request-id': 'req_recorded',
        'retry-after': '20',
        'anthropic-ratelimit-requests-limit': '50',
      },
      body: {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: 'Your organization ([hidden]) with the key [hidden] is over its limit.',
        },
        request_id: 'req_recorded',
      },
      request: MESSAGE,
    });
    expect(text).toBe(`${JSON.stringify(fixture, undefined, 2)}\n`);
    expect(parseError(fixture.status, JSON.stringify(fixture.body)).fault).toBe('rate-limited');
  });

  test.each([
    ['openai', '/v1/chat/completions', '/v1/chat/completions', 'authorization', `Bearer ${KEY}`],
    ['openai', '/v1/responses', '/v1/responses', 'authorization', `Bearer ${KEY}`],
    ['compatible', '/v1/chat/completions', '/api/v1/chat/completions', 'authorization', `Bearer ${KEY}`],
    ['anthropic', '/v1/messages', '/v1/messages', 'x-api-key', KEY],
    [
      'google',
      '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=AIzaSyNobodysKey0123456789',
      '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      'x-goog-api-key',
      KEY,
    ],
  ])('of %s at %s', async (name, path, asked, header, credential) => {
    respond = (_, response) => json(response, { error: { message: 'no' } }, 400);
    const { url, ended } = await record(`--vendor=${name}`);
    const answer = await post(url + path, '{"model":"m"}');
    expect(answer.status).toBe(400);
    expect((await ended).code).toBe(0);
    expect(vendor.received[0]).toMatchObject({ url: asked, headers: { [header]: credential } });
    expect(vendor.received[0]?.headers['openai-organization']).toBe(
      name === 'openai' ? 'organisation-of-tests' : undefined,
    );
  });

  test('compressed in both directions is passed on as it is, and written decompressed', async () => {
    const answered = gzipSync(claude('Hello'));
    respond = (_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
        .end(answered);
    };
    const { url, ended } = await record('--vendor=anthropic', '--name=packed');
    const sent = brotliCompressSync(JSON.stringify(MESSAGE));
    const answer = await post(`${url}/v1/messages`, sent, { 'content-encoding': 'br' });
    expect(answer.body.equals(answered)).toBe(true);
    expect((await ended).code).toBe(0);
    expect(vendor.received[0]?.body.equals(sent)).toBe(true);
    expect(JSON.parse(written('requests/messages/packed.json').toString())).toEqual(MESSAGE);
    expect(written('replies/messages/packed.sse').toString()).toBe(claude('Hello'));
  });

  test('JSON that formatting would change stays as it arrived', async () => {
    const odd = '{"type":"message","id":12345678901234567890,"a":1,"a":2,"text":"\\u00e9"}';
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(odd);
    };
    const { url, ended } = await record('--vendor=anthropic', '--name=odd');
    await post(`${url}/v1/messages`, JSON.stringify(MESSAGE));
    await ended;
    expect(written('replies/messages/odd.json').toString()).toBe(odd);
  });
});

describe('secrets', () => {
  /** All other secrets of the configuration. */
  const CONFIGURED = [
    'a-key-of-the-gateways-own',
    'the-key-of-the-admin',
    'another-key-for-the-vendor',
    'token-of-the-team',
    'password-of-the-store',
    'password-of-redis',
    'password-at-a-proxy',
  ];
  const PLANTED = {
    organization: 'org-AbCdEfGhIjKlMnOpQrStUvWx',
    project: 'proj_AbCdEfGhIjKlMnOpQrStUvWx',
    otherOrganization: 'org-ZyXwVuTsRqPoNmLkJiHgFeDc',
    otherProject: 'proj_ZyXwVuTsRqPoNmLkJiHgFeDc',
    requestId: 'req_AbCdEfGhIjKlMnOpQrStUvWx',
    uuid: '0b9f3a52-7a51-4f9a-9a53-1a2b3c4d5e6f',
    user: 'user_of_mine_4711',
    cookie: 'cookie-value-0123456789',
    foreignKey: 'sk-proj-SomebodyElses_0123456789abcdef',
    googleProject: 'projects/123456789012',
  };

  test('are in no written file, wherever they stood, and the rest is unchanged', async () => {
    const jsonKey = JSON.stringify(KEY).slice(1, -1);
    const escaped = Array.from(
      KEY,
      (letter) => `\\u00${letter.charCodeAt(0).toString(16).toUpperCase()}`,
    ).join('');
    const percent = Array.from(KEY, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const said = [
      `plain ${jsonKey}`,
      `slashed ${jsonKey.replaceAll('/', '\\/')}`,
      `escaped ${escaped}`,
      `percent ${percent} ${encodeURIComponent(KEY)}`,
      `line\\n${PLANTED.foreignKey}\\n${PLANTED.organization} ${PLANTED.otherOrganization}`,
      `${PLANTED.project} ${PLANTED.otherProject} ${PLANTED.requestId} ${PLANTED.googleProject} ${CONFIGURED.join(' ')}`,
      `${PLANTED.cookie} organization ${PLANTED.uuid} organisation-of-tests ${CALLERS}`,
      `Schöne Grüße 👋 user`,
    ];
    const chunks = said.map(
      (text) =>
        `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","user":"${PLANTED.user}","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`,
    );
    respond = streamed(`${chunks.join('')}data: [DONE]\n\n`, {
      'x-request-id': PLANTED.uuid,
      'openai-organization': PLANTED.organization,
      'openai-project': PLANTED.project,
      'set-cookie': [`__cf_bm=${PLANTED.cookie}; path=/; expires=Thu, 01-Jan-2099 00:00:00 GMT`],
    });
    const { url, ended, stderr } = await record('--vendor=openai', '--name=leaky');
    const body = {
      model: 'gpt-4o',
      stream: true,
      user: PLANTED.user,
      safety_identifier: 'u1',
      metadata: { user_id: PLANTED.uuid, note: 'kept' },
      messages: [
        { role: 'user', content: `My keys: ${KEY} ${CALLERS} ${PLANTED.foreignKey}`, name: 'u1' },
        { role: 'user', content: `I am ${PLANTED.user}, call me u1; expires 01-Jan-2099` },
      ],
    };
    await post(`${url}/v1/chat/completions`, JSON.stringify(body), {
      authorization: `Bearer ${CALLERS}`,
      'openai-organization': PLANTED.organization,
    });
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    const everything = allWritten() + stdout + stderr();
    for (const secret of [
      KEY,
      jsonKey,
      escaped,
      percent,
      encodeURIComponent(KEY),
      CALLERS,
      ...CONFIGURED,
      ...Object.values(PLANTED),
    ])
      expect(everything).not.toContain(secret);
    expect(everything).not.toContain('organisation-of-tests');
    for (const part of everything.split(/\s+/)) expect(part).not.toContain('0123456789');

    expect(JSON.parse(written('requests/chat-completions/leaky.json').toString())).toEqual({
      ...body,
      user: 'user-recorded',
      safety_identifier: 'user-recorded',
      metadata: { user_id: 'user-recorded', note: 'kept' },
      messages: [
        { role: 'user', content: 'My keys: [hidden] [hidden] [hidden]', name: 'user-recorded' },
        { role: 'user', content: 'I am user-recorded, call me u1; expires 01-Jan-2099' },
      ],
    });
    const stream = written('replies/chat-completions/leaky.sse').toString();
    const contents = stream
      .split('\n\n')
      .flatMap((event) => (event.includes('{') ? [JSON.parse(event.slice(6)).choices[0].delta.content] : []));
    expect(contents).toEqual([
      'plain [hidden]',
      'slashed [hidden]',
      'escaped [hidden]',
      'percent [hidden] [hidden]',
      'line\n[hidden]\n[hidden] org-recorded',
      '[hidden] proj_recorded req_recorded projects/recorded [hidden] [hidden] [hidden] [hidden] [hidden] [hidden] [hidden]',
      expect.stringMatching(/^\[hidden\] organization \S+ \[hidden\] \[hidden\]$/),
      'Schöne Grüße 👋 user',
    ]);
  });

  test('a caller’s, in any header or parameter, reach neither the vendor nor a file, nor do ids of the account', async () => {
    const said = (of: string): string => `somebody-is-known-by-${of}`;
    const ofCaller = [
      'authorization',
      'proxy-authorization',
      'cookie',
      'x-api-key',
      'x-goog-api-key',
      'api-key',
      'openai-organization',
      'openai-project',
      'anthropic-organization-id',
      'x-goog-user-project',
      'x-goog-iam-authority-selector',
      'x-goog-iam-authorization-token',
    ];
    const parameters = ['key', 'api_key', 'api-key', 'apiKey', 'access_token', 'token'];
    const ofVendor = [
      'openai-organization',
      'openai-project',
      'anthropic-organization-id',
      'anthropic-workspace-id',
      'x-goog-user-project',
    ];
    const everyone = [...ofCaller, ...parameters, ...ofVendor.map((name) => `answer-${name}`), 'set-cookie'];
    respond = streamed(claude(`I know ${everyone.map(said).join(', ')}.`), {
      ...Object.fromEntries(ofVendor.map((name) => [name, said(`answer-${name}`)])),
      'set-cookie': [`first=1; path=/`, `second=${said('set-cookie')}; path=/`],
    });
    const { url, ended } = await record('--vendor=anthropic', '--name=known');
    const query = parameters.map((name) => `${name}=${said(name)}`).join('&');
    await post(`${url}/v1/messages?${query}&beta=true`, JSON.stringify(MESSAGE), {
      ...Object.fromEntries(ofCaller.map((name) => [name, said(name)])),
      cookie: `theme=dark; session=${said('cookie')}`,
    });
    expect((await ended).code).toBe(0);
    const [received] = vendor.received;
    expect(received?.url).toBe('/v1/messages?beta=true');
    expect(JSON.stringify(received?.headers)).not.toContain('somebody-is-known-by');
    expect(allWritten()).not.toContain('somebody-is-known-by');
  });

  test('in a body, for servers that the vendor is to call, are not written', async () => {
    const secret = (at: number): string => `a-secret-for-a-server-${at}`;
    const token = `Bearer ${secret(1)}`;
    respond = streamed(claude(`It is ${secret(0)}.`));
    const { url, ended } = await record('--vendor=anthropic', '--name=servers');
    const parameters = { type: 'object', properties: { api_key: { type: 'string' } } };
    const body = {
      ...MESSAGE,
      mcp_servers: [
        { type: 'url', name: 'docs', url: 'https://mcp.example/mcp', authorization_token: secret(0) },
      ],
      tools: [
        {
          type: 'mcp',
          server_label: 'a',
          authorization: token,
          headers: { 'X-Api-Key': secret(2), Accept: 'text/event-stream' },
        },
        {
          type: 'shell',
          environment: {
            network_policy: { domain_secrets: [{ domain: 'a.example', name: 'T', value: secret(3) }] },
          },
        },
        { exaAiSearch: { apiKey: secret(4) } },
        { name: 'f', input_schema: parameters },
      ],
    };
    await post(`${url}/v1/messages`, JSON.stringify(body));
    expect((await ended).code).toBe(0);
    expect(allWritten()).not.toContain('a-secret-for');
    const kept = written('requests/messages/servers.json').toString();
    expect(kept).toContain('https://mcp.example/mcp');
    expect(kept).toContain('text/event-stream');
    expect(JSON.parse(kept).tools.at(-1).input_schema).toEqual(parameters);
  });

  test('that are split over the pieces of a stream prevent it from being written', async () => {
    respond = streamed(claude('It is ', KEY.slice(0, 9), KEY.slice(9, 20), KEY.slice(20), '.'));
    const { url, stderr } = await record('--vendor=anthropic', '--name=pieces');
    await post(`${url}/v1/messages`, JSON.stringify(MESSAGE));
    await expect.poll(stderr).toContain('across several events');
    expect(existsSync(join(directory, 'fixtures'))).toBe(false);
  });
});

describe('a recorded case works as a fixture', () => {
  const ASKED = {
    openai: [
      [
        'chat-completions',
        '/v1/chat/completions',
        { model: 'gpt-4o', messages: [{ role: 'user', content: 'play: tool-call' }] },
      ],
      ['responses', '/v1/responses', { model: 'gpt-4o', input: 'play: tool-call' }],
    ],
    anthropic: [
      ['messages', '/v1/messages', { ...MESSAGE, messages: [{ role: 'user', content: 'play: tool-call' }] }],
    ],
    google: [
      [
        'generate-content',
        '/v1beta/models/gemini-2.5-flash',
        { contents: [{ role: 'user', parts: [{ text: 'play: tool-call' }] }] },
      ],
    ],
  } as const;

  test.each(['openai', 'anthropic', 'google'] as const)('%s, streamed and whole', async (name) => {
    const sandbox = await startSandbox({ pace: 'none' });
    // A configuration cannot mark a vendor as simulated.
    const { simulated: _, ...place } = sandbox.places[name];
    await writeFile(join(directory, 'gateway.config.json'), JSON.stringify({ vendors: { [name]: place } }));
    const asked = ASKED[name];
    const { url, ended } = await record(`--count=${asked.length * 2}`, '--name=call');
    for (const [format, path, body] of asked) {
      const google = format === 'generate-content';
      const headers = { 'anthropic-version': '2023-06-01' };
      const inPath = (method: string): string => `${url}${path}${google ? `:${method}` : ''}`;
      await post(
        inPath('streamGenerateContent?alt=sse'),
        JSON.stringify(google ? body : { ...body, stream: true }),
        headers,
      );
      expect(await post(inPath('generateContent'), JSON.stringify(body), headers)).toMatchObject({
        status: 200,
      });
    }
    const { code, stderr } = await ended;
    expect([code, stderr.trimEnd().split('\n').slice(1)]).toEqual([0, []]);
    for (const [index, [formatName]] of asked.entries()) {
      const format = allFormats.find((one) => one.name === formatName);
      if (format === undefined) throw new Error(`no format ${formatName}`);
      const sse = written(`replies/${formatName}/call-${index * 2 + 1}.sse`);
      const whole = written(`replies/${formatName}/call-${index * 2 + 2}.json`).toString();
      expect(validateFile(sse.toString()).violations).toEqual([]);
      expect(validateFile(whole).violations).toEqual([]);
      for (const events of [eventsOf(format, sse), eventsOfWhole(format, whole)])
        expect(JSON.stringify(events)).toContain('get_weather');
    }
    await sandbox.close();
  });
});

describe('a file as the request', () => {
  const send = (body: unknown, ...words: readonly string[]): Promise<CommandResult> =>
    writeFile(join(directory, 'ask.json'), typeof body === 'string' ? body : JSON.stringify(body)).then(() =>
      runCommand(directory, ['record', '--request=ask.json', ...words]),
    );

  test('is sent as it is, with the headers that a client of the format would send', async () => {
    respond = streamed(claude('Hello'));
    const body = `{"stream" : true, "model":"claude-sonnet-4-5","max_tokens":5,"system":"x","messages":[]}`;
    const { code, stdout } = await send(body, '--vendor=anthropic', '--name=sent', '--out=mine');
    expect([code, stdout]).toEqual([0, 'mine/requests/messages/sent.json\nmine/replies/messages/sent.sse\n']);
    expect(vendor.received[0]).toMatchObject({
      url: '/v1/messages',
      headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01', accept: 'text/event-stream' },
    });
    expect(vendor.received[0]?.body.toString()).toBe(body);
  });

  test('goes to another model, and streamed, if requested', async () => {
    respond = streamed(claude('Hello'));
    const result = await send(MESSAGE, '--vendor=anthropic', '--model=claude-x', '--stream');
    expect(result.code).toBe(0);
    const sent = { ...MESSAGE, model: 'claude-x', stream: true };
    expect(JSON.parse(String(vendor.received[0]?.body))).toEqual(sent);
    expect(JSON.parse(written('requests/messages/recorded.json').toString())).toEqual(sent);
    await send({ contents: [] }, '--vendor=google', '--model=gemini-2.5-flash', '--stream', '--name=g');
    expect(vendor.received[1]?.url).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
  });

  test.each([
    [MESSAGE, ['--vendor=google', '--format=messages'], 'ask.json: google does not speak messages.'],
    [{ contents: [] }, ['--vendor=openai'], 'ask.json: openai does not speak generate-content.'],
    [
      { contents: [] },
      ['--vendor=google'],
      'ask.json: a generate-content request names no model: give one with --model.',
    ],
    ['[1]', ['--vendor=openai'], 'ask.json: it does not contain a JSON object.'],
    [
      MESSAGE,
      [],
      'Several vendors have a key: choose one with --vendor (openai, anthropic, google, compatible).',
    ],
    [
      MESSAGE,
      ['--vendor=x'],
      'There is no vendor x with a key. Vendors with a key: openai, anthropic, google, compatible.',
    ],
    [
      MESSAGE,
      ['--vendor=openai', '--name=../x'],
      '--name: ../x may only have lower-case letters, digits, and single hyphens between them.',
    ],
    [MESSAGE, ['--vendor=openai', '--count=0'], '--count: 0 is not a whole number from 1 to 1000.'],
    [MESSAGE, ['--vendor=openai', '--format=x'], /^Unknown format x/],
    [MESSAGE, ['--vendor=openai', '--fore'], 'Unknown option --fore. See --help.'],
  ])('%j with %j is rejected in one line', async (body, words, message) => {
    const { code, stdout, stderr } = await send(body, ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd()).toMatch(
      typeof message === 'string' ? new RegExp(`^${message.replaceAll(/[.()[\]]/g, '\\$&')}$`) : message,
    );
    expect(vendor.received).toEqual([]);
  });

  test('a vendor that is unreachable, breaks off, redirects or sends a page: exit code 1, nothing written', async () => {
    const expectNothing = async (message: RegExp): Promise<void> => {
      const { code, stdout, stderr } = await send(MESSAGE, '--vendor=anthropic');
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
      expect(stderr).not.toContain(KEY);
      expect(existsSync(join(directory, 'fixtures'))).toBe(false);
    };
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '9999' });
      response.write(claude('Hello'), () => response.destroy());
    };
    await expectNothing(/^The exchange with anthropic failed \(\w+\): nothing was recorded\.\n$/);
    respond = (_, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/v1/messages` }).end();
    };
    await expectNothing(/^The vendor answered with status 307, which is not recorded\.\n$/);
    expect(elsewhere.received).toEqual([]);
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    };
    await expectNothing(/^The vendor answered with neither a stream of events nor a JSON object\.\n$/);
  });
});

describe('existing files', () => {
  const there = async (path: string): Promise<string> => {
    const file = join(directory, 'fixtures', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, 'mine');
    return file;
  };

  test('are not overwritten, and the vendor is not even asked', async () => {
    respond = streamed(claude('Hello'));
    const file = await there('replies/chat-completions/taken.json');
    const { url, ended } = await record('--vendor=openai', '--name=taken');
    const answer = await post(`${url}/v1/chat/completions`, '{"model":"m"}');
    expect([answer.status, JSON.parse(answer.body.toString()).error.message]).toEqual([
      409,
      'fixtures/replies/chat-completions/taken.json already exists. Give another --name, or --force to overwrite it.',
    ]);
    expect(await ended).toMatchObject({ code: 1, stdout: '' });
    expect(vendor.received).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('are reported at once if no format is left', async () => {
    await there('errors/messages/taken.json');
    const { code, stderr } = await runCommand(directory, ['record', '--vendor=anthropic', '--name=taken']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('fixtures/errors/messages/taken.json already'),
    ]);
  });

  test('are replaced with --force: all those of the case, and no others', async () => {
    respond = streamed(claude('Hello'));
    const [old, other] = [
      await there('replies/messages/taken.json'),
      await there('replies/messages/taken-2.json'),
    ];
    const { url, ended } = await record('--vendor=anthropic', '--name=taken', '--force');
    await post(`${url}/v1/messages`, JSON.stringify(MESSAGE));
    expect((await ended).code).toBe(0);
    expect(written('replies/messages/taken.sse').toString()).toBe(claude('Hello'));
    expect([existsSync(old), existsSync(other)]).toEqual([false, true]);
  });
});

describe('what is not recorded', () => {
  test('other paths, browser requests, foreign names, and bodies that are not JSON never reach the vendor', async () => {
    respond = streamed(claude('Hello'));
    const { url, ended } = await record('--vendor=anthropic');
    const body = JSON.stringify(MESSAGE);
    const status = async (path: string, headers = {}, sent = body): Promise<number | undefined> =>
      (await post(url + path, sent, headers)).status;
    expect(await status('/v1/messages/count_tokens')).toBe(404);
    expect(await status('/v1/chat/completions')).toBe(404);
    expect(await status('/v1beta/models/x:generateContent')).toBe(404);
    expect((await fetch(`${url}/v1/messages`)).status).toBe(404);
    expect(await status('/v1/messages', { origin: 'https://evil.example' })).toBe(403);
    expect(await status('/v1/messages', { host: 'evil.example' })).toBe(403);
    expect(await status('/v1/messages', {}, 'model=x')).toBe(400);
    expect(await status('/v1/messages', { 'content-encoding': 'gzip' })).toBe(400);
    expect(vendor.received).toEqual([]);
    expect(await status('/v1/messages', { origin: 'http://localhost:3000' })).toBe(200);
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('an answer whose client disconnected, or that broke off, looks broken to the client, and the next one counts', async () => {
    const { url, ended, stderr } = await record('--vendor=anthropic', '--name=third');
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: ping\n');
    };
    const gone = vendor.closed();
    const leaving = request(`${url}/v1/messages`, { method: 'POST' });
    leaving.once('error', () => undefined);
    leaving.once('response', () => leaving.destroy());
    leaving.end(JSON.stringify(MESSAGE));
    await gone;
    await expect.poll(stderr).toContain('The client left');

    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(claude('Hello').slice(0, 300), () => response.destroy());
    };
    await expect(post(`${url}/v1/messages`, JSON.stringify(MESSAGE))).rejects.toThrow('aborted');
    await expect.poll(stderr).toContain('The exchange with anthropic failed');
    expect(existsSync(join(directory, 'fixtures'))).toBe(false);

    respond = streamed(claude('Hello'));
    expect((await post(`${url}/v1/messages`, JSON.stringify(MESSAGE))).status).toBe(200);
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('third.sse') });
  });
});

test('an answer that breaks its format’s rules is still written, and reported', async () => {
  const whole = claude('Hello');
  respond = streamed(whole.slice(0, whole.indexOf('event: message_delta')));
  const { url, ended } = await record('--vendor=anthropic', '--name=broken');
  await post(`${url}/v1/messages`, JSON.stringify(MESSAGE));
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/breaks \d+ rules of messages/)]);
  const format = allFormats.find(({ name }) => name === 'messages');
  if (format === undefined) throw new Error('no messages');
  expect(() => eventsOf(format, written('replies/messages/broken.sse'))).toThrow(GatewayError);
});
