/** What V8 has compiled for one command is kept for the next, and a start does not spoil what other commands have. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommand, startCommand } from '../support/command.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-compiled-'));
afterEach(() => rmSync(directory, { recursive: true }));

/** How often Node could use what it had kept, and how often not, in its own words. */
function told(output: string): { readonly accepted: number; readonly rejected: number } {
  return {
    accepted: output.split('was accepted').length - 1,
    rejected: output.split('was rejected').length - 1,
  };
}

test('a command and a start use what each has left, and nothing that the other has', async () => {
  const env = { TMPDIR: directory, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const check = async () => told((await runCommand(directory, ['check'], env)).stderr);
  expect(await check()).toEqual({ accepted: 0, rejected: 0 });
  const start = startCommand(directory, ['start'], { ...env, PORT: '0' });
  await expect.poll(start.stdout).toContain('Gateway on');
  start.child.kill('SIGTERM');
  const { stderr } = await start.ended;
  expect(told(stderr)).toEqual({ accepted: 0, rejected: 0 });
  const again = await check();
  expect(again.rejected).toBe(0);
  expect(again.accepted).toBeGreaterThan(20);
});
