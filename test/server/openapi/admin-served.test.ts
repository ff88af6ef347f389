/** The document against the admin listener: every path, every status, and nothing else. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asList, asObject, type Json, parseJson } from '../../../src/lib/json.ts';
import { openApi } from '../../../src/server/http/openapi/document.ts';
import { RECORD } from '../../accounting/observe/records.ts';
import { ADMIN_KEY, startAdmin, type TestAdmin } from '../../support/admin.ts';
import { checkAnswer } from './check-answer.ts';
import { jsonSchemaIn, operationsOf } from './operations.ts';
import { problemsOf } from './validator.ts';

const document = openApi();
const operations = operationsOf(document).filter(
  ({ description }) => asList(description['tags'])[0] === 'admin',
);

let admin: TestAdmin;
/** Its store is gone. */
let broken: TestAdmin;
/** The id of a revoked key. */
let revoked = '';
beforeAll(async () => {
  admin = await startAdmin();
  broken = await startAdmin();
  await broken.store.close();
  for (const name of ['plain', 'revoked', 'taken', 'rotated', 'patched', 'deleted'])
    expect((await ask(admin, 'POST', '/admin/keys', { name })).status).toBe(201);
  const gone = asObject(parseJson(await (await ask(admin, 'DELETE', '/admin/keys/revoked')).text()));
  revoked = String(gone?.['id']);
  for (const name of ['plain', 'taken', 'patched', 'deleted', 'held'])
    expect((await ask(admin, 'POST', '/admin/groups', { name })).status).toBe(201);
  await ask(admin, 'POST', '/admin/keys', { name: 'of-a-group', group: 'held' });
  admin.record(RECORD);
});
afterAll(async () => {
  await admin.close();
  await broken.close().catch(() => undefined);
});

