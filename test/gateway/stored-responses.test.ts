/** Responses that a vendor has stored, and which a caller fetches, cancels or deletes by their ids. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { openaiAt, usePlaces } from '../faults/upstream-places.ts';
import type { FaultRequest, FaultUpstream, Script } from '../support/fault-upstream.ts';
import { KEY, startRecorded, type TestGateway } from '../support/gateway.ts';
import { exchange, rawClient, statusOf } from '../support/raw.ts';

const places = usePlaces();
afterEach(() => vi.restoreAllMocks());

const ID = 'resp_0123456789abcdef';
const [OWN, OTHER, NONE, BOUND, ELSEWHERE] = ['own', 'other', 'none', 'bound', 'elsewhere'].map(
  (name) => `gw-${name}-key-of-the-tests`,
);
const keys: ConfigInput['keys'] = [
  { name: 'own', key: OWN, stored: 'own' },
  { name: 'other', key: OTHER, stored: 'own' },
  { name: 'none', key: NONE, stored: 'none' },
  { name: 'bound', key: BOUND, models: ['openai/gpt-4.1'] },
  { name: 'elsewhere', key: ELSEWHERE, models: ['anthropic/*'], stored: 'all' },
];

/** The four requests, and how OpenAI gets them. */
const CALLS = [
  ['GET', `/v1/responses/${ID}`],
  ['DELETE', `/v1/responses/${ID}`],
  ['POST', `/v1/responses/${ID}/cancel`],
  ['GET', `/v1/responses/${ID}/input_items`],
] as const;

const body: JsonObject = { id: ID, object: 'response', status: 'completed', usage: { input_tokens: 1_000 } };
const text = `{ "id" :"${ID}","object":"response" ,"output":[{"type":"message","id":"msg_made_later"}],"usage":{"input_tokens":7,"output_tokens":9}}`;
const knows: Script = (wire) => wire.answer(200, text, { 'content-type': 'application/json' });
const UNKNOWN = JSON.stringify({
  error: { message: `Response with id '${ID}' not found.`, type: 'invalid_request_error', param: null },
});
const knowsNot: Script = (wire) => wire.answer(404, UNKNOWN, { 'content-type': 'application/json' });
const breaks: Script = (wire) => {
  wire.socket.destroy();
};

type Recorded = Awaited<ReturnType<typeof startRecorded>>;

async function gatewayAt(vendors: readonly FaultUpstream[], more: ConfigInput = {}): Promise<Recorded> {
  const gateway = await startRecorded({ vendors: openaiAt(vendors), keys, ...more });
  places.open.push(gateway);
  return gateway;
}

async function ask(
  { url }: TestGateway,
  path = `/v1/responses/${ID}`,
  {
    method = 'GET',
    key = KEY,
    headers = {},
  }: { method?: string; key?: string | undefined; headers?: object } = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const requestLine = ({ head }: FaultRequest): string => head.slice(0, head.indexOf('\r\n'));

/** Sends a request that the vendor answers by making the response. */
async function create({ url }: TestGateway, key: string | undefined): Promise<void> {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: '{"model":"gpt-4.1","input":"x","background":true}',
  });
  expect(response.status).toBe(200);
  await response.text();
}

