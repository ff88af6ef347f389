/**
 * Bounds of the memory that a process takes under load: together some 190 MB in place of 270 (`bench/NOTES.md`).
 *
 * V8 lets each half of the main thread's young generation grow to 32 MB, though nothing that an exchange makes needs to
 * live for so long; and glibc's malloc opens an arena for each of a dozen threads. Both are settled when a process starts,
 * so the program starts itself once more, in the same process (execve(2)): 30 ms, once. How far the old generation grows
 * before its garbage is collected is read each time.
 */

import { setFlagsFromString } from 'node:v8';

/** How large each half of the young generation may become, in MB. */
const HALF = '--max-semi-space-size=8';

/** Settings of glibc ("mallopt(3)"); other C libraries do not read them. */
const MALLOC = { MALLOC_ARENA_MAX: '2' };

/** By how much the old generation grows beyond what is alive. V8's own choice is more than its double. */
const GROWTH = '--heap-growing-percent=50';

/** Bounds the growth of the heaps of all threads. */
export function boundGrowth() {
  setFlagsFromString(GROWTH);
}

/** Starts the program again with the other bounds, and does not return then; unless it has them or its user has set others. */
export function restartBounded() {
  const { execArgv, execPath, argv, env, platform } = process;
  // Earlier versions of Node warn that execve is experimental, and Windows has none.
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < 26 || platform === 'win32' || process.execve === undefined) return;
  // Whoever started this with a channel for messages, such as node --watch, would lose it.
  if (process.send !== undefined || process.permission !== undefined) return;
  const isSet = [...execArgv, env['NODE_OPTIONS'] ?? ''].some((text) => text.includes('-semi-space-size'));
  if (isSet || env['MALLOC_ARENA_MAX'] !== undefined) return;
  process.execve(execPath, [execPath, HALF, ...execArgv, ...argv.slice(1)], { ...MALLOC, ...env });
}