function ask(
  at: TestAdmin,
  method: string,
  path: string,
  body?: Json | string,
  key = ADMIN_KEY,
): Promise<Response> {
  return fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

interface Provoke {
  readonly path: string;
  readonly body?: Json | string;
  readonly key?: string;
  readonly broken?: true;
}

const WRONG = { key: 'wrong' } as const;
const LARGE = `{"name":"${'x'.repeat(600 * 1_024)}"}`;
const FULL = {
  name: 'full',
  models: ['openai/*', 'anthropic/claude-sonnet-4-5'],
  expires_at: '2100-01-01T00:00:00Z',
  requests_per_minute: 60,
  tokens_per_minute: 100_000,
  concurrent_requests: 5,
  budget_day: 10,
  budget_month: 200.5,
  group: 'plain',
};
const FULL_GROUP = {
  name: 'full',
  models: ['openai/*'],
  requests_per_minute: 60,
  tokens_per_minute: 100_000,
  concurrent_requests: 5,
  budget_day: 10,
  budget_month: 500.5,
};

/** The request that produces each status. */
const SEEN: Readonly<Record<string, Readonly<Record<number, Provoke>>>> = {
  listKeys: {
    200: { path: '/admin/keys?revoked=true' },
    400: { path: '/admin/keys?revoked=perhaps' },
    401: { path: '/admin/keys', ...WRONG },
    503: { path: '/admin/keys', broken: true },
  },
  createKey: {
    201: { path: '/admin/keys', body: FULL },
    400: { path: '/admin/keys', body: { name: 'bad', requests_per_minute: -1 } },
    401: { path: '/admin/keys', body: { name: 'none' }, ...WRONG },
    409: { path: '/admin/keys', body: { name: 'taken' } },
    413: { path: '/admin/keys', body: LARGE },
    503: { path: '/admin/keys', body: { name: 'none' }, broken: true },
  },
  getKey: {
    200: { path: '/admin/keys/plain' },
    401: { path: '/admin/keys/plain', ...WRONG },
    404: { path: '/admin/keys/nobody' },
    503: { path: '/admin/keys/plain', broken: true },
  },
  changeKey: {
    200: { path: '/admin/keys/patched', body: { budget_day: 3, models: null } },
    400: { path: '/admin/keys/patched', body: '{' },
    401: { path: '/admin/keys/patched', body: {}, ...WRONG },
    404: { path: '/admin/keys/nobody', body: {} },
    409: { path: '/admin/keys/{revoked}', body: { budget_day: 3 } },
    413: { path: '/admin/keys/patched', body: LARGE },
    503: { path: '/admin/keys/patched', body: {}, broken: true },
  },
  revokeKey: {
    200: { path: '/admin/keys/deleted' },
    401: { path: '/admin/keys/plain', ...WRONG },
    404: { path: '/admin/keys/nobody' },
    503: { path: '/admin/keys/plain', broken: true },
  },
  rotateKey: {
    201: { path: '/admin/keys/rotated/rotate', body: { grace_seconds: 60 } },
    400: { path: '/admin/keys/rotated/rotate', body: { grace_seconds: 'long' } },
    401: { path: '/admin/keys/rotated/rotate', ...WRONG },
    404: { path: '/admin/keys/nobody/rotate' },
    409: { path: '/admin/keys/{revoked}/rotate' },
    413: { path: '/admin/keys/rotated/rotate', body: LARGE },
    503: { path: '/admin/keys/rotated/rotate', broken: true },
  },
  listGroups: {
    200: { path: '/admin/groups' },
    400: { path: '/admin/groups?limit=0' },
    401: { path: '/admin/groups', ...WRONG },
    503: { path: '/admin/groups', broken: true },
  },
  createGroup: {
    201: { path: '/admin/groups', body: FULL_GROUP },
    400: { path: '/admin/groups', body: { name: 'none' } },
    401: { path: '/admin/groups', body: { name: 'other' }, ...WRONG },
    409: { path: '/admin/groups', body: { name: 'taken' } },
    413: { path: '/admin/groups', body: LARGE },
    503: { path: '/admin/groups', body: { name: 'other' }, broken: true },
  },
  getGroup: {
    200: { path: '/admin/groups/plain' },
    401: { path: '/admin/groups/plain', ...WRONG },
    404: { path: '/admin/groups/nobody' },
    503: { path: '/admin/groups/plain', broken: true },
  },
  changeGroup: {
    200: { path: '/admin/groups/patched', body: { budget_day: 3, models: null } },
    400: { path: '/admin/groups/patched', body: '{' },
    401: { path: '/admin/groups/patched', body: {}, ...WRONG },
    404: { path: '/admin/groups/nobody', body: {} },
    413: { path: '/admin/groups/patched', body: LARGE },
    503: { path: '/admin/groups/patched', body: {}, broken: true },
  },
  deleteGroup: {
    200: { path: '/admin/groups/deleted' },
    401: { path: '/admin/groups/plain', ...WRONG },
    404: { path: '/admin/groups/nobody' },
    409: { path: '/admin/groups/held' },
    503: { path: '/admin/groups/plain', broken: true },
  },
  listExchanges: {
    200: { path: '/admin/exchanges?errors=false&limit=5' },
    400: { path: '/admin/exchanges?before=yesterday' },
    401: { path: '/admin/exchanges', ...WRONG },
    503: { path: '/admin/exchanges', broken: true },
  },
  listBudgets: {
    200: { path: '/admin/budgets?limit=5' },
    400: { path: '/admin/budgets?limit=0' },
    401: { path: '/admin/budgets', ...WRONG },
    503: { path: '/admin/budgets', broken: true },
  },
  listAudit: {
    200: { path: '/admin/audit?limit=5' },
    400: { path: '/admin/audit?action=none' },
    401: { path: '/admin/audit', ...WRONG },
    503: { path: '/admin/audit', broken: true },
  },
  getSession: { 200: { path: '/admin/session', ...WRONG } },
  getConfig: { 200: { path: '/admin/config' }, 401: { path: '/admin/config', ...WRONG } },
  getUsage: {
    200: { path: '/admin/usage?by=day,model,key,vendor&limit=5' },
    400: { path: '/admin/usage?by=mood' },
    401: { path: '/admin/usage', ...WRONG },
    503: { path: '/admin/usage', broken: true },
  },
  eraseUsage: {
    200: { path: '/admin/usage?tag=nobody' },
    400: { path: '/admin/usage' },
    401: { path: '/admin/usage?tag=nobody', ...WRONG },
    409: { path: '/admin/usage?key=patched' },
    503: { path: '/admin/usage?tag=nobody', broken: true },
  },
  getMetrics: { 200: { path: '/metrics' }, 401: { path: '/metrics', ...WRONG } },
};

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  test.each(Object.keys(operation.responses))('answers %s, as described', async (status) => {
    const provoke = SEEN[id]?.[Number(status)];
    if (provoke === undefined) throw new Error(`Nothing here asks for it.`);
    const { path, body, key } = provoke;
    const response = await ask(
      provoke.broken ? broken : admin,
      operation.method,
      path.replace('{revoked}', revoked),
      body,
      key,
    );
    expect(response.status).toBe(Number(status));
    await checkAnswer(document, operation, response);
  });
});

