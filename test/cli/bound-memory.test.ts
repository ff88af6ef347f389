/** A start bounds the memory of its process, in the same process, unless its user has. */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { type GatewayProcess, type ProcessOptions, spawnGateway } from '../support/process.ts';

let running: GatewayProcess | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

/** What the process that serves was started with, by the kernel's account of it. */
async function startedWith(options: ProcessOptions): Promise<{ flags: string[]; arenas: string[] }> {
  running = await spawnGateway({}, options);
  const read = (file: string): string[] =>
    readFileSync(`/proc/${running?.pid}/${file}`, 'utf8').split('\0').filter(Boolean);
  expect((await fetch(`${running.url}/health/live`)).status).toBe(200);
  return {
    flags: read('cmdline').filter((word) => word.startsWith('-')),
    arenas: read('environ').filter((setting) => setting.startsWith('MALLOC_')),
  };
}

const BOUNDS = ['--max-semi-space-size=8', '--no-memory-reducer', '--no-parallel-scavenge'];
/** Node starts four threads for V8. */
const OWN_THREADS =
  availableParallelism() < 4 ? [`--v8-pool-size=${Math.max(2, availableParallelism())}`] : [];

test('the process that was started has the bounds, keeps its other flags, and ends by a signal with code 0', async () => {
  const execArgv = ['--stack-trace-limit=20'];
  const { flags, arenas } = await startedWith({ execArgv });
  expect(flags).toEqual([...BOUNDS, ...OWN_THREADS, ...execArgv]);
  expect(arenas).toEqual(['MALLOC_ARENA_MAX=2']);
  running?.signal('SIGTERM');
  expect(await running?.ended).toBe(0);
});

test.each([
  { name: 'a flag', execArgv: ['--v8-pool-size=3'] },
  { name: 'NODE_OPTIONS', env: { NODE_OPTIONS: '--v8-pool-size=3' } },
])('V8 has as many threads as its user has set by $name', async ({ execArgv = [], env = {} }) => {
  const { flags } = await startedWith({ execArgv, env });
  expect(flags).toEqual([...BOUNDS, ...execArgv]);
});

test.each([
  { name: 'a flag', execArgv: ['--max-semi-space-size=16'] },
  { name: 'NODE_OPTIONS', env: { NODE_OPTIONS: '--max-semi-space-size=16' } },
  { name: 'a setting of malloc', env: { MALLOC_ARENA_MAX: '4' } },
])('bounds that its user has set by $name stay as they are', async ({ execArgv = [], env = {} }) => {
  const { flags, arenas } = await startedWith({ execArgv, env });
  expect(flags).toEqual(execArgv);
  expect(arenas).toEqual('MALLOC_ARENA_MAX' in env ? ['MALLOC_ARENA_MAX=4'] : []);
});