describe('a request about a stored response', () => {
  const head = (path: string): string =>
    `/v1/responses/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n`;

  test.each([ID, `${ID}/input_items`])('by HEAD has the head of the answer to GET: %s', async (path) => {
    const [vendor] = await places.upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(knows);
    const { url } = await gatewayAt([vendor]);
    // A body would be taken for the beginning of the next answer.
    const requests = `HEAD ${head(path)}\r\nGET ${head(path)}Connection: close\r\n\r\n`;
    const [first = '', second = '', sent] = (await exchange(Number(new URL(url).port), requests)).split(
      '\r\n\r\n',
    );
    const withoutDates = (lines: string): string =>
      lines.replaceAll(/^(?:x-request-id|date|connection|keep-alive): .*\r?\n?/gim, '').trim();
    expect([statusOf(first), withoutDates(first)]).toEqual([200, withoutDates(second)]);
    expect(sent).toBe(text);
    for (const request of vendor.requests) expect(requestLine(request)).toMatch(/^GET /);
  });

  test('by HEAD does not wait for the end of a stream', async () => {
    const [vendor] = await places.upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    let gone: Promise<number> | undefined;
    vendor.script((wire) => {
      ({ gone } = wire);
      wire.head(200, { 'content-type': 'text/event-stream' });
      wire.chunk('event: response.created\ndata: {"type":"response.created"}\n\n');
    });
    const { url } = await gatewayAt([vendor]);
    const request = `HEAD ${head(`${ID}?stream=true`)}Connection: close\r\n\r\n`;
    const answer = await exchange(Number(new URL(url).port), request);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: text\/event-stream\r\n(?:.+\r\n)+\r\n$/i);
    expect(await gone).toBeGreaterThan(0);
  });

  test.each(CALLS)('passes: %s %s', async (method, path) => {
    const [vendor] = await places.upstreams(1);
    if (vendor === undefined) throw new Error('There is no vendor.');
    vendor.script(knows);
    const gateway = await gatewayAt([vendor]);
    const query = 'include%5B%5D=message.output_text.logprobs&limit=2&after=msg_1';
    const answer = await ask(gateway, `${path}?${query}&model=openai/gpt-4.1&key=x`, {
      method,
      headers: { 'openai-beta': 'x=1', cookie: 'a=b', 'idempotency-key': 'one' },
    });
    expect(answer).toMatchObject({ status: 200, text });
    const [request] = vendor.requests;
    if (request === undefined) throw new Error('Nothing was asked.');
    expect(requestLine(request)).toBe(`${method} ${path}?${query} HTTP/1.1`);
    expect(request.head).toContain('authorization: Bearer vendor-key-0');
    expect(request.head).toContain('openai-beta: x=1');
    expect(request.head).not.toMatch(/cookie|transfer-encoding|content-type|content-length: [1-9]/i);
    expect(request.body.length).toBe(0);
    const operation = { GET: 'retrieve', DELETE: 'delete', POST: 'cancel' }[method];
    await vi.waitFor(() =>
      expect(gateway.records).toMatchObject([
        {
          key: 'test',
          vendor: 'openai',
          format: 'responses',
          operation: path.endsWith('items') ? 'list-input' : operation,
          status: 200,
          outcome: 'complete',
          attempts: 1,
          // What the response has used was used when it was made.
          cost: undefined,
          estimated: undefined,
        },
      ]),
    );
    expect(gateway.records[0]?.usage).toEqual({});
  });

  test('gets the vendor’s refusal as it is', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knowsNot);
    const gateway = await gatewayAt(vendors);
    expect(await ask(gateway)).toMatchObject({ status: 404, text: UNKNOWN });
    expect(vendors[0]?.requests).toHaveLength(1);
  });

  test('may have no answer but that it is done', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script((wire) => wire.raw('HTTP/1.1 204 No Content\r\nx-request-id: req_1\r\n\r\n'));
    const gateway = await gatewayAt(vendors);
    const [, [method, path]] = CALLS;
    const { status, text: said, headers } = await ask(gateway, path, { method });
    expect([status, said, headers.get('x-upstream-request-id')]).toEqual([204, '', 'req_1']);
    // RFC 9110, 8.6.
    expect(headers.get('content-length')).toBeNull();
    expect(vendors[0]?.requests).toHaveLength(1);
    expect(await ask(gateway)).toMatchObject({ status: 502 });
    await vi.waitFor(() => expect(gateway.records[0]).toMatchObject({ status: 204, outcome: 'complete' }));
  });

  test('may bring a body, which nobody reads, and its connection goes on', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const { server } = await gatewayAt(vendors);
    const head = (method: string, path: string, length: number) =>
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
    const client = rawClient(
      server.port,
      `${head('POST', `/v1/responses/${ID}/cancel`, 2)}{}${head('GET', `/v1/responses/${ID}`, 4)}{"a"${head('GET', `/v1/responses/${ID}`, 0)}`,
    );
    const all = await client.until((got) => got.split('HTTP/1.1 200').length === 4);
    expect(all.split(text)).toHaveLength(4);
    client.socket.destroy();
    expect(vendors[0]?.requests.map(({ body: sent }) => sent.length)).toEqual([0, 0, 0]);
  });

  test('without a body keeps its connection if it is refused', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const { server } = await gatewayAt(vendors);
    const head = (method: string, path: string, key: string | undefined) =>
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
    const client = rawClient(
      server.port,
      head('GET', `/v1/responses/${ID}`, 'gw-no-key') +
        head('DELETE', `/v1/responses/${ID}`, NONE) +
        head('GET', '/v1/responses/a%20b', KEY) +
        head('POST', `/v1/responses/${ID}/cancel`, BOUND) +
        head('GET', '/v1/models/no-such-model', KEY) +
        head('GET', `/v1/responses/${ID}`, KEY),
    );
    const all = await client.until((got) => got.includes(text));
    expect([...all.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '401',
      '403',
      '400',
      '403',
      '404',
      '200',
    ]);
    client.socket.destroy();
  });

  test.each([
    '%2e%2e%2fmodels',
    'a%2Fb',
    'a%252fb',
    '..%5c',
    '.hidden',
    'a%00b',
    'a%0d%0ab',
    'a%20b',
    'a%3Fb',
    'a%23b',
    '%ff',
    'é',
    `resp_${'x'.repeat(300)}`,
  ])('is refused for what is no id: %s', async (id) => {
    const vendors = await places.upstreams(1);
    const gateway = await gatewayAt(vendors);
    for (const [method, path] of CALLS) {
      const { status, text: said } = await ask(gateway, path.replace(ID, id), { method });
      expect([400, 404]).toContain(status);
      expect(JSON.parse(said)).toMatchObject({ error: { type: 'invalid_request_error' } });
    }
    expect(vendors[0]?.requests).toEqual([]);
  });

  test('is refused for another method, with those that there are', async () => {
    const gateway = await gatewayAt(await places.upstreams(1));
    for (const [method, path, allow] of [
      ['POST', `/v1/responses/${ID}`, 'GET, DELETE'],
      ['PUT', `/v1/responses/${ID}`, 'GET, DELETE'],
      ['GET', `/v1/responses/${ID}/cancel`, 'POST'],
      ['DELETE', `/v1/responses/${ID}/input_items`, 'GET'],
      ['GET', '/v1/responses/compact', 'POST'],
      ['DELETE', '/v1/responses/input_tokens', 'POST'],
    ] as const) {
      const { status, headers } = await ask(gateway, path, { method });
      expect([path, status, headers.get('allow')]).toEqual([path, 405, allow]);
    }
    const preflight = await ask(gateway, `/v1/responses/${ID}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'DELETE' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
  });

  test('to a wrong path gets an error that names the right one', async () => {
    const gateway = await gatewayAt(await places.upstreams(1));
    for (const [path, meant] of [
      [`/responses/${ID}`, '/v1/responses/{id}?'],
      [`/v1/v1/responses/${ID}/cancel`, '/v1/responses/{id}/cancel?'],
      [`/openai/responses/${ID}/input_items`, '/v1/responses/{id}/input_items?'],
      ['/responses/compact', '/v1/responses/compact?'],
    ] as const) {
      const { status, text: said } = await ask(gateway, path);
      expect([path, status]).toEqual([path, 404]);
      expect(said).toContain(`Did you mean ${meant}`);
    }
  });

  test('needs a key', async () => {
    const vendors = await places.upstreams(1);
    const gateway = await gatewayAt(vendors);
    expect(await ask(gateway, undefined, { key: 'gw-no-key' })).toMatchObject({ status: 401 });
    expect(vendors[0]?.requests).toEqual([]);
  });

  test('counts as a request of its key', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const gateway = await gatewayAt(vendors, {
      keys: [{ name: 'slow', key: 'gw-slow-key-of-the-tests', limits: { requestsPerMinute: 2 } }],
    });
    const got = [];
    for (let at = 0; at < 3; at += 1)
      got.push((await ask(gateway, undefined, { key: 'gw-slow-key-of-the-tests' })).status);
    expect(got).toEqual([200, 200, 429]);
  });

  test('goes to the vendor that the query names, if it keeps responses itself', async () => {
    const [openai, xai] = await places.upstreams(2);
    if (openai === undefined || xai === undefined) throw new Error('There are no vendors.');
    xai.script(knows);
    const gateway = await gatewayAt([], {
      vendors: {
        openai: { baseUrl: `${openai.url}/v1`, apiKey: 'k' },
        'x-ai': { baseUrl: `${xai.url}/v1`, apiKey: 'k' },
        other: { baseUrl: `${xai.url}/v1`, apiKey: 'k', formats: ['chat-completions', 'responses'] },
        acme: { baseUrl: `${xai.url}/v1`, apiKey: 'k', formats: ['chat-completions'] },
      },
    });
    // A service that answers some of its models in this format keeps what it has answered.
    for (const model of ['other/whatever', 'Other/x', 'x-ai/whatever'])
      expect(await ask(gateway, `/v1/responses/${ID}?model=${model}`)).toMatchObject({ status: 200, text });
    expect(openai.requests).toEqual([]);
    for (const [model, code] of [
      ['acme/x', 'endpoint_not_available'],
      ['anthropic/x', 'model_not_found'],
    ] as const) {
      const { status, text: said } = await ask(gateway, `/v1/responses/${ID}?model=${model}`);
      expect([status, JSON.parse(said)]).toMatchObject([404, { error: { code } }]);
    }
    expect(xai.requests).toHaveLength(3);
  });

  test('is never answered from the cache, and no hook sees it', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const onRequest = vi.fn();
    const gateway = await gatewayAt(vendors, {
      hooks: { onRequest },
      cache: { keys: ['test'], seconds: 60 },
    });
    for (let at = 0; at < 2; at += 1) expect(await ask(gateway)).toMatchObject({ status: 200 });
    expect(vendors[0]?.requests).toHaveLength(2);
    expect(onRequest).not.toHaveBeenCalled();
  });
});

test.each(CALLS)('a hook that watches answers is not got around: %s %s', async (method, path) => {
  const vendors = await places.upstreams(1);
  vendors[0]?.script(knows);
  const onReplyEvent: NonNullable<ConfigInput['hooks']>['onReplyEvent'] = (event, out) => out.enqueue(event);
  const gateway = await gatewayAt(vendors, { hooks: { onReplyEvent } });
  // What is deleted tells nothing of the answer.
  expect(await ask(gateway, path, { method })).toMatchObject({ status: method === 'DELETE' ? 200 : 400 });
  expect(vendors[0]?.requests).toHaveLength(method === 'DELETE' ? 1 : 0);
});

describe('the keys of stored responses', () => {
  const forbidden = { error: { param: 'response_id', code: 'stored_not_allowed' } };

  test.each(CALLS)('an id is its own key’s: %s %s', async (method, path) => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const gateway = await gatewayAt(vendors);
    await create(gateway, OWN);
    expect(await ask(gateway, path, { method, key: OWN })).toMatchObject({ status: 200 });
    expect(await ask(gateway, path, { method, key: KEY })).toMatchObject({ status: 200 });
    for (const key of [OTHER, NONE, BOUND]) {
      const { status, text: said } = await ask(gateway, path, { method, key });
      expect([key, status, JSON.parse(said)]).toMatchObject([key, 403, forbidden]);
    }
    expect(vendors[0]?.requests).toHaveLength(3);
  });

  test('a restricted key has its own, also when it may no longer use the model that made it', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const gateway = await gatewayAt(vendors);
    await create(gateway, BOUND);
    expect(await ask(gateway, undefined, { key: BOUND })).toMatchObject({ status: 200, text });
    expect(await ask(gateway, `/v1/responses/${ID}?include[]=x&stream=false`, { key: BOUND })).toMatchObject({
      status: 200,
    });
    const odd = await ask(gateway, `/v1/responses/${ID}?route=fast`, { key: BOUND });
    expect([odd.status, JSON.parse(odd.text)]).toMatchObject([403, { error: { code: 'field_not_allowed' } }]);
  });

  test('a key that may use no model of a vendor gets no response stored there', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(knows);
    const gateway = await gatewayAt(vendors);
    expect(await ask(gateway, undefined, { key: ELSEWHERE })).toMatchObject({ status: 403 });
    expect(vendors[0]?.requests).toEqual([]);
  });

  test('what a response has stored later belongs to the key once it has seen it', async () => {
    const vendors = await places.upstreams(1);
    const queued = JSON.stringify({ ...body, status: 'queued' });
    vendors[0]?.script((wire) => wire.answer(200, queued, { 'content-type': 'application/json' }), knows);
    const gateway = await gatewayAt(vendors);
    await create(gateway, OWN);
    const refer = () =>
      fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${OWN}` },
        body: '{"model":"gpt-4.1","input":[{"type":"item_reference","id":"msg_made_later"}]}',
      });
    expect((await refer()).status).toBe(403);
    await ask(gateway, undefined, { key: OWN });
    expect((await refer()).status).toBe(200);
  });
});

