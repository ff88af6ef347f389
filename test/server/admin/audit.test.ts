/** The audit trail: every change to keys and groups, by the admin API and by commands, and never a key. */

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { logToStderr } from '../../../src/lib/diagnostics.ts';
import { createAdminApp } from '../../../src/server/http/admin/app.ts';
import { auditList } from '../../../src/server/http/admin/audit-route.ts';
import { madeKey } from '../../../src/server/http/admin/key-routes.ts';
import { listAudit } from '../../../src/store/audit.ts';
import { auditEntry } from '../../../src/store/audit-view.ts';
import { createKey, revokeKey } from '../../../src/store/keys/keys.ts';
import type { Store } from '../../../src/store/store.ts';
import { admitByKey, serveApp } from '../../support/admin.ts';
import { runCommand } from '../../support/command.ts';
import { spawnGateway } from '../../support/process.ts';
import { eventually } from '../../support/raw.ts';
import { describeStores } from '../../support/stores.ts';

const ADMIN = 'the-admin-key-of-the-audit';

interface Admin {
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Response>;
  /** Makes a key, or rotates one. */
  make(path: string, body: object, headers?: Record<string, string>): Promise<{ key: string; id: string }>;
  trail(query?: string): Promise<ReturnType<typeof auditList.parse>>;
}

