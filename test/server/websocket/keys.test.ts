/**
 * What happens when a key changes while its socket is open: the next request gets the same answer as a POST,
 * and the socket stays open.
 */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type KeyRegistry, openKeyRegistry } from '../../../src/access/keys.ts';
import { limitsInMemory } from '../../../src/access/limits/open-limits.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { asObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { hashKey } from '../../../src/store/keys/key-secret.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { type Client, connect, say } from './stage.ts';

/** A million input tokens: two dollars. */
const DEAR = { input_tokens: 1_000_000, output_tokens: 0, total_tokens: 1_000_000 };
const TEAM = { name: 'team', hash: hashKey(KEY) };
const body = { model: 'gpt-4.1', input: 'Hi', store: false };

let vendor: TestUpstream;
let gateway: TestGateway;
let keys: KeyRegistry;
let client: Client;
beforeEach(async () => {
  vendor = await startUpstream(say('Hello', [], DEAR));
  keys = openKeyRegistry();
  keys.set('team', [TEAM]);
  const limits = limitsInMemory();
  gateway = await startGateway({ vendors: vendorsAtUrl(vendor.url) }, undefined, (opened) => ({
    ...opened,
    keys,
    limits,
    record: recording(charging(limits.charge)),
  }));
  client = await connect(gateway.url);
});
afterEach(async () => {
  vi.useRealTimers();
  client.socket.terminate();
  await gateway.close();
  await vendor.close();
});

/** How the next request ends. */
async function next(fields: JsonObject = {}): Promise<JsonObject | undefined> {
  client.send({ type: 'response.create', ...body, ...fields });
  return (await client.answer()).at(-1);
}

async function expectAsByPost(status: number, code: string): Promise<void> {
  const posted = await postJson(`${gateway.url}/v1/responses`, { ...body, stream: true });
  const said = asObject(parseJson(await posted.text()));
  expect(posted.status).toBe(status);
  expect(said).toMatchObject({ error: { code } });
  const requestId = { 'x-request-id': expect.stringMatching(/^req_/) };
  const retry = posted.headers.get('x-should-retry');
  expect(await next()).toMatchObject({
    type: 'error',
    status,
    ...said,
    headers: { ...requestId, ...(retry !== null && { 'x-should-retry': retry }) },
  });
}

test('a revoked key is unknown for any request, and a restored one is accepted', async () => {
  expect(await next()).toMatchObject({ type: 'response.completed' });
  keys.set('team', []);
  await expectAsByPost(401, 'invalid_api_key');
  expect(await next({ generate: false })).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } });
  keys.set('team', [TEAM]);
  expect(await next()).toMatchObject({ type: 'response.completed' });
  expect(vendor.received).toHaveLength(2);
});

test('an expired key is unknown', async () => {
  keys.set('team', [{ ...TEAM, expires: Date.now() + 60_000 }]);
  expect(await next()).toMatchObject({ type: 'response.completed' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 });
  await expectAsByPost(401, 'invalid_api_key');
  vi.useRealTimers();
  expect(await next()).toMatchObject({ type: 'response.completed' });
});

test('a key whose budget is used up by one request has none for the next', async () => {
  keys.set('team', [{ ...TEAM, limits: { budgetDay: 1 } }]);
  expect(await next()).toMatchObject({ type: 'response.completed' });
  await expectAsByPost(429, 'insufficient_quota');
  keys.set('team', [{ ...TEAM, limits: { budgetDay: 100 } }]);
  expect(await next()).toMatchObject({ type: 'response.completed' });
});

test('a key that loses or gains a model is rejected or accepted for it', async () => {
  keys.set('team', [{ ...TEAM, models: ['openai/gpt-4o'] }]);
  await expectAsByPost(403, 'model_not_allowed');
  expect(await next({ model: 'gpt-4o' })).toMatchObject({ type: 'response.completed' });
});