test('requests sent here match the description', () => {
  for (const operation of operations) {
    const schema = jsonSchemaIn(asObject(operation.description['requestBody']));
    for (const [status, { body }] of Object.entries(SEEN[operation.id] ?? {})) {
      if (schema === undefined || typeof body === 'string' || body === undefined) continue;
      const problems = problemsOf(document, schema, body);
      expect(problems === undefined, `${operation.id} ${status} ${problems}`).toBe(status !== '400');
    }
  }
});

test('the secret of a new key is in its first answer, and in no other', async () => {
  const made = asObject(
    parseJson(await (await ask(admin, 'POST', '/admin/keys', { name: 'secret' })).text()),
  );
  expect(made?.['key']).toMatch(/^gw_/);
  const listed = await (await ask(admin, 'GET', '/admin/keys')).text();
  expect(listed).toContain('"secret"');
  expect(listed).not.toContain(String(made?.['key']));
});

test('usage and metrics include a finished request', async () => {
  await expect
    .poll(async () => (await ask(admin, 'GET', '/admin/usage?from=2020-01-01&by=model')).text())
    .toContain('anthropic/claude-sonnet-4-5');
  expect(await (await ask(admin, 'GET', '/metrics')).text()).toMatch(/gateway_requests_total\{.*\} 1\n/);
});

test('HEAD of whatever answers GET has the same status and type, and no body', async () => {
  const read = operations.filter(({ method }) => method === 'GET');
  expect(read.length).toBeGreaterThan(8);
  for (const { path: template } of read) {
    const path = template.replace('{key}', 'plain').replace('{group}', 'plain');
    const [head, get] = await Promise.all([ask(admin, 'HEAD', path), ask(admin, 'GET', path)]);
    expect(head.status, path).toBe(200);
    expect(head.headers.get('content-type'), path).toBe(get.headers.get('content-type'));
    expect(await head.text(), path).toBe('');
    await get.body?.cancel();
  }
});

test('the document is on this listener too, without a key, and the error for an unknown path says so', async () => {
  const response = await fetch(`${admin.url}/openapi.json`);
  expect(response.status).toBe(200);
  expect(parseJson(await response.text())).toEqual(parseJson(JSON.stringify(document)));
  for (const path of ['/admin/key', '/key/generate'])
    expect(await (await ask(admin, 'GET', path)).text()).toContain('/openapi.json describes all there are.');
});

describe('what is not described', () => {
  test.each(['/admin', '/admin/', '/admin/keys/a/b', '/metrics/x', '/health/live', '/dashboard'])(
    '%s never occurs',
    async (path) => {
      for (const key of [ADMIN_KEY, 'wrong']) {
        const response = await ask(admin, 'GET', path, undefined, key);
        expect([401, 404], key).toContain(response.status);
        if (key === ADMIN_KEY) expect(response.status).toBe(404);
        await response.body?.cancel();
      }
    },
  );

  test('a method that is not described is 405, and Allow names those that are', async () => {
    for (const [path, described] of Map.groupBy(operations, (operation) => operation.path)) {
      const response = await ask(admin, 'PUT', path.replace('{key}', 'plain'));
      expect(response.status, path).toBe(405);
      for (const { method } of described) expect(response.headers.get('allow'), path).toContain(method);
      await response.body?.cancel();
    }
  });
});
