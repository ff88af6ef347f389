/** The log in a file whose disk fills up. */

import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_PROGRAM } from '../../support/built-program.ts';
import { call } from '../../support/caller.ts';
import { freePort } from '../../support/free-port.ts';
import { KEY } from '../../support/gateway.ts';

/** The bytes that a file may have, which stands for a full disk: a part of a write succeeds, and the next one fails. */
const ROOM = 8 * 1024 * 1024;

const BODY = JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hi' }] });

// prlimit is a program of Linux.
test.skipIf(process.platform !== 'linux')(
  'no line is cut, and once there is room, lines follow',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-log-'));
    const file = join(folder, 'gateway.log');
    const port = await freePort();
    const config = { port, sandbox: { pace: 'none' }, keys: [{ name: 'test', key: KEY }] };
    writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(config));
    const output = openSync(file, 'a');
    const gateway = spawn(
      'sh',
      ['-c', `ulimit -S -f ${ROOM / 512}; exec "$@"`, 'sh', process.execPath, BUILT_PROGRAM, 'start'],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], GATEWAY_LOG: 'json' },
        stdio: ['ignore', output, 'ignore'],
      },
    );
    const ended = new Promise((done) => gateway.once('exit', done));
    const url = `http://127.0.0.1:${port}`;
    /** Asks once, and returns the id of the request. */
    const ask = async (): Promise<string> => {
      const { status, headers } = await call(url, '/v1/chat/completions', BODY, KEY);
      expect(status).toBe(200);
      return String(headers['x-request-id']);
    };
    const written = (): string => readFileSync(file, 'utf8').replaceAll('\0', '');
    try {
      await expect
        .poll(
          () =>
            fetch(url).then(
              () => true,
              () => false,
            ),
          { timeout: 20_000 },
        )
        .toBe(true);
      const first = await ask();
      await expect.poll(written).toContain(first);
      truncateSync(file, ROOM - 100);
      const cut = await ask();
      await expect.poll(() => readFileSync(file).length).toBe(ROOM);
      // There is no room for this one.
      await ask();
      // Longer than lines are collected for.
      await new Promise((resolve) => setTimeout(resolve, 500));
      execFileSync('prlimit', ['--pid', String(gateway.pid), '--fsize=unlimited']);
      const next = await ask();
      await expect.poll(written).toContain(next);
      const lines = written()
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      const ids = lines.flatMap((line) =>
        typeof line === 'object' && line !== null && 'id' in line ? [line.id] : [],
      );
      expect(ids).toEqual([first, cut, next]);
    } finally {
      gateway.kill('SIGKILL');
      await ended;
      closeSync(output);
      await rm(folder, { recursive: true, force: true });
    }
  },
);