describe('the accounts of a vendor', () => {
  test.each(CALLS)('are asked until one knows it: %s %s', async (method, path) => {
    const vendors = await places.upstreams(3);
    for (const vendor of vendors) vendor.script(knowsNot);
    vendors[2]?.script(knows);
    const gateway = await gatewayAt(vendors, { retries: { limit: 0 } });
    for (let at = 0; at < 4; at += 1)
      expect(await ask(gateway, path, { method })).toMatchObject({ status: 200, text });
    expect(vendors[2]?.requests).toHaveLength(4);
  });

  test('are each asked once, if none knows it', async () => {
    const vendors = await places.upstreams(3);
    for (const vendor of vendors) vendor.script(knowsNot);
    const gateway = await gatewayAt(vendors);
    const { status, text: said, headers } = await ask(gateway);
    expect({ status, said, again: headers.get('x-should-retry') }).toEqual({
      status: 404,
      said: UNKNOWN,
      again: null,
    });
    expect(vendors.map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
    await vi.waitFor(() =>
      expect(gateway.records).toMatchObject([
        { attempts: 3, repairs: ['other-upstream', 'other-upstream'], outcome: 'complete' },
      ]),
    );
  });

  test('that fail may be the one that knows it, so it is not called unknown', async () => {
    const vendors = await places.upstreams(2);
    vendors[0]?.script(knowsNot);
    vendors[1]?.script(breaks);
    const gateway = await gatewayAt(vendors, { retries: { limit: 1, wait: 1 } });
    for (let at = 0; at < 2; at += 1) expect(await ask(gateway)).toMatchObject({ status: 502 });
  });

  test('are asked again after a failure, whatever retries.after says', async () => {
    const vendors = await places.upstreams(2);
    vendors[0]?.script(knowsNot);
    vendors[1]?.script((wire) => wire.answer(500, '{"error":{"message":"Oops."}}'), knows);
    const gateway = await gatewayAt(vendors, { retries: { limit: 1, wait: 1, after: 'rejected' } });
    expect(await ask(gateway)).toMatchObject({ status: 200, text });
  });

  test('are believed when they answer after a failure', async () => {
    const vendors = await places.upstreams(2);
    vendors[0]?.script(breaks, knowsNot);
    vendors[1]?.script(breaks, knowsNot);
    const gateway = await gatewayAt(vendors, { retries: { limit: 2, wait: 1, perSecond: 1_000 } });
    expect(await ask(gateway)).toMatchObject({ status: 404, text: UNKNOWN });
  });

  test('that are not asked at the moment may be the one that knows it', async () => {
    const vendors = await places.upstreams(2);
    vendors[0]?.script(knowsNot);
    vendors[1]?.script(breaks);
    const gateway = await gatewayAt(vendors, { retries: { limit: 1, wait: 1 }, ejection: { failures: 2 } });
    await vi.waitUntil(async () => (await ask(gateway)).status === 503);
    const asked = vendors[1]?.requests.length;
    for (const [method, path] of CALLS) {
      const { status, text: said, headers } = await ask(gateway, path, { method });
      expect([status, said]).toEqual([503, expect.stringContaining('Another upstream may know')]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(vendors[1]?.requests).toHaveLength(asked ?? 0);
  });

  test('that have no place free are waited for', async () => {
    const vendors = await places.upstreams(2);
    vendors[0]?.script(knowsNot);
    const held = Promise.withResolvers<void>();
    vendors[1]?.script((wire, request) => {
      void held.promise.then(() => knows(wire, request));
    }, knows);
    const [own] = Object.values(openaiAt(vendors));
    const gateway = await gatewayAt([], { vendors: { openai: { ...own, connections: 1 } } });
    const first = ask(gateway);
    await vi.waitUntil(() => vendors[1]?.requests.length === 1);
    const second = ask(gateway);
    await vi.waitUntil(() => vendors[0]?.requests.length === 2);
    held.resolve();
    for (const each of [first, second]) expect(await each).toMatchObject({ status: 200, text });
  });

  test('have the last word if they know it', async () => {
    const vendors = await places.upstreams(2);
    vendors[0]?.script(knowsNot);
    vendors[1]?.script((wire) =>
      wire.answer(400, '{"error":{"message":"Cannot cancel a synchronous response."}}'),
    );
    const gateway = await gatewayAt(vendors);
    const [, , [method, path]] = CALLS;
    for (let at = 0; at < 2; at += 1) {
      const { status, text: said } = await ask(gateway, path, { method });
      expect([status, said]).toEqual([400, expect.stringContaining('synchronous')]);
    }
  });

  const lacks: Script = (wire) =>
    wire.answer(405, '{"detail":"Method Not Allowed"}', { 'content-type': 'application/json' });
  const page: Script = (wire) => wire.answer(200, '<html></html>', { 'content-type': 'text/html' });
  test.each([
    ['DELETE', 405, 'Method Not Allowed', lacks],
    ['GET', 405, 'Method Not Allowed', lacks],
    ['GET', 404, 'openai does not offer this', page],
  ] as const)('that do not offer it have not failed: %s, %s', async (method, status, said, script) => {
    const vendors = await places.upstreams(2);
    for (const vendor of vendors) vendor.script(script);
    const gateway = await gatewayAt(vendors, { ejection: { failures: 1 } });
    for (let at = 0; at < 4; at += 1) {
      const answer = await ask(gateway, undefined, { method });
      expect(answer).toMatchObject({ status, text: expect.stringContaining(said) });
    }
    expect(vendors.map(({ requests }) => requests.length)).toEqual([2, 2]);
    for (const vendor of vendors) vendor.script(knows);
    await create(gateway, KEY);
  });

  test.each([401, 403])('whose keys may not do this still answer: %s', async (status) => {
    const vendors = await places.upstreams(2);
    const message =
      'You have insufficient permissions for this operation. Missing scopes: api.responses.read';
    for (const vendor of vendors)
      vendor.script((wire, request) =>
        request.head.startsWith('GET')
          ? wire.answer(status, JSON.stringify({ error: { message } }), {
              'content-type': 'application/json',
            })
          : knows(wire, request),
      );
    const gateway = await gatewayAt(vendors, { ejection: { failures: 1 } });
    for (let at = 0; at < 3; at += 1) {
      expect(await ask(gateway)).toMatchObject({
        status: 502,
        text: expect.stringContaining('upstream_auth'),
      });
      await create(gateway, KEY);
    }
  });

  test('that are down give a failure of the gateway, in the format of the endpoint', async () => {
    const vendors = await places.upstreams(1);
    vendors[0]?.script(breaks);
    const gateway = await gatewayAt(vendors, { retries: { limit: 0 } });
    const { status, text: said } = await ask(gateway);
    expect([status, JSON.parse(said)]).toMatchObject([502, { error: { type: expect.any(String) } }]);
  });
});

describe('the stream of a stored response', () => {
  const event = (type: string, number: number, more: JsonObject = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more, sequence_number: number })}\n\n`;
  const delta = event('response.output_text.delta', 7, { delta: 'on' });
  const path = `/v1/responses/${ID}?stream=true&starting_after=6`;

  async function streamed(...pieces: string[]): Promise<{ gateway: Recorded; said: string; status: number }> {
    const vendors = await places.upstreams(1);
    vendors[0]?.script((wire) => wire.wholeStream(pieces));
    const gateway = await gatewayAt(vendors);
    const { status, text: said } = await ask(gateway, path);
    expect(vendors[0]?.requests).toHaveLength(1);
    return { gateway, said, status };
  }

  test('passes byte for byte, and may be empty', async () => {
    const end = event('response.completed', 8, {
      response: { usage: { input_tokens: 5, output_tokens: 5 } },
    });
    const { said, gateway } = await streamed(delta, end);
    expect(said).toBe(delta + end);
    await vi.waitFor(() => expect(gateway.records).toMatchObject([{ streamed: true }]));
    expect(gateway.records[0]?.usage).toEqual({});
    expect(await streamed(': nothing\n\n')).toMatchObject({ status: 200, said: ': nothing\n\n' });
    expect(await streamed()).toMatchObject({ status: 200, said: '' });
  });

  test('may tell that the response has failed, which is no failure of this request', async () => {
    const failed = event('response.failed', 7, {
      response: { id: ID, status: 'failed', error: { code: 'server_error', message: 'Sorry.' } },
    });
    const { said, status, gateway } = await streamed(failed);
    expect({ said, status }).toEqual({ said: failed, status: 200 });
    await vi.waitFor(() =>
      expect(gateway.records).toMatchObject([{ outcome: 'complete', fault: undefined }]),
    );
  });

  test('that stops before the end ends in an error', async () => {
    const { said } = await streamed(delta);
    expect(said.startsWith(delta)).toBe(true);
    expect(said).toMatch(/event: error\n/);
  });
});
