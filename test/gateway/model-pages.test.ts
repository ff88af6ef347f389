/** Lists of models by pages, as the clients of Anthropic and Google read them. */

import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { asObject, asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { KEY, startGateway } from '../support/gateway.ts';
import { googleClient } from '../support/google-client.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const gateway = whileTestsRun(() => startGateway({ generateContent: { models: 'all' } }));

async function list(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const response = await fetch(gateway().url + path, { headers });
  return { status: response.status, body: asObject(parseJson(await response.text())) ?? {} };
}
const ANTHROPIC = { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' };
const GOOGLE = { 'x-goog-api-key': KEY };
const ids = (body: JsonObject): unknown[] =>
  asObjects(body['data'] ?? body['models']).map(({ id, name }) => id ?? name);

test("Anthropic's client reads every model once, page by page", async () => {
  const all = ids((await list('/v1/models', ANTHROPIC)).body);
  const client = new Anthropic({ baseURL: gateway().url, apiKey: KEY });
  const first = await client.models.list({ limit: 7 });
  expect(first.data).toHaveLength(7);
  expect(first).toMatchObject({ has_more: true, first_id: all[0], last_id: all[6] });
  const read: string[] = [];
  for await (const { id } of first) read.push(id);
  expect(read).toEqual(all);
});

test("Anthropic's pages go backwards by `before_id`", async () => {
  const all = ids((await list('/v1/models', ANTHROPIC)).body);
  const { body } = await list(`/v1/models?limit=3&before_id=${all[5]}`, ANTHROPIC);
  expect([ids(body), body['has_more']]).toEqual([all.slice(2, 5), true]);
  const { body: begin } = await list(`/v1/models?limit=3&before_id=${all[2]}`, ANTHROPIC);
  expect([ids(begin), begin['has_more']]).toEqual([all.slice(0, 2), false]);
});

test.each(['limit=0', 'limit=1001', 'limit=many', 'limit=-1', 'after_id=none', 'before_id=none'])(
  'a page of Anthropic that cannot be: %s',
  async (query) => {
    const { status, body } = await list(`/v1/models?${query}`, ANTHROPIC);
    expect([status, body]).toMatchObject([400, { type: 'error', error: { type: 'invalid_request_error' } }]);
    expect(asObject(body['error'])?.['message']).toContain(query.split('=')[0]);
  },
);

test("Google's client reads every model once, page by page", async () => {
  const all = ids((await list('/v1beta/models', GOOGLE)).body);
  const { models } = googleClient(gateway().url);
  const pager = await models.list({ config: { pageSize: 7 } });
  expect(pager.page).toHaveLength(7);
  const read: (string | undefined)[] = [];
  for await (const { name } of pager) read.push(name);
  expect(read).toEqual(all);
  expect(ids((await list('/v1beta/models?pageSize=0&pageToken=', GOOGLE)).body)).toEqual(all);
});

test.each(['pageSize=-1', 'pageSize=many', 'pageToken=none'])(
  'a page of Google that cannot be: %s',
  async (query) => {
    const { status, body } = await list(`/v1beta/models?${query}`, GOOGLE);
    expect([status, body]).toMatchObject([400, { error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
  },
);

test("OpenAI's list has no pages", async () => {
  const { body } = await list('/v1/models?limit=2', { authorization: `Bearer ${KEY}` });
  expect(ids(body).length).toBeGreaterThan(20);
});
