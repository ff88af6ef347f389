/** A gateway whose output is a file on a disk that is full. */

import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BUILT_PROGRAM } from '../../support/built-program.ts';
import { call } from '../../support/caller.ts';
import { freePort } from '../../support/free-port.ts';
import { KEY } from '../../support/gateway.ts';

/** The bytes that a file may have, which stands for a full disk: a part of a write succeeds, and the next one fails. */
const ROOM = 8 * 1024 * 1024;

const BODY = JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hi' }] });

// prlimit and /dev/full are of Linux.
describe.skipIf(process.platform !== 'linux')('the disk of the output is full', () => {
  let folder: string;
  const closing: (() => unknown)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-log-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a gateway with a file for its standard output and standard error. */
  async function startInto(file: string, log: 'json' | 'none') {
    const port = await freePort();
    const config = { port, sandbox: { pace: 'none' }, keys: [{ name: 'test', key: KEY }] };
    writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(config));
    const output = openSync(file, 'a');
    const limited = ['-c', `ulimit -S -f ${ROOM / 512}; exec "$@"`, 'sh'];
    const gateway = spawn('sh', [...limited, process.execPath, BUILT_PROGRAM, 'start'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], GATEWAY_LOG: log },
      stdio: ['ignore', output, output],
    });
    const ended = new Promise((done) => gateway.once('exit', done));
    closing.push(
      () => closeSync(output),
      () => ended,
      () => gateway.kill('SIGKILL'),
    );
    const url = `http://127.0.0.1:${port}`;
    const isThere = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
    return {
      gateway,
      /** Asks once, and returns the id of the request. */
      async ask(): Promise<string> {
        const { status, headers } = await call(url, '/v1/chat/completions', BODY, KEY);
        expect(status).toBe(200);
        return String(headers['x-request-id']);
      },
    };
  }

  test('no line of the log is cut, and once there is room, lines follow', async () => {
    const file = join(folder, 'gateway.log');
    const { gateway, ask } = await startInto(file, 'json');
    const written = (): string => readFileSync(file, 'utf8').replaceAll('\0', '');
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
    const lines: unknown[] = written()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ids = lines.flatMap((line) =>
      typeof line === 'object' && line !== null && 'id' in line ? [line.id] : [],
    );
    expect(ids).toEqual([first, cut, next]);
  });

  test.each(['json', 'none'] as const)('with log: %s a gateway starts, reloads and serves', async (log) => {
    const { gateway, ask } = await startInto('/dev/full', log);
    await ask();
    // What a reload reports without a log goes to either of the outputs.
    gateway.kill('SIGHUP');
    writeFileSync(join(folder, 'gateway.config.json'), '{');
    gateway.kill('SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await ask();
    expect(gateway.exitCode).toBeNull();
  });
});