function adminAt(url: string): Admin {
  const call: Admin['call'] = (method, path, body, headers) =>
    fetch(`${url}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    call,
    make: async (path, body, headers) =>
      madeKey.parse(await (await call('POST', path, body, headers)).json()),
    trail: async (query = '') => auditList.parse(await (await call('GET', `/audit${query}`)).json()),
  };
}

async function withAdmin(store: Store, use: (admin: Admin) => Promise<void>): Promise<void> {
  const server = await serveApp(createAdminApp(store, { admit: admitByKey(ADMIN), problem: logToStderr }));
  try {
    await use(adminAt(server.url));
  } finally {
    await server.close();
  }
}

describeStores('the audit trail', ({ open }) => {
  test('shows what a newer version has written as it stands', async () => {
    const store = await open();
    await sql`alter table gateway_audit add column reason text`.execute(store.db);
    await sql`insert into gateway_audit (id, time, via, action, target, before, after, reason)
      values ('audit_0000000001', 1, 'terraform', 'key.suspended', 'team', null, '{"object":"key"}', 'unpaid')`.execute(
      store.db,
    );
    await withAdmin(store, async ({ trail }) => {
      expect((await trail()).data).toEqual([
        {
          object: 'audit_entry',
          id: 'audit_0000000001',
          time: '1970-01-01T00:00:00.001Z',
          via: 'terraform',
          actor: null,
          address: null,
          action: 'key.suspended',
          target: 'team',
          target_id: null,
          before: null,
          after: { object: 'key' },
        },
      ]);
    });
  });

  test('has each change, with who made it, and what was there before and after', async () => {
    const store = await open();
    await withAdmin(store, async ({ call, make, trail }) => {
      const alice = { 'x-gateway-actor': 'alice@example.com' };
      await call('POST', '/groups', { name: 'search', budget_month: 5 }, alice);
      const { key, id } = await make('/keys', { name: 'team', group: 'search' }, alice);
      await call('PATCH', '/keys/team', { budget_day: 3 });
      const { key: second } = await make('/keys/team/rotate', { grace_seconds: 60 });
      await call('PATCH', '/groups/search', { models: ['openai/*'] });
      await call('DELETE', '/keys/team');
      await call('DELETE', '/groups/search');
      // What changes nothing is not in the trail.
      await call('DELETE', `/keys/${id}`);
      await call('PATCH', '/keys/none', { budget_day: 3 });
      await call('POST', '/keys', { name: 'other', group: 'none of these' });
      await call('GET', '/keys');

      const { data, has_more } = await trail();
      expect(has_more).toBe(false);
      expect(data.map(({ action, target, actor }) => [action, target, actor])).toEqual([
        ['group.deleted', 'search', null],
        ['key.revoked', 'team', null],
        ['group.changed', 'search', null],
        ['key.rotated', 'team', null],
        ['key.changed', 'team', null],
        ['key.created', 'team', 'alice@example.com'],
        ['group.created', 'search', 'alice@example.com'],
      ]);
      const [deleted, revoked, regrouped, rotated, changed, created] = data;
      for (const entry of data) expect(entry).toMatchObject({ via: 'api', address: '127.0.0.1' });
      expect(created).toMatchObject({ before: null, after: { id, budget_day: null }, target_id: id });
      expect(changed).toMatchObject({
        before: { budget_day: null },
        after: { budget_day: 3, group: 'search' },
      });
      expect(rotated?.after?.['hint']).not.toBe(rotated?.before?.['hint']);
      expect(regrouped).toMatchObject({ before: { models: null }, after: { models: ['openai/*'] } });
      expect(revoked).toMatchObject({ before: { revoked_at: null }, after: { previous_until: null } });
      expect(deleted).toMatchObject({ before: { budget_month: 5 }, after: null });
      const all = JSON.stringify(await store.db.selectFrom('gateway_audit').selectAll().execute());
      const hashes = await store.db.selectFrom('gateway_keys').select('hash').execute();
      for (const secret of [key, second, ...hashes.map(({ hash }) => hash)])
        expect(all).not.toContain(secret);

      const page = await trail('?limit=3&target=team');
      expect(page.data.map(({ action }) => action)).toEqual(['key.revoked', 'key.rotated', 'key.changed']);
      expect(page.has_more).toBe(true);
      const rest = await trail(`?target=team&after=${page.last_id}`);
      expect(rest.data.map(({ action }) => action)).toEqual(['key.created']);
      expect((await trail('?action=group.changed')).data).toHaveLength(1);
      expect((await trail('?from=2999-01-01T00:00:00Z')).data).toEqual([]);
      expect((await trail('?until=2999-01-01T00:00:00Z')).data).toHaveLength(7);
      for (const wrong of [
        '?action=key.stolen',
        '?after=1',
        '?after=audit_000000000',
        '?limit=0',
        '?from=today',
      ])
        expect((await call('GET', `/audit${wrong}`)).status).toBe(400);
      // As bytes of UTF-8, which is what programs send, and as Latin-1.
      const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
      for (const [at, [sent, kept]] of [
        [utf8('Zoë Ångström 王芳 👩'), 'Zoë Ångström 王芳 👩'],
        [`é${'a'.repeat(200)}`, `é${'a'.repeat(127)}`],
        [utf8(`${'a'.repeat(127)}👩`), `${'a'.repeat(127)}?`],
        [utf8('al\u202eecila\u2028\u0085'), 'al?ecila??'],
      ].entries()) {
        await make('/keys', { name: `x${at}` }, { 'x-gateway-actor': sent ?? '' });
        expect((await trail(`?target=x${at}`)).data[0]?.actor).toBe(kept);
      }
      expect((await call('GET', '/audit', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    });
  });

  test('has no entry of a change that failed, and a damaged key can still be revoked', async () => {
    const store = await open();
    const made = await createKey(store, 'team');
    await store.db.updateTable('gateway_keys').set({ models: '{' }).execute();
    await store.db.deleteFrom('gateway_audit').execute();
    const id = made?.row.id ?? '';
    const { rows } = await listAudit(store, { limit: 9 });
    expect(rows).toEqual([]);
    expect(await revokeKey(store, id)).toBeDefined();
    const [entry] = (await listAudit(store, { limit: 9 })).rows;
    expect(entry).toMatchObject({ via: 'start', action: 'key.revoked', target: 'team' });
    expect(JSON.parse(entry?.before ?? '')).toEqual({ object: 'key', id, name: 'team' });
  });
});

test('a running gateway writes each change to its log, and `gateway audit` shows them with those of commands', async () => {
  const gateway = await spawnGateway({ admin: { key: ADMIN, port: 0 }, log: 'json' });
  try {
    await eventually(() => /Admin API on http/.test(gateway.output()), 'it serves');
    const [, url = ''] = /Admin API on (http:\/\/[\d.:]+)\./.exec(gateway.output()) ?? [];
    const { make } = adminAt(url);
    const made = await make('/keys', { name: 'team' }, { 'x-gateway-actor': 'alice' });
    const lines = (): Record<string, unknown>[] =>
      gateway
        .written()
        .stdout.split('\n')
        .filter((line) => line.includes('"audit"'))
        .map((line) => JSON.parse(line));
    await eventually(() => lines().length === 1, 'the line is written');
    expect(lines()[0]).toMatchObject({
      level: 'info',
      msg: 'audit',
      audit: { via: 'api', actor: 'alice', action: 'key.created', target: 'team', before: null },
    });
    expect(gateway.output()).not.toContain(made.key);
    expect(await runCommand(gateway.directory, ['keys', 'change', 'team', '--budget-day=2'])).toMatchObject({
      code: 0,
    });
    const { stdout } = await runCommand(gateway.directory, ['audit']);
    expect(stdout).toMatch(
      /^time +who +from +action +name +changes\n.* \(command\) +- +key\.changed +team +budget_day: null → 2\n.*alice \(api\) +127\.0\.0\.1 +key\.created +team/,
    );
    const json: unknown[] = JSON.parse(
      (await runCommand(gateway.directory, ['audit', '--json', '--target=team'])).stdout,
    );
    expect(json.map((entry) => auditEntry.parse(entry).action)).toEqual(['key.changed', 'key.created']);
    expect((await runCommand(gateway.directory, ['audit', '--action=none'])).code).toBe(1);
  } finally {
    await gateway.close();
  }
});
