/**
 * Bounds of memory that only the start of a process can set, so the program starts itself once more, in the same process
 * (execve(2)): 30 ms, once.
 *
 * V8 lets each half of the main thread's young generation grow to 32 MB. Nothing that an exchange makes needs to live for
 * so long, and glibc's malloc opens an arena for each of a dozen threads. With both bounded, a process under load takes
 * some 180 MB in place of 260 (`bench/NOTES.md`).
 */

/** How large each half of the young generation may become, in MB. */
const HALF = '--max-semi-space-size=8';

/** Settings of glibc ("mallopt(3)"); other C libraries do not read them. */
const MALLOC = { MALLOC_ARENA_MAX: '2' };

/** Starts the program again with the bounds, unless it has them or its user has set others. Does not return if it does. */
export function boundMemory() {
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
