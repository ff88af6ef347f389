/**
 * The document against the running service: everything it describes exists, every status occurs as described,
 * and there is nothing else.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANTHROPIC_LIMIT_HEADERS, OPENAI_LIMIT_HEADERS } from '../../../src/access/limits/limit-headers.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { asList, asObject, asText, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { createApp } from '../../../src/server/http/app.ts';
import { openApi } from '../../../src/server/http/openapi/document.ts';
import { serve } from '../../../src/server/listen/server.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { consoleScript } from '../../support/built-program.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { checkAnswer } from './check-answer.ts';
import { jsonSchemaIn, type Operation, operationsOf } from './operations.ts';
import { problemsOf } from './validator.ts';

const document = openApi();
/** The operations of the public listener. */
const operations = operationsOf(document).filter(
  ({ description }) => asList(description['tags'])[0] !== 'admin',
);
const check = (operation: Operation, response: Response): Promise<void> =>
  checkAnswer(document, operation, response);
const asking = operations.filter(({ description }) => description['requestBody'] !== undefined);
const stored = operations.filter(({ path }) => path.includes('{response_id}'));

const RESTRICTED = 'gw-key-that-may-use-next-to-nothing';
const LIMIT = 20_000;

/** Answers every request, as a new installation does. */
let sandboxed: TestGateway;
/** Its vendors do what `mood` says. */
let moody: TestGateway;
/** Has room for one request. */
let narrow: TestGateway;
let vendor: TestUpstream;
let mood: 'broken' | 'silent' | 401 | 429 | 500 | 503 | 529 = 500;

beforeAll(async () => {
  vendor = await startUpstream((_, response) => {
    if (mood === 'broken') response.destroy();
    else if (mood !== 'silent')
      json(
        response,
        { type: 'error', error: { type: 'error', message: 'No.', code: mood, status: 'X' } },
        mood,
      );
  });
  const harsh = {
    vendors: vendorsAtUrl(vendor.url),
    keys: [{ name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4o'] }],
    limits: { bodyBytes: LIMIT },
    timeouts: { firstByte: 300 },
  };
  sandboxed = await startGateway({ countTokens: { models: 'all' } });
  moody = await startGateway(harsh);
  narrow = await startGateway({ ...harsh, limits: { inFlight: 1 }, timeouts: { firstByte: 5_000 } });
});
afterAll(async () => {
  await Promise.all([sandboxed, moody, narrow].map((gateway) => gateway.close()));
  await vendor.close();
});

/** The body sent to an endpoint that calls a model. */
interface Ask {
  readonly path: string;
  readonly body: JsonObject;
}

const turns = [{ role: 'user', content: 'Say a word.' }];
const contents = [{ role: 'user', parts: [{ text: 'Say a word.' }] }];

/** A valid request for an operation, for a model of the format's own vendor unless another one is named. */
function askOf({ id, path }: Operation, model?: string): Ask {
  const named = { path: path.replace('{model}', model ?? 'gemini-2.5-flash') };
  switch (id.replace(/Below1$/, '')) {
    case 'createChatCompletion':
      return { path, body: { model: model ?? 'openai/gpt-4.1', messages: turns } };
    case 'createResponse':
    case 'compactResponse':
    case 'countInputTokens':
      return { path, body: { model: model ?? 'openai/gpt-4.1', input: 'Say a word.' } };
    case 'createMessage':
      return {
        path,
        body: { model: model ?? 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages: turns },
      };
    case 'countMessageTokens':
      return { path, body: { model: model ?? 'anthropic/claude-sonnet-4-5', messages: turns } };
    default:
      return { ...named, body: { contents } };
  }
}

function post(
  gateway: TestGateway,
  { path, body }: Ask,
  headers: Record<string, string> = {},
  raw?: string,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    ...(signal !== undefined && { signal }),
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: raw ?? JSON.stringify(body),
  });
}

function postInMood(as: typeof mood, operation: Operation): Promise<Response> {
  mood = as;
  return post(moody, askOf(operation));
}

