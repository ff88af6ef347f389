import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import OpenAI from 'openai';
import { CursorPage } from 'openai/pagination';
import { describe, expect, test } from 'vitest';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { logToStderr } from '../../../src/lib/diagnostics.ts';
import { errorBody } from '../../../src/server/http/admin/answers.ts';
import { createAdminApp } from '../../../src/server/http/admin/app.ts';
import { groupList } from '../../../src/server/http/admin/group-routes.ts';
import { keyList, madeKey } from '../../../src/server/http/admin/key-routes.ts';
import { usageAnswer } from '../../../src/server/http/admin/usage-route.ts';
import { hashKey } from '../../../src/store/keys/key-secret.ts';
import { groupView, type KeyView, keyView } from '../../../src/store/keys/key-view.ts';
import { createKey } from '../../../src/store/keys/keys.ts';
import { listKeys } from '../../../src/store/keys/list-keys.ts';
import type { Store } from '../../../src/store/store.ts';
import { exchange, rowOf } from '../../accounting/usage/records.ts';
import { admitByKey, serveApp } from '../../support/admin.ts';
import { keyRecords } from '../../support/key-records.ts';
import { rawClient, statusOf } from '../../support/raw.ts';
import { describeStores } from '../../support/stores.ts';

const ADMIN_KEY = 'the-key-of-the-admin';

/** Method, path, body, and the field that the error names. */
const MALFORMED: readonly (readonly [string, string, unknown, string | null])[] = [
  ['POST', '/admin/keys', '{', null],
  ['POST', '/admin/keys', '[]', null],
  ['POST', '/admin/keys', '', 'name'],
  ['POST', '/admin/keys', { name: 'a/b' }, 'name'],
  ['POST', '/admin/keys', { name: 'a ' }, 'name'],
  ['POST', '/admin/keys', { name: 'a', models: ['gpt-4o'] }, 'models.0'],
  ['POST', '/admin/keys', { name: 'a', budget_day: -1 }, 'budget_day'],
  ['POST', '/admin/keys', { name: 'a', rpm: 5 }, null],
  ['POST', '/admin/keys', { name: 'a', model_limits: [{ models: [] }] }, 'model_limits.0.models'],
  ['POST', '/admin/keys', { name: 'a', stored: 'some' }, 'stored'],
  [
    'POST',
    '/admin/groups',
    { name: 'a', model_limits: [{ models: ['a/b'], budget_day: -1 }] },
    'model_limits.0.budget_day',
  ],
  ['POST', '/admin/keys', { name: 'a', expires_at: '2020-01-31T00:00:00Z' }, 'expires_at'],
  ['POST', '/admin/keys', '{"name":"a","__proto__":{"x":1}}', null],
  ['PATCH', '/admin/keys/a', undefined, null],
  ['PATCH', '/admin/groups/a', '', null],
  ['GET', '/admin/keys?revoked=maybe', undefined, 'revoked'],
  ['GET', '/admin/keys?limit=0', undefined, 'limit'],
  ['GET', '/admin/keys?limit=10001', undefined, 'limit'],
  ['GET', '/admin/keys?after=team', undefined, 'after'],
  ['GET', '/admin/keys?after=key_of-nobody', undefined, 'after'],
  ['GET', '/admin/keys?name_prefix=%00', undefined, 'name_prefix'],
  ['GET', '/admin/keys?group=%00', undefined, 'group'],
  ['POST', '/admin/keys', { name: 'a', group: 'none' }, 'group'],
  ['POST', '/admin/groups', '', 'name'],
  ['POST', '/admin/groups', { name: 'none' }, 'name'],
  ['POST', '/admin/groups', { name: 'a', models: ['gpt-4o'] }, 'models.0'],
  ['POST', '/admin/groups', { name: 'a', requests_per_minute: 0 }, 'requests_per_minute'],
  ['POST', '/admin/groups', { name: 'a', expires_at: null }, null],
  ['GET', '/admin/usage?by=group,tag', undefined, 'group'],
  ['GET', '/admin/usage?group=%00', undefined, 'group'],
  ['GET', '/admin/usage?by=user', undefined, 'by.0'],
  ['GET', '/admin/usage?by=', undefined, 'by.0'],
  ['GET', '/admin/usage?from=yesterday', undefined, 'from'],
  ['GET', '/admin/usage?from=2026-11-30&to=2026-11-01', undefined, 'from'],
  ['GET', '/admin/usage?from=2999-01-01', undefined, 'from'],
  ['GET', '/admin/usage?limit=0', undefined, 'limit'],
  ['GET', '/admin/usage?what=1', undefined, null],
  ['GET', '/admin/usage?key=%00', undefined, 'key'],
];

