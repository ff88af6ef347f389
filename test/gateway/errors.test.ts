/** The error table, in each caller's own format, on every endpoint. */

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { KEY, startGateway, startRecorded, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: TestGateway;
let respond: Respond = (_, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

const RESTRICTED = 'gw-a-restricted-key';

beforeAll(async () => {
  upstream = await startUpstream((received, response, request) => respond(received, response, request));
  gateway = await startGateway({
    vendors: vendorsAtUrl(upstream.url),
    limits: { bodyBytes: 100_000 },
    keys: [{ name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4o-mini', 'google/gemini-2.5-pro'] }],
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

interface Endpoint {
  readonly path: string;
  readonly format: FormatName;
  readonly model?: string;
  readonly keyHeader: string;
}

const endpoints: Endpoint[] = [
  { path: '/v1/chat/completions', format: 'chat-completions', model: 'gpt-4o', keyHeader: 'authorization' },
  { path: '/v1/responses', format: 'responses', model: 'gpt-4o', keyHeader: 'authorization' },
  {
    path: '/v1/responses/input_tokens',
    format: 'responses',
    model: 'gpt-4o',
    keyHeader: 'authorization',
  },
  { path: '/v1/messages', format: 'messages', model: 'claude-sonnet-4-5', keyHeader: 'x-api-key' },
  {
    path: '/v1/messages/count_tokens',
    format: 'messages',
    model: 'claude-sonnet-4-5',
    keyHeader: 'x-api-key',
  },
  {
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    format: 'generate-content',
    keyHeader: 'x-goog-api-key',
  },
  {
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    format: 'generate-content',
    keyHeader: 'x-goog-api-key',
  },
  {
    path: '/v1beta/models/gemini-2.5-flash:countTokens',
    format: 'generate-content',
    keyHeader: 'x-goog-api-key',
  },
];

const carrier = (endpoint: Endpoint, key: string): Record<string, string> =>
  endpoint.keyHeader === 'authorization' ? { authorization: `Bearer ${key}` } : { [endpoint.keyHeader]: key };

const post = (endpoint: Endpoint, body: string, headers: Record<string, string> = carrier(endpoint, KEY)) =>
  fetch(gateway.url + endpoint.path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-request-id': 'the-request', ...headers },
  });

interface Expected {
  readonly status: number;
  readonly openai: readonly [type: string, code: string | null];
  readonly anthropic: string;
  readonly google: string;
  readonly message: RegExp;
}

/** Expects that a response is `expected` in the endpoint's own shape, complete. */
async function expectError(response: Response, { format }: Endpoint, expected: Expected): Promise<void> {
  const text = await response.text();
  expect(response.status, text).toBe(expected.status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-request-id')).toBe('the-request');
  const body = JSON.parse(text);
  const message = expect.stringMatching(expected.message);
  if (format === 'messages') {
    expect(body).toEqual({
      type: 'error',
      error: { type: expected.anthropic, message },
      request_id: 'the-request',
    });
    return;
  }
  if (format === 'generate-content') {
    expect(body).toMatchObject({ error: { code: expected.status, message, status: expected.google } });
    return;
  }
  const [type, code] = expected.openai;
  expect(body).toEqual({ error: { message, type, param: body.error.param, code } });
  expect(body.error).toHaveProperty('param');
}

describe.each(endpoints)('$path', (endpoint) => {
  const body = JSON.stringify(endpoint.model ? { model: endpoint.model, max_tokens: 9 } : { contents: [] });
  const badBody: Expected = {
    status: 400,
    openai: ['invalid_request_error', null],
    anthropic: 'invalid_request_error',
    google: 'INVALID_ARGUMENT',
    message: /JSON object/,
  };

  test.each(['', 'null', '[1]', '"x"', 'model=x', `${body}x`, body.slice(0, -1)])(
    'a body that is not a JSON object: %s',
    async (bad) => {
      await expectError(await post(endpoint, bad), endpoint, badBody);
    },
  );

  test('nested too deep', async () => {
    const deep = `{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    await expectError(await post(endpoint, deep), endpoint, { ...badBody, message: /nested/ });
  });

  test.each([
    ['none', {}, /^No API key was given\. Send it as .*Authorization: Bearer KEY\.$/],
    ['an unknown one', carrier(endpoint, 'gw-not-a-key'), /not valid/],
    ['an empty one', carrier(endpoint, ''), /^No API key was given\./],
    ['a long one', carrier(endpoint, 'x'.repeat(8000)), /not valid/],
    [
      'two that disagree',
      { ...carrier(endpoint, 'gw-other-key'), authorization: `Basic ${KEY}` },
      /not valid/,
    ],
  ])('key: %s', async (_, headers, message) => {
    await expectError(await post(endpoint, body, headers), endpoint, {
      status: 401,
      openai: ['invalid_request_error', 'invalid_api_key'],
      anthropic: 'authentication_error',
      google: 'UNAUTHENTICATED',
      message,
    });
  });

  test('a key that may not use the model', async () => {
    await expectError(await post(endpoint, body, carrier(endpoint, RESTRICTED)), endpoint, {
      status: 403,
      openai: ['permission_error', 'model_not_allowed'],
      anthropic: 'permission_error',
      google: 'PERMISSION_DENIED',
      message: /may not use/,
    });
  });

  test('a model that is not in the catalog', async () => {
    const there = endpoint.model
      ? post(endpoint, '{"model":"no-such-model"}')
      : post({ ...endpoint, path: endpoint.path.replace('gemini-2.5-flash', 'no-such-model') }, body);
    await expectError(await there, endpoint, {
      status: 404,
      openai: ['invalid_request_error', 'model_not_found'],
      anthropic: 'not_found_error',
      google: 'NOT_FOUND',
      message: /^Model not supported: (openai|anthropic|google)\/no-such-model$/,
    });
  });

  test('too large', async () => {
    await expectError(await post(endpoint, `{"x":"${'x'.repeat(200_000)}"}`), endpoint, {
      status: 413,
      openai: ['invalid_request_error', 'request_too_large'],
      anthropic: 'request_too_large',
      google: 'INVALID_ARGUMENT',
      message: /100000 bytes/,
    });
  });

  test('a wrong content type', async () => {
    const response = await post(endpoint, body, { ...carrier(endpoint, KEY), 'content-type': 'text/plain' });
    await expectError(response, endpoint, { ...badBody, status: 415, message: /application\/json/ });
  });

  test('a wrong method', async () => {
    const response = await fetch(gateway.url + endpoint.path, {
      method: 'PUT',
      headers: { 'x-request-id': 'the-request' },
    });
    expect(response.headers.get('allow')).toContain('POST');
    await expectError(response, endpoint, {
      status: 405,
      openai: ['invalid_request_error', null],
      anthropic: 'not_found_error',
      google: 'NOT_FOUND',
      message: /POST/,
    });
  });

  test('the vendor cannot be reached, resets, or answers with a redirect', async () => {
    const broken: Expected = {
      status: 502,
      openai: ['api_error', null],
      anthropic: 'api_error',
      google: 'UNAVAILABLE',
      message: /upstream/,
    };
    respond = (_, response) => response.destroy();
    await expectError(await post(endpoint, body), endpoint, broken);
    respond = (_, response) => response.writeHead(302, { location: `${upstream.url}/elsewhere` }).end();
    const before = upstream.received.length;
    await expectError(await post(endpoint, body), endpoint, broken);
    expect(upstream.received.length).toBe(before + 1);
  });

  test.each([401, 403])('the vendor refuses the key with a %i that blames the request', async (status) => {
    const error = { code: status, type: 'invalid_request_error', status: 'INVALID_ARGUMENT', message: 'No.' };
    respond = (_, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ type: 'error', error }));
    await expectError(await post(endpoint, body), endpoint, {
      status: 502,
      openai: ['api_error', 'upstream_auth'],
      anthropic: 'api_error',
      google: 'INTERNAL',
      message: /credentials of this gateway/,
    });
  });

  test('no error invites a client to retry what cannot succeed', async () => {
    const wrong = await post(endpoint, body, carrier(endpoint, 'gw-not-a-key'));
    expect(wrong.headers.get('x-should-retry')).toBe('false');
  });
});

describe('model restrictions hold for every spelling', () => {
  const chat: Endpoint = {
    path: '/v1/chat/completions',
    format: 'chat-completions',
    keyHeader: 'authorization',
  };
  const status = async (endpoint: Endpoint, body: string) =>
    (await post(endpoint, body, carrier(endpoint, RESTRICTED))).status;

  test.each(['openai/gpt-4o-mini', 'gpt-4o-mini', 'GPT-4O-Mini', 'OpenAI/gpt-4o-mini'])(
    'allowed: %s',
    async (model) => {
      respond = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      expect(await status(chat, JSON.stringify({ model }))).toBe(200);
    },
  );

  test.each([
    ['openai/gpt-4o', 403],
    ['GPT-4O', 403],
    ['OPENAI/GPT-4o', 403],
    ['anthropic/claude-sonnet-4-5', 403],
    [' gpt-4o-mini', 404],
    ['gpt-4o-mini ', 404],
    ['openai/gpt-4o-mini/', 404],
    ['ｇpt-4o-mini', 404],
    ['gpt-4o-mini\u0000', 404],
    ['openai%2Fgpt-4o-mini', 404],
    ['gpt\u212a', 404],
    ['openai//gpt-4o', 404],
    ['../openai/gpt-4o', 404],
  ])('refused: %j', async (model, expected) => {
    expect(await status(chat, JSON.stringify({ model }))).toBe(expected);
  });

  test('a body that names two models is refused', async () => {
    expect(await status(chat, '{"model":"gpt-4o-mini","model":"gpt-4o"}')).toBe(400);
    expect(await status(chat, '{"model":"gpt-4o","mod\\u0065l":"gpt-4o-mini"}')).toBe(400);
  });

  test.each([
    ['gemini-2.5-pro', 200],
    ['GEMINI-2.5-pro', 200],
    ['google%2Fgemini-2.5-pro', 200],
    ['google/gemini-2.5-pro', 200],
    ['gemini-2.5-flash', 403],
    ['%67emini-2.5-flash', 403],
    ['openai/gpt-4o-mini', 404],
    ['gpt-4o-mini', 404],
    ['gemini-2.5-pro%00', 404],
    ['gemini%252D2.5-pro', 404],
    ['%ff', 404],
  ])('in the path, %s: %d', async (model, expected) => {
    const endpoint: Endpoint = {
      path: `/v1beta/models/${model}:generateContent`,
      format: 'generate-content',
      keyHeader: 'x-goog-api-key',
    };
    expect(await status(endpoint, '{"contents":[]}')).toBe(expected);
  });

  test.each([
    ['generateContent', '{"model":"models/gemini-2.5-flash"}', 400],
    ['generateContent', '{"model":"models/gemini-2.5-pro"}', 200],
    ['countTokens', '{"generateContentRequest":{"model":"models/gemini-2.5-flash"}}', 400],
    ['countTokens', '{"generateContentRequest":{"model":"models/gemini-2.5-pro","contents":[]}}', 200],
  ])('a body of %s that names a model in addition to the path: %s', async (method, body, expected) => {
    const endpoint: Endpoint = {
      path: `/v1beta/models/gemini-2.5-pro:${method}`,
      format: 'generate-content',
      keyHeader: 'x-goog-api-key',
    };
    expect(await status(endpoint, body)).toBe(expected);
  });
});

test('the record of a refusal has the model that the key may not use', async () => {
  const recorded = await startRecorded({
    vendors: vendorsAtUrl(upstream.url),
    keys: [{ name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4o-mini'] }],
  });
  try {
    const response = await fetch(`${recorded.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${RESTRICTED}` },
      body: '{"model":"gpt-4o","messages":[]}',
    });
    expect(response.status).toBe(403);
    await vi.waitFor(() =>
      expect(recorded.records).toMatchObject([
        { key: 'restricted', model: 'openai/gpt-4o', status: 403, outcome: 'refused', attempts: 0 },
      ]),
    );
  } finally {
    await recorded.close();
  }
});

describe('paths', () => {
  test('with which Claude Code opens its connection before any request: the connection stays open', async () => {
    const agent = new Agent({ keepAlive: true });
    const [answer] = await once(
      request(`${gateway.url}/api/hello`, { method: 'HEAD', agent }).end(),
      'response',
    );
    answer.resume();
    agent.destroy();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.connection).toBe('keep-alive');
  });

  const get = (path: string, init: RequestInit = {}) =>
    fetch(gateway.url + path, { ...init, headers: { authorization: `Bearer ${KEY}`, ...init.headers } });

  test.each(['/v1/embeddings', '/v1/images/generations', '/v1/audio/speech', '/v1/videos'])(
    '%s is a known endpoint that is not supported',
    async (path) => {
      const response = await get(path, { method: 'POST', body: '{}' });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'endpoint_not_available' } });
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const refused = await fetch(gateway.url + path, { method });
        expect(refused.status, method).toBe(405);
        expect(refused.headers.get('allow')).toBe('POST');
        await refused.body?.cancel();
      }
    },
  );

  test.each([
    ['/v1/responses/nope/nope?key=SECRET', 'error.type', 'invalid_request_error'],
    ['/v1/messages/nope?key=SECRET', 'error.type', 'not_found_error'],
    ['/v1beta/nope?key=SECRET', 'error.status', 'NOT_FOUND'],
    ['/v1beta/models/gemini-2.5-flash:nope?key=SECRET', 'error.status', 'NOT_FOUND'],
    ['/v1alpha/models/nope:generateContent', 'error.status', 'NOT_FOUND'],
    ['/models/nope:generateContent', 'error.status', 'NOT_FOUND'],
    ['/v1/tunedModels/nope:generateContent', 'error.status', 'NOT_FOUND'],
    ['/upload/v1beta/files', 'error.status', 'NOT_FOUND'],
  ])('%s: 404 in the format of its family, without the URL', async (path, field, value) => {
    const response = await get(path, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
    });
    const text = await response.text();
    expect(response.status).toBe(404);
    expect(JSON.parse(text)).toHaveProperty(field, value);
    expect(text).not.toContain('SECRET');
    expect(text).not.toContain('nope');
  });

  // Files, batches, caches: @google/genai (3 and later) requests them below /v1, like every other SDK.
  describe.each(['/v1/files', '/v1/batches', '/v1/interactions', '/nope?key=SECRET'])('%s', (path) => {
    test.each<[name: string, headers: Record<string, string>, field: string, value: string]>([
      ['any other', {}, 'error.type', 'invalid_request_error'],
      ["Anthropic's", { 'anthropic-version': '2023-06-01' }, 'error.type', 'not_found_error'],
      ["Google's", { 'x-goog-api-key': KEY }, 'error.status', 'NOT_FOUND'],
    ])("404 in the format of the caller's SDK: %s", async (_, headers, field, value) => {
      const response = await get(path, { headers });
      const text = await response.text();
      expect(response.status).toBe(404);
      expect(JSON.parse(text)).toHaveProperty(field, value);
      expect(text).not.toContain('SECRET');
      expect(text).not.toContain('nope');
    });
  });

  test.each([
    ['/chat/completions', '/v1/chat/completions'],
    ['/messages', '/v1/messages'],
    ['/v1/v1/messages', '/v1/messages'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['/v1beta//models/g:countTokens', '/v1beta/models/{model}:countTokens'],
    ['/openai/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/chat/completions', '/v1/chat/completions'],
    ['/openai/deployments/gpt-4o/chat/completions', '/v1/chat/completions'],
    ['/v1beta/openai/chat/completions', '/v1/chat/completions'],
    ['/V1/Messages', '/v1/messages'],
    ['/v1', '/v1/models'],
    ['/v1/', '/v1/models'],
    ['/models', '/v1/models'],
    ['/models/gemini-2.5-flash:generateContent', '/v1beta/models/{model}:generateContent'],
    ['/v1beta/v1beta/models/g:streamGenerateContent', '/v1beta/models/{model}:streamGenerateContent'],
    ['/v1alpha/models/g:countTokens', '/v1beta/models/{model}:countTokens'],
    [
      '/v1/projects/p/locations/l/publishers/google/models/g:generateContent',
      '/v1beta/models/{model}:generateContent',
    ],
  ])('%s, from a base URL with a part too few or too many: the error names %s', async (path, known) => {
    const response = await get(path, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(`Did you mean ${known}?`);
  });

  test.each(['embedContent', 'batchEmbedContents', 'predict', 'batchGenerateContent'])(
    'a request for %s gets an error that lists the supported methods',
    async (method) => {
      const response = await get(`/v1beta/models/gemini-2.5-flash:${method}`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
      });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('generateContent, streamGenerateContent, countTokens');
    },
  );

  test('tokens are counted for anthropic models only', async () => {
    const counting = endpoints[3];
    if (counting === undefined) throw new TypeError('no endpoint');
    const response = await post(counting, '{"model":"openai/gpt-4o","messages":[]}');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  test.each(['bad id with spaces', 'a'.repeat(200), 'x<script>'])(
    'an invalid request id is replaced: %s',
    async (id) => {
      const response = await get('/v1/models', { headers: { 'x-request-id': id } });
      expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    },
  );
});
