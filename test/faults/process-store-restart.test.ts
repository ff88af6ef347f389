/** A database that restarts while the gateway starts: after it was opened, and before all of it is read. */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { bind } from '../../src/upstream/net/bind.ts';
import { startCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { KEY } from '../support/gateway.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { eventually } from '../support/raw.ts';

/**
 * A way to a database that ends when a statement first names a table: its connections break, and it takes no more.
 * @returns what may be bound again.
 */
function openDoor(database: URL, table: string): Server {
  const to = { host: database.hostname, port: Number(database.port) };
  const sockets = new Set<Socket>();
  let isShut = false;
  const door = createServer((socket) => {
    const inner = connect(to);
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
    }
    socket.on('data', (asked: Buffer) => {
      if (isShut || !asked.includes(table)) return;
      isShut = true;
      door.close();
      for (const one of sockets) one.destroy();
    });
    socket.pipe(inner).pipe(socket);
  });
  return door;
}

describe.runIf(hasPostgres())('P-40 a database that restarts between its opening and its reading', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());

  test.each([
    ['whether there are keys', '"gateway_keys"', 1, {}],
    ['what was spent', '"gateway_spent"', 1, { GATEWAY_API_KEY: KEY }],
    ['the keys', '"gateway_changes"', 1, { GATEWAY_API_KEY: KEY }],
    ['the keys, by workers', '"gateway_changes"', 2, { GATEWAY_API_KEY: KEY }],
  ] as const)('is waited for, in a line: %s', async (_, table, workers, env) => {
    const database = new URL(await postgres.newDatabase());
    await (await openStore({ path: '', url: database.href })).close();
    const directory = mkdtempSync(join(tmpdir(), 'gateway-restart-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const door = openDoor(database, table);
    const place = { host: '127.0.0.1', port: await freePort() };
    await bind(door, place);
    database.port = String(place.port);
    database.hostname = place.host;
    const running = startCommand(directory, ['start', '--port', '0', '--workers', String(workers)], {
      ...env,
      DATABASE_URL: database.href,
    });
    try {
      await eventually(() => running.stderr().includes('The start waits for it'), 'it waits');
      await bind(door, place);
      await eventually(() => running.stdout().includes('Console: '), 'it serves');
      expect(running.stderr()).toMatch(
        /^The store PostgreSQL \(127\.0\.0\.1\/\w+\) cannot be read: .*\. The start waits for it, for up to 60 s\.\n/,
      );
    } finally {
      running.child.kill('SIGTERM');
      await running.ended;
      door.close();
    }
  });
});