/** How to produce every status. */
const PROVOKE: Readonly<Record<string, (operation: Operation) => Promise<Response>>> = {
  200: (operation) => post(sandboxed, askOf(operation)),
  400: (operation) => post(moody, askOf(operation), {}, '{"model":'),
  401: (operation) => post(moody, askOf(operation), { authorization: 'Bearer wrong' }),
  403: (operation) => post(moody, askOf(operation), { authorization: `Bearer ${RESTRICTED}` }),
  404: (operation) => post(moody, askOf(operation, 'no-such-model')),
  413: (operation) => {
    const ask = askOf(operation);
    return post(moody, { ...ask, body: { ...ask.body, filler: 'x'.repeat(LIMIT) } });
  },
  415: (operation) => post(moody, askOf(operation), { 'content-type': 'text/plain' }),
  429: (operation) => postInMood(429, operation),
  500: (operation) => postInMood(500, operation),
  502: (operation) => postInMood('broken', operation),
  503: async (operation) => {
    mood = 'silent';
    const before = vendor.received.length;
    const leaving = new AbortController();
    const first = post(narrow, askOf(operation), {}, undefined, leaving.signal);
    await expect.poll(() => vendor.received.length).toBeGreaterThan(before);
    const refused = await post(narrow, askOf(operation));
    leaving.abort();
    await expect(first).rejects.toThrow();
    return refused;
  },
  504: (operation) => postInMood('silent', operation),
  529: (operation) => postInMood(operation.path.startsWith('/v1/messages') ? 529 : 503, operation),
};

describe.each(asking.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test.each(Object.keys(operation.responses).filter((status) => status !== 'default'))(
    'answers %s, as described',
    async (status) => {
      const provoke = PROVOKE[status];
      if (provoke === undefined) throw new Error(`Nothing here provokes ${status}.`);
      const response = await provoke(operation);
      expect(response.status).toBe(Number(status));
      if (Number(status) >= 400) expect(response.headers.get('x-request-id')).toBeTruthy();
      await check(operation, response);
    },
  );
});

/** The id of a response that the sandbox makes in the background. */
async function makeResponse(): Promise<string> {
  const body = { model: 'openai/gpt-4.1', input: 'Say a word.', background: true };
  const response = await post(sandboxed, { path: '/v1/responses', body });
  return asText(asObject(parseJson(await response.text()))?.['id']) ?? '';
}

