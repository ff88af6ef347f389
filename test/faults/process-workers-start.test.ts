/** Several processes behind one port, from the first moment at which a caller can connect. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { type CommandResult, runCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { spawnGateway } from '../support/process.ts';
import { rawClient } from '../support/raw.ts';

/** How long a caller that has connected waits for its answer, in milliseconds. */
const PATIENCE = 20_000;

/** A process that only tests whether the port is free turns away the callers who connect to it. */
type Outcome = 'answered' | 'turned away' | 'left waiting';

async function knock(port: number): Promise<Outcome> {
  const caller = rawClient(port, 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const said = await Promise.race([caller.over, wait(PATIENCE, undefined, { ref: false })]);
  caller.socket.destroy();
  if (said === undefined) return 'left waiting';
  return said.startsWith('HTTP/1.1 200 ') ? 'answered' : 'turned away';
}

test('P-20 every caller who connects while the workers start is answered, or refused at once', async () => {
  const port = await freePort();
  const knocks: Promise<Outcome>[] = [];
  let started = false;
  const starting = spawnGateway({ workers: 2, port });
  const knocking = (async () => {
    while (!started) {
      knocks.push(knock(port));
      await wait(1);
    }
  })();
  const gateway = await starting;
  try {
    await wait(500);
    started = true;
    await knocking;
    expect(new Set(await Promise.all(knocks))).toEqual(new Set(['turned away', 'answered']));
  } finally {
    started = true;
    await gateway.close();
  }
});

/** The outcome of two workers that run `words` of a program of their own first. */
async function startWith(words: string): Promise<CommandResult> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  try {
    const file = join(directory, 'first.mjs');
    writeFileSync(file, `import cluster from 'node:cluster'; if (cluster.isWorker) { ${words}; }`);
    return await runCommand(directory, ['start', '--workers', '2', '--port', '0'], {
      NODE_OPTIONS: `--import=${pathToFileURL(file).href}`,
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test.each([
  ['process.exit(3)', '(3)'],
  ["process.kill(process.pid, 'SIGKILL')", '(SIGKILL)'],
])('P-20 a worker that ends before it serves ends the start, with an error: %s', async (words, told) => {
  const { code, stderr } = await startWith(words);
  expect(code).toBe(1);
  expect(stderr).toContain(`A worker ended before it was ready ${told}.`);
});

test('P-20 a signal while the workers start ends them, and the process with 0', async () => {
  const { code, stderr } = await startWith(
    "if (cluster.worker.id === 1) process.kill(process.ppid, 'SIGTERM')",
  );
  expect(stderr).toMatch(/^Your first API key is in [^\n]*\n$/);
  expect(code).toBe(0);
});
