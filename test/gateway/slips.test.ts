/** Common mistakes of newcomers, and the advice in the errors. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject, asText, parseJson } from '../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

const RESTRICTED = 'gw-a-restricted-key';

let upstream: TestUpstream;
let gateway: TestGateway;
let lone: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
  const vendors = vendorsAtUrl(upstream.url);
  gateway = await startGateway({
    vendors,
    keys: [{ name: 'restricted', key: RESTRICTED, models: ['openai/*'] }],
  });
  lone = await startGateway({ vendors: { openai: { baseUrl: `${upstream.url}/v1`, apiKey: 'k' } } });
});
afterAll(async () => {
  await gateway.close();
  await lone.close();
  await upstream.close();
});

interface Told {
  readonly status: number;
  readonly message: string | undefined;
}

async function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object | undefined,
  at = gateway,
): Promise<Told> {
  const response = await fetch(at.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { error } = asObject(parseJson(await response.text())) ?? {};
  return { status: response.status, message: asText(asObject(error)?.['message']) };
}

const askFor = (model: string, key = KEY, at = gateway): Promise<Told> =>
  ask('/v1/chat/completions', { authorization: `Bearer ${key}` }, { model, messages: [] }, at);

describe('a model', () => {
  test.each([
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/claude-sonet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic:claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['claude/claude-4.5-sonnet', 'anthropic/claude-sonnet-4-5'],
    ['models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['openrouter/google/gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['gpt4o', 'openai/gpt-4o'],
    [' openai/gpt-4o ', 'openai/gpt-4o'],
    ['google/gemini-3.1-pro', 'google/gemini-3.1-pro-preview'],
    ['gemini-3.1-pro-preview-11-2025', 'google/gemini-3.1-pro-preview'],
    ['google/gemini-2.5-pro-exp-03-25', 'google/gemini-2.5-pro'],
    ['anthropic/claude-sonnet-5-5-20261101', 'anthropic/claude-sonnet-5-5'],
    ['openai/gpt-5.5-2026-01-01', 'openai/gpt-5.5'],
    ['cohere/command-r-plus', 'cohere/command-r-plus-08-2024'],
    ['mistralai/mistral-small', 'mistralai/mistral-small-2603'],
    ['openai/gpt-6', 'openai/gpt-6-sol'],
    ['Grok-4', 'x-ai/grok-4.7'],
  ])('%s: the error names the intended model', async (asked, meant) => {
    const { status, message } = await askFor(asked);
    expect(status).toBe(404);
    expect(message).toMatch(/^Model not supported: /);
    expect(message).toContain(`. Did you mean ${meant}?`);
  });

  test.each([
    'gpt-4.999',
    'claude-sonnet-3',
    'gpt-6-sol-mini',
    'gpt',
    'm',
    '2024',
    '',
    '/',
    ':',
    'no-such-model',
  ])('%s resembles none: another number is another model', async (asked) => {
    expect((await askFor(asked)).message).not.toContain('Did you mean');
  });

  test('that the key may not use is not suggested', async () => {
    const { message } = await askFor('claude-sonnet-4-5', RESTRICTED);
    expect(message).toBe('Model not supported: openai/claude-sonnet-4-5');
  });

  test("of a vendor without a key: the error says that none of the vendor's models are available", async () => {
    expect(await askFor('anthropic/claude-sonnet-4-5', KEY, lone)).toEqual({
      status: 404,
      message:
        'Model not supported: anthropic/claude-sonnet-4-5. No models of anthropic are available: the vendor is unknown, or the gateway has no key for it.',
    });
  });
});

describe('a key', () => {
  test.each([
    ['/v1/chat/completions', 'x-api-key', 'Send it as Authorization: Bearer KEY.'],
    ['/v1/responses', 'api-key', 'Send it as Authorization: Bearer KEY.'],
    ['/v1/messages', 'x-goog-api-key', 'Send it as X-API-Key: KEY, or'],
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'x-api-key', 'Send it as x-goog-api-key: KEY, or'],
  ])('at %s in %s: the error says where to send it', async (path, header, place) => {
    const { status, message } = await ask(path, { [header]: KEY }, {});
    expect(status).toBe(401);
    expect(message).toContain(`No API key was given (${header} is not read here). ${place}`);
  });

  test('of a vendor: the error says that a gateway key is required', async () => {
    const { message } = await askFor('gpt-4o', 'sk-proj-of-openai');
    expect(message).toContain('It must be a key of this gateway, not of a vendor.');
  });
});

test('a model of Google requires POST', async () => {
  const told = await ask(
    '/v1beta/models/gemini-2.5-flash:generateContent',
    { 'x-goog-api-key': KEY },
    undefined,
  );
  expect(told).toEqual({ status: 405, message: 'Method not allowed: this endpoint accepts POST.' });
});

test.each(['/v1/completions', '/v1/files', '/v1/batches', '/api/chat'])(
  'a request to %s, which resembles no endpoint, gets a list of the endpoints',
  async (path) => {
    const { status, message } = await ask(path, { authorization: `Bearer ${KEY}` }, {});
    expect(status).toBe(404);
    expect(message).toMatch(/^There is no such endpoint\. Available endpoints: \/v1\/chat\/completions, /);
  },
);

test.each([
  ['/health', '/health/live'],
  ['/healthz', '/health/live'],
  ['/health/liveliness', '/health/live'],
  ['/readyz', '/health/ready'],
])('the answer to a probe at %s names the health check', async (path, meant) => {
  expect(await ask(path, {}, undefined)).toEqual({
    status: 404,
    message: `There is no such endpoint. Did you mean ${meant}?`,
  });
});

test.each(['/metrics', '/admin/keys'])(
  'without an admin port, the answer to a request to %s says what is needed',
  async (path) => {
    const { status, message } = await ask(path, { authorization: `Bearer ${KEY}` }, undefined);
    expect(status).toBe(404);
    expect(message).toBe(
      'There is no such endpoint. Administration and metrics need GATEWAY_ADMIN_KEY, and administration is at a port of its own, by default 8788.',
    );
  },
);