function askStored(
  gateway: TestGateway,
  { method, path }: Operation,
  { id = 'resp_1', key = KEY, signal }: { id?: string; key?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${gateway.url}${path.replace('{response_id}', id)}`, {
    method,
    ...(signal !== undefined && { signal }),
    headers: { authorization: `Bearer ${key}` },
  });
}

function askStoredInMood(as: typeof mood, operation: Operation): Promise<Response> {
  mood = as;
  return askStored(moody, operation);
}

/** How to produce every status of a request about a stored response. */
const PROVOKE_STORED: typeof PROVOKE = {
  200: async (operation) => askStored(sandboxed, operation, { id: await makeResponse() }),
  400: (operation) => askStored(moody, operation, { id: 'a%20b' }),
  401: (operation) => askStored(moody, operation, { key: 'wrong' }),
  403: (operation) => askStored(moody, operation, { key: RESTRICTED }),
  404: (operation) => askStored(sandboxed, operation),
  429: (operation) => askStoredInMood(429, operation),
  500: (operation) => askStoredInMood(500, operation),
  502: (operation) => askStoredInMood('broken', operation),
  503: async (operation) => {
    mood = 'silent';
    const before = vendor.received.length;
    const leaving = new AbortController();
    const first = askStored(narrow, operation, { signal: leaving.signal });
    await expect.poll(() => vendor.received.length).toBeGreaterThan(before);
    const refused = await askStored(narrow, operation);
    leaving.abort();
    await expect(first).rejects.toThrow();
    return refused;
  },
  504: (operation) => askStoredInMood('silent', operation),
};

describe.each(stored.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test.each(Object.keys(operation.responses).filter((status) => status !== 'default'))(
    'answers %s, as described',
    async (status) => {
      const provoke = PROVOKE_STORED[status];
      if (provoke === undefined) throw new Error(`Nothing here provokes ${status}.`);
      const response = await provoke(operation);
      expect(response.status).toBe(Number(status));
      await check(operation, response);
    },
  );
});

describe('a key with limits', () => {
  let limited: TestGateway;
  const keyOf = ({ id }: Operation): string => `gw-limited-for-${id}`;
  beforeAll(async () => {
    const limits = { requestsPerMinute: 1, tokensPerMinute: 100_000 };
    limited = await startGateway({ keys: asking.map((one) => ({ name: one.id, key: keyOf(one), limits })) });
  });
  afterAll(() => limited.close());

  test.each(asking.map((operation) => [operation.id, operation] as const))(
    '%s reports the remaining limits, as described',
    async (_, operation) => {
      const names = [...OPENAI_LIMIT_HEADERS];
      if (operation.path.startsWith('/v1/messages'))
        names.push(...ANTHROPIC_LIMIT_HEADERS.filter((name) => !/-(?:input|output)-/.test(name)));
      for (const status of [200, 429]) {
        const headers = { authorization: `Bearer ${keyOf(operation)}`, origin: 'https://page.example' };
        const response = await post(limited, askOf(operation), headers);
        expect(response.status).toBe(status);
        expect(response.headers.has('retry-after')).toBe(status === 429);
        const readable = response.headers.get('access-control-expose-headers')?.split(', ');
        for (const name of [...names, 'retry-after']) {
          if (name !== 'retry-after') expect(response.headers.get(name), name).toBeTruthy();
          expect(readable).toContain(name);
        }
        await check(operation, response);
      }
    },
  );
});

describe.each(asking.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test('requests sent here match the description', () => {
    const schema = jsonSchemaIn(asObject(operation.description['requestBody']));
    if (schema === undefined) throw new Error('A request has a schema.');
    expect(problemsOf(document, schema, askOf(operation).body)).toBeUndefined();
    const { model: _, contents: _contents, ...rest } = askOf(operation).body;
    // A request to count tokens may lack any content.
    if (!operation.id.startsWith('count')) expect(problemsOf(document, schema, rest)).toBeDefined();
  });
});

test.each([
  ['createChatCompletion', 'anthropic/claude-sonnet-4-5'],
  ['createChatCompletion', 'google/gemini-2.5-flash'],
  ['createResponse', 'anthropic/claude-sonnet-4-5'],
  ['createResponse', 'deepseek/deepseek-v4-flash'],
  ['countInputTokens', 'anthropic/claude-sonnet-4-5'],
  ['countInputTokens', 'google/gemini-2.5-flash'],
  ['createMessage', 'openai/gpt-5.4'],
  ['createMessage', 'google/gemini-2.5-flash'],
  ['countMessageTokens', 'openai/gpt-5.4'],
  ['countMessageTokens', 'google/gemini-2.5-flash'],
])('%s: a translated answer of %s is as described too', async (id, model) => {
  const operation = operationNamed(id);
  const response = await post(sandboxed, askOf(operation, model));
  expect(response.status).toBe(200);
  await check(operation, response);
});

test.each([
  ['createChatCompletion', { stream: true }],
  ['createResponse', { stream: true }],
  ['createMessage', { stream: true }],
])('%s: a stream consists of events', async (id, asked) => {
  const operation = operationNamed(id);
  const ask = askOf(operation);
  const response = await post(sandboxed, { ...ask, body: { ...ask.body, ...asked } });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await check(operation, response);
});

test('streamGenerateContent: events with alt=sse, otherwise a list', async () => {
  const ask = askOf(operationNamed('streamGenerateContent'));
  const events = await post(sandboxed, { ...ask, path: `${ask.path}?alt=sse` });
  expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await check(operationNamed('streamGenerateContent'), events);
});

/** The request that produces each status of the read-only operations. */
const READS: Readonly<Record<string, Readonly<Record<number, readonly [path: string, key?: string]>>>> = {
  getOwnKey: { 200: ['/v1/key', KEY], 401: ['/v1/key', 'wrong'] },
  listModels: { 200: ['/v1/models', KEY], 401: ['/v1/models', 'wrong'] },
  getModel: {
    200: ['/v1/models/openai/gpt-4.1', KEY],
    401: ['/v1/models/openai/gpt-4.1'],
    404: ['/v1/models/openai/no-such', KEY],
  },
  getModelByShortName: {
    200: ['/v1/models/gpt-4.1', KEY],
    401: ['/v1/models/gpt-4.1', 'wrong'],
    404: ['/v1/models/claude-sonnet-4-5', KEY],
  },
  listGoogleModels: {
    200: [`/v1beta/models?key=${KEY}`],
    400: ['/v1beta/models?pageSize=many', KEY],
    401: ['/v1beta/models'],
  },
  getGoogleModel: {
    200: ['/v1beta/models/gemini-2.5-flash', KEY],
    401: ['/v1beta/models/gemini-2.5-flash'],
    404: ['/v1beta/models/no-such', KEY],
  },
  isAlive: { 200: ['/health/live'] },
  isThere: { 200: ['/api/hello'] },
  getDescription: { 200: ['/openapi.json'] },
  getConfigSchema: { 200: ['/config.schema.json'] },
  getConsole: { 200: ['/'] },
  getConsoleFile: { 200: [`/console/${consoleScript()}`], 404: ['/console/no-such.js'] },
  listPricedModels: { 200: ['/console/models.json', KEY], 401: ['/console/models.json'] },
};

/** Operations, and single statuses, that have a test of their own. */
const APART = new Set(['isReady', 'getOwnKey 503']);

const reading = operations.filter(
  (operation) => operation.method === 'GET' && !APART.has(operation.id) && !stored.includes(operation),
);

describe.each(reading.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const statuses = Object.keys(operation.responses).filter((status) => !APART.has(`${id} ${status}`));
  test.each(statuses)('answers %s, as described', async (status) => {
    const read = READS[id]?.[Number(status)];
    if (read === undefined) throw new Error(`Nothing here asks for it.`);
    const [path, key] = read;
    const response = await fetch(`${sandboxed.url}${path}`, {
      ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    });
    expect(response.status).toBe(Number(status));
    await check(operation, response);
  });
});

test('isReady answers 200, and 503 once the process is shutting down, as described', async () => {
  const operation = operationNamed('isReady');
  const config = configSchema.parse({ port: 0, vendors: vendorsAtUrl(vendor.url) });
  const { gateway, close } = await openGateway(config);
  const server = await serve(() => gateway, config);
  const ready = await fetch(`${server.url}/health/ready`);
  expect(ready.status).toBe(200);
  await check(operation, ready);
  server.stopKeepingAlive();
  const leaving = await fetch(`${server.url}/health/ready`);
  expect(leaving.status).toBe(503);
  await check(operation, leaving);
  await server.drain(0);
  await close();
});

test('it serves the document itself', async () => {
  const response = await fetch(`${sandboxed.url}/openapi.json`);
  expect(await response.json()).toEqual(document);
});

describe('not supported', () => {
  const unsupported = operations.filter(
    ({ description }) => asList(description['tags'])[0] === 'not supported',
  );
  test('are the four that SDKs know', () => {
    expect(unsupported).toHaveLength(4);
  });
  test.each(unsupported.map((operation) => [operation.path, operation] as const))(
    '%s',
    async (path, operation) => {
      const response = await fetch(`${sandboxed.url}${path}`, { method: 'POST' });
      expect(response.status).toBe(404);
      await check(operation, response);
    },
  );
});

describe('what is not described', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v2/models',
    '/v1/chat',
    '/v1/chat/completions/x',
    '/v1/messages/count_tokens/x',
    '/v1/completions',
    '/v1beta',
    '/metrics',
    '/admin',
    '/admin/keys',
    '/admin/usage',
    '/dashboard',
    '/playground',
    '/health',
    '/healthz',
    '/openapi.yaml',
    '/favicon.ico',
    '/.env',
  ])('%s is 404', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(`${sandboxed.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${KEY}` },
      });
      expect(response.status, method).toBe(404);
      await response.body?.cancel();
    }
  });

  test('a method that is not described is 405, and Allow names those that are', async () => {
    const byPath = Map.groupBy(operations, ({ path }) => path);
    for (const [path, described] of byPath) {
      const url = `${sandboxed.url}${path.replace('{vendor}', 'openai').replace('{model}', 'gpt-4.1').replace('{file}', 'main.js')}`;
      const response = await fetch(url, { method: 'PUT' });
      expect(response.status, path).toBe(405);
      for (const { method } of described) expect(response.headers.get('allow'), path).toContain(method);
      await response.body?.cancel();
    }
  });

  test('what is left of a WebSocket handshake is refused as such only where sockets are', async () => {
    const headers = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    for (const [path, status, allow] of [
      ['/v1/responses', 426, 'POST'],
      ['/v1/responses/resp_1/cancel', 405, 'POST'],
      ['/v1/embeddings', 405, 'POST'],
      ['/v1/models', 405, 'GET'],
    ] as const) {
      const response = await fetch(`${sandboxed.url}${path}`, { method: 'PUT', headers });
      expect([response.status, response.headers.get('allow')], path).toEqual([status, allow]);
      await response.body?.cancel();
    }
  });

  test('every path that the program serves is described', async () => {
    const nothing = (): never => {
      throw new Error('Nothing is asked.');
    };
    const app = createApp({
      getExchange: nothing,
      answer: nothing,
      toResponse: nothing,
      current: nothing,
      getGateway: nothing,
      condition: () => 'ok',
      load: { inFlight: () => 0, claim: () => 0, arriving: nothing, shortage: () => undefined },
      socketCounter: { refusal: nothing },
      getSignal: () => AbortSignal.abort(),
      log: nothing,
    });
    const served = app['~routes'].filter(({ method }) => method === 'GET' || method === 'POST');
    expect(served.length).toBeGreaterThan(15);
    for (const { method, route } of served) {
      const pattern = new RegExp(`^${(route ?? '').replaceAll('/**', '/.+').replaceAll(/:\w+/g, '[^/]+')}$`);
      const found = operationsOf(document).some((one) => one.method === method && pattern.test(one.path));
      expect(found, `${method} ${route}`).toBe(true);
    }
  });
});

function operationNamed(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no ${id}.`);
  return found;
}