const MISDIRECTED: readonly (readonly [string, string, number])[] = [
  ['GET', '/admin/keys/nobody', 404],
  ['PATCH', '/admin/keys/nobody', 404],
  ['DELETE', '/admin/keys/%ff', 404],
  ['GET', '/admin/keys/%00', 404],
  ['POST', '/admin/keys/nobody/rotate', 404],
  ['GET', '/admin', 404],
  ['GET', '/admin/keys/a/b', 404],
  ['PUT', '/admin/keys', 405],
  ['GET', '/admin/groups/nobody', 404],
  ['PATCH', '/admin/groups/nobody', 404],
  ['DELETE', '/admin/groups/%ff', 404],
  ['DELETE', '/admin/groups', 405],
  ['POST', '/admin/usage', 405],
  ['GET', '/admin/keys/a/rotate', 405],
];

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface Admin {
  readonly url: string;
  readonly store: Store;
  /** How often the API reported that keys may have changed. */
  readonly told: () => number;
  ask(method: string, path: string, body?: unknown, authorization?: string): Promise<Answer>;
}

describeStores('the admin API', (stores) => {
  /** Calls `use` with an admin API over a new store. */
  async function withAdmin(use: (admin: Admin) => Promise<void>): Promise<void> {
    const store = await stores.open();
    let told = 0;
    const onKeys = (): void => {
      told += 1;
    };
    const running = await serveApp(
      createAdminApp(store, { admit: admitByKey(ADMIN_KEY), problem: logToStderr, onKeys }),
    );
    const ask: Admin['ask'] = async (method, path, body, authorization = `Bearer ${ADMIN_KEY}`) => {
      const response = await fetch(running.url + path, {
        method,
        headers: { ...(authorization !== '' && { authorization }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const { status, headers } = response;
      return { status, headers, body: await response.json() };
    };
    try {
      await use({ url: running.url, store, told: () => told, ask });
    } finally {
      await running.close();
    }
  }

  test('a key from its creation to its deletion', () =>
    withAdmin(async ({ ask, store, told }) => {
      const settings = {
        models: ['openai/*'],
        stored: 'none',
        expires_at: '2999-12-31T00:00:00.000Z',
        requests_per_minute: 60,
        tokens_per_minute: 100_000,
        concurrent_requests: 3,
        budget_day: 1.5,
        budget_month: 20,
        model_limits: [{ models: ['openai/o3'], requests_per_minute: 2, budget_day: 0.5 }],
      };
      const created = await ask('POST', '/admin/keys', { name: 'team blue', ...settings });
      expect(created.status).toBe(201);
      expect(created.headers.get('cache-control')).toBe('no-store');
      const { key, ...view } = madeKey.parse(created.body);
      expect(view).toMatchObject({ name: 'team blue', ...settings });
      expect(told()).toBe(1);
      expect(await keyRecords(store)).toMatchObject([
        {
          hash: hashKey(key),
          stored: 'none',
          limits: { budgetDay: 1.5 },
          modelLimits: [{ models: ['openai/o3'], requestsPerMinute: 2, budgetDay: 0.5 }],
        },
      ]);

      const path = `/admin/keys/${view.id}`;
      expect((await ask('GET', path)).body).toEqual(view);
      expect((await ask('GET', '/admin/keys/team%20blue')).body).toEqual(view);
      expect((await ask('GET', '/admin/keys')).body).toEqual({
        object: 'list',
        data: [view],
        first_id: view.id,
        last_id: view.id,
        has_more: false,
      });

      const changed = await ask('PATCH', path, {
        budget_day: null,
        requests_per_minute: 5,
        model_limits: null,
      });
      expect(changed).toMatchObject({
        status: 200,
        body: { ...view, budget_day: null, requests_per_minute: 5, model_limits: null },
      });

      const rotation = await ask('POST', `${path}/rotate`, { grace_seconds: 3_600 });
      expect(rotation.status).toBe(201);
      const rotated = madeKey.parse(rotation.body);
      expect(rotated.key).not.toBe(key);
      const until = Date.parse(rotated.previous_until ?? '');
      expect(until).toBeGreaterThan(Date.now() + 3_000_000);
      expect(until).toBeLessThanOrEqual(Date.now() + 3_600_000);
      expect(await ask('POST', `${path}/rotate`, { grace_seconds: 60 })).toMatchObject({
        status: 409,
        body: { error: { code: 'key_in_grace', param: 'grace_seconds' } },
      });
      const lost = await ask('POST', `${path}/rotate`, { grace_seconds: 60, again: true });
      expect(madeKey.parse(lost.body).previous_until).toBe(rotated.previous_until);
      const last = madeKey.parse((await ask('POST', `${path}/rotate`)).body);
      expect(last.previous_until).toBeNull();
      // A month is the maximum, and zero is allowed too.
      expect(await ask('POST', `${path}/rotate`, { grace_seconds: 31 * 86_400 + 1 })).toMatchObject({
        status: 400,
        body: { error: { param: 'grace_seconds' } },
      });
      expect((await ask('POST', `${path}/rotate`, { grace_seconds: 0 })).status).toBe(201);
      expect((await ask('POST', `${path}/rotate`, { grace_seconds: 31 * 86_400 })).status).toBe(201);

      const revoked = await ask('DELETE', path);
      expect(keyView.parse(revoked.body).revoked_at).not.toBeNull();
      expect((await ask('DELETE', path)).body).toEqual(revoked.body);
      expect((await ask('GET', '/admin/keys')).body).toEqual({
        object: 'list',
        data: [],
        first_id: null,
        last_id: null,
        has_more: false,
      });
      expect(keyList.parse((await ask('GET', '/admin/keys?revoked=true')).body).data).toHaveLength(1);
      expect(await ask('PATCH', path, {})).toMatchObject({
        status: 409,
        body: { error: { code: 'key_revoked' } },
      });
      expect(await ask('POST', `${path}/rotate`)).toMatchObject({ status: 409 });
      expect(await keyRecords(store)).toEqual([]);
    }));

  test('a group from its creation to its deletion', () =>
    withAdmin(async ({ ask, store, told }) => {
      const settings = {
        models: ['openai/*'],
        requests_per_minute: 60,
        tokens_per_minute: 100_000,
        concurrent_requests: 3,
        budget_day: 1.5,
        budget_month: 500,
      };
      const created = await ask('POST', '/admin/groups', { name: 'team search', ...settings });
      expect(created.status).toBe(201);
      const view = groupView.parse(created.body);
      expect(view).toMatchObject({ object: 'group', name: 'team search', ...settings });
      expect(told()).toBe(1);
      const path = '/admin/groups/team%20search';
      expect((await ask('GET', path)).body).toEqual(view);
      expect((await ask('GET', '/admin/groups')).body).toEqual({
        object: 'list',
        data: [view],
        first_id: 'team search',
        last_id: 'team search',
        has_more: false,
      });
      expect(await ask('POST', '/admin/groups', { name: 'team search' })).toMatchObject({
        status: 409,
        body: { error: { code: 'name_taken', param: 'name' } },
      });
      expect((await ask('PATCH', path, { budget_day: null, requests_per_minute: 5 })).body).toEqual({
        ...view,
        budget_day: null,
        requests_per_minute: 5,
      });

      const { body } = await ask('POST', '/admin/keys', { name: 'ranker', group: 'team search' });
      const { key } = madeKey.parse(body);
      expect(await keyRecords(store)).toMatchObject([{ hash: hashKey(key), group: 'team search' }]);
      const of = async (query: string) =>
        keyList.parse((await ask('GET', `/admin/keys?${query}`)).body).data.map(({ name }) => name);
      await ask('POST', '/admin/keys', { name: 'loose' });
      expect(await of('group=team%20search')).toEqual(['ranker']);
      expect(await of('group=team')).toEqual([]);
      expect(await ask('PATCH', '/admin/keys/loose', { group: 'nobody' })).toMatchObject({
        status: 400,
        body: {
          error: { code: 'unknown_group', param: 'group', message: 'group: There is no group nobody.' },
        },
      });

      expect(await ask('DELETE', path)).toMatchObject({
        status: 409,
        body: {
          error: {
            code: 'group_has_keys',
            message:
              'Keys that are not revoked are still of the group team search: 1. Give them another group, or none ("group": null), first.',
          },
        },
      });
      expect((await ask('PATCH', '/admin/keys/ranker', { group: null })).body).toMatchObject({ group: null });
      expect((await ask('DELETE', path)).body).toMatchObject({ name: 'team search' });
      expect(await ask('DELETE', path)).toMatchObject({
        status: 404,
        body: { error: { message: 'There is no such group.' } },
      });
      expect((await ask('GET', '/admin/groups')).body).toEqual({
        object: 'list',
        data: [],
        first_id: null,
        last_id: null,
        has_more: false,
      });
    }));

  test('groups come in pages, and a page continues after a group that is gone', () =>
    withAdmin(async ({ ask }) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await ask('POST', '/admin/groups', { name });
      const page = async (query: string) => {
        const { data, ...rest } = groupList.parse((await ask('GET', `/admin/groups?${query}`)).body);
        return { names: data.map(({ name }) => name).join(''), ...rest };
      };
      const list = { object: 'list' };
      expect(await page('limit=2')).toEqual({
        ...list,
        names: 'ab',
        first_id: 'a',
        last_id: 'b',
        has_more: true,
      });
      await ask('DELETE', '/admin/groups/b');
      expect(await page('limit=2&after=b')).toMatchObject({ names: 'cd', has_more: true });
      expect(await page('limit=2&after=d')).toMatchObject({ names: 'e', has_more: false });
      expect(await page('limit=2&after=e')).toMatchObject({ names: '', last_id: null });
      expect(await ask('GET', '/admin/groups?limit=0')).toMatchObject({
        status: 400,
        body: { error: { param: 'limit' } },
      });
    }));

  test('keys come in pages, which an SDK can iterate: each key once, even if keys are created and revoked meanwhile', () =>
    withAdmin(async ({ url, store }) => {
      const names = Array.from({ length: 7 }, (_, at) => `team-${at}`);
      // Several created at the same moment too.
      for (const some of [names.slice(0, 2), names.slice(2)])
        await Promise.all(some.map((name) => createKey(store, name)));
      const all = await listKeys(store);
      const client = new OpenAI({ baseURL: `${url}/admin`, apiKey: ADMIN_KEY, maxRetries: 0 });
      const walked: string[] = [];
      const pages = client.getAPIList<KeyView, CursorPage<KeyView>>('/keys', CursorPage, {
        query: { limit: 2, revoked: true },
      });
      for await (const key of pages) {
        walked.push(key.id);
        if (walked.length !== 2) continue;
        await createKey(store, 'late');
        await client.delete(`/keys/${key.id}`);
        // One that is on no page yet.
        await client.delete(`/keys/${all.at(-2)?.id}`);
      }
      expect(walked).toEqual(all.map(({ id }) => id));
    }));

  test('a page reports its first and last id, and whether there are more', () =>
    withAdmin(async ({ ask, store }) => {
      for (const name of ['Blue', 'blue', 'blue%', 'blue-2', 'green']) await createKey(store, name);
      const of = async (query: string) => keyList.parse((await ask('GET', `/admin/keys?${query}`)).body);
      const first = await of('name_prefix=blue&limit=2');
      expect(first).toMatchObject({
        has_more: true,
        first_id: first.data[0]?.id,
        last_id: first.data[1]?.id,
      });
      const second = await of(`name_prefix=blue&limit=2&after=${first.last_id}`);
      expect(second).toMatchObject({ has_more: false, first_id: second.data[0]?.id });
      expect([...first.data, ...second.data].map(({ name }) => name).sort()).toEqual([
        'blue',
        'blue%',
        'blue-2',
      ]);
      expect((await of('name_prefix=blue%25')).data).toMatchObject([{ name: 'blue%' }]);
      expect((await of('limit=5')).has_more).toBe(false);
    }));

  test('a name that is in use is a conflict', () =>
    withAdmin(async ({ ask }) => {
      await ask('POST', '/admin/keys', { name: 'ci' });
      const { status, body } = await ask('POST', '/admin/keys', { name: 'ci' });
      expect(status).toBe(409);
      expect(errorBody.parse(body).error).toMatchObject({ code: 'name_taken', param: 'name' });
    }));

  test('the scheme before the admin key may be in lower case, as in RFC 9110', () =>
    withAdmin(async ({ ask }) => {
      expect((await ask('GET', '/admin/keys', undefined, `bearer ${ADMIN_KEY}`)).status).toBe(200);
    }));

  test('a long report is compressed for clients that take it', () =>
    withAdmin(async ({ url, store }) => {
      const rows = Array.from({ length: 300 }, (_, at) =>
        rowOf(exchange({ id: `r${at}`, key: `key ${at}` })),
      );
      await writeUsage(store, rows);
      const get = (encoding: string) =>
        new Promise<{ readonly encoding: string | undefined; readonly body: Buffer }>((resolve, reject) => {
          const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'accept-encoding': encoding };
          const path = `${url}/admin/usage?from=2020-01-01&to=2026-12-31&by=key`;
          request(path, { headers }, async (response) => {
            const body = Buffer.concat(await response.toArray());
            resolve({ encoding: response.headers['content-encoding'], body });
          })
            .on('error', reject)
            .end();
        });
      const plain = await get('identity');
      expect(plain.encoding).toBeUndefined();
      expect(usageAnswer.parse(JSON.parse(plain.body.toString())).data).toHaveLength(300);
      const small = await get('br, gzip');
      expect(small.encoding).toBe('gzip');
      expect(gunzipSync(small.body)).toEqual(plain.body);
      expect(small.body.length).toBeLessThan(plain.body.length / 5);
    }));

  test('usage, by query', () =>
    withAdmin(async ({ ask, store }) => {
      const records = [exchange({ key: 'a' }), exchange({ key: 'b', cost: 2 })];
      await writeUsage(store, records.map(rowOf));
      const { body } = await ask('GET', '/admin/usage?from=2026-11-01&to=2026-11-30&by=key');
      const { data, total, ...rest } = usageAnswer.parse(body);
      expect(rest).toEqual({ object: 'list', from: '2026-11-01', to: '2026-11-30', has_more: false });
      expect(data).toMatchObject([
        { key: 'b', cost: 2 },
        { key: 'a', cost: 0.001 },
      ]);
      expect(data[0]).not.toHaveProperty('model');
      expect(total).toMatchObject({ requests: 2, cost: 2.001 });
      const narrow = await ask(
        'GET',
        '/admin/usage?from=2026-11-01&to=2026-11-30&by=model,day&key=a&limit=1',
      );
      expect(usageAnswer.parse(narrow.body).data).toMatchObject([
        { day: '2026-11-20', model: 'openai/gpt-4o', cost: 0.001 },
      ]);
      const usual = usageAnswer.parse((await ask('GET', '/admin/usage')).body);
      expect(usual.to).toBe(new Date().toISOString().slice(0, 10));
      expect(Date.parse(usual.to) - Date.parse(usual.from)).toBe(29 * 86_400_000);
    }));

  test('an unreachable store is a 503', () =>
    withAdmin(async ({ ask, store }) => {
      await store.close();
      expect(await ask('GET', '/admin/keys')).toMatchObject({
        status: 503,
        body: { error: { code: 'store_unavailable' } },
      });
    }));

  test('a store that is full is a 503 that says so, and can still be read', ({ skip }) =>
    withAdmin(async ({ ask, store }) => {
      if (store.kind !== 'sqlite') skip('PostgreSQL says so by an error of another kind.');
      await sql`pragma query_only = on`.execute(store.db);
      expect(await ask('POST', '/admin/keys', { name: 'late' })).toMatchObject({
        status: 503,
        body: { error: { code: 'store_unavailable', message: expect.stringContaining('read-only') } },
      });
      expect(await ask('GET', '/admin/keys')).toMatchObject({ status: 200, body: { data: [] } });
    }));

  test('a bug is a 500 that reveals nothing', () =>
    withAdmin(async ({ ask, store }) => {
      await store.db.schema.dropTable('gateway_keys').execute();
      const { status, body } = await ask('GET', '/admin/keys');
      expect(status).toBe(500);
      expect(JSON.stringify(body)).not.toContain('gateway_keys');
    }));

  describe('what is rejected', () => {
    test('everything without the admin key', () =>
      withAdmin(async ({ ask, store, told }) => {
        for (const authorization of [
          '',
          'Bearer',
          'Bearer wrong',
          `Basic ${ADMIN_KEY}`,
          `Bearer ${ADMIN_KEY}x`,
        ]) {
          for (const path of ['/admin/keys', '/admin/keys/x', '/admin/usage', '/admin/nothing']) {
            const { status, headers, body } = await ask('POST', path, { name: 'x' }, authorization);
            expect(status).toBe(401);
            expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
            const { error } = errorBody.parse(body);
            expect(error.code).toBe('unauthenticated');
            expect(error.message).toContain('missing or wrong');
          }
        }
        expect(await listKeys(store, true)).toEqual([]);
        expect(told()).toBe(0);
      }));

    test('malformed bodies and queries', () =>
      withAdmin(async ({ ask, store }) => {
        for (const [method, path, sent, param] of MALFORMED) {
          const { status, body } = await ask(method, path, sent);
          const what = `${method} ${path} ${JSON.stringify(sent)}`;
          expect(status, what).toBe(400);
          expect(errorBody.parse(body).error, what).toMatchObject({ code: 'invalid_request', param });
        }
        expect((await ask('POST', '/admin/keys', { name: 'a', budget_day: -1 })).body).toMatchObject({
          error: { message: expect.stringMatching(/^budget_day: \w/) },
        });
        expect((await ask('POST', '/admin/keys', { name: 'a', rpm: 5 })).body).toMatchObject({
          error: {
            message: expect.stringMatching(/^Unrecognized key: "rpm" \(there are .*requests_per_minute/),
          },
        });
        expect((await ask('POST', '/admin/keys', {})).body).toMatchObject({
          error: { message: 'name: is required', param: 'name' },
        });
        expect(await listKeys(store)).toEqual([]);
      }));

    test('unknown paths and methods', () =>
      withAdmin(async ({ ask }) => {
        for (const [method, path, expected] of MISDIRECTED) {
          const { status, headers, body } = await ask(method, path, method === 'PATCH' ? {} : undefined);
          expect(status, `${method} ${path}`).toBe(expected);
          errorBody.parse(body);
          expect(headers.get('allow') !== null).toBe(expected === 405);
        }
      }));

    test.each(['Content-Length: 100000000', 'Transfer-Encoding: chunked'])(
      'a client that keeps sending a body over the limit gets an answer, and is cut off: %s',
      (line) =>
        withAdmin(async ({ url }) => {
          const head = `POST /admin/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n${line}\r\n\r\n`;
          const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
          const flood = (): Promise<string> => {
            const { socket, over } = rawClient(Number(new URL(url).port), head);
            const more = (): void => {
              while (!socket.destroyed) {
                if (socket.write(chunk)) continue;
                socket.once('drain', more);
                return;
              }
            };
            more();
            return over;
          };
          for (const told of await Promise.all(Array.from({ length: 20 }, flood))) {
            expect(statusOf(told)).toBe(413);
            expect(told).toMatch(/\r\nconnection: close\r\n/i);
          }
        }),
    );

    test('a body over the limit; one with a thousand models is below it', () =>
      withAdmin(async ({ ask }) => {
        const models = Array.from({ length: 1_000 }, (_, at) => `vendor/model-${at}-${'x'.repeat(200)}`);
        expect((await ask('POST', '/admin/keys', { name: 'many', models })).status).toBe(201);
        expect((await ask('POST', '/admin/keys', { name: 'x'.repeat(600_000) })).status).toBe(413);
      }));

    test('a browser on another site gets no CORS permission', () =>
      withAdmin(async ({ url }) => {
        const response = await fetch(`${url}/admin/keys`, {
          method: 'OPTIONS',
          headers: { origin: 'https://elsewhere.example', 'access-control-request-headers': 'authorization' },
        });
        expect(response.status).toBe(401);
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }));
  });

  test('a client that waits for 100 Continue gets it', () =>
    withAdmin(async ({ url }) => {
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${url}/admin/keys`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ADMIN_KEY}`, expect: '100-continue' },
        });
        sent.on('continue', () => sent.end('{"name":"patient"}'));
        sent.on('response', (response) => resolve(response.resume().statusCode));
        sent.on('error', reject);
        sent.flushHeaders();
      });
      expect(status).toBe(201);
    }));
});
