/**
 * Bounds of the memory that a process takes under load, together some 200 MB in place of 290, and of the threads that V8
 * has of its own (`bench/NOTES.md`).
 *
 * V8 lets each half of the main thread's young generation grow to 32 MB, though nothing that an exchange makes needs to
 * live for so long; and glibc's malloc opens an arena for each of a dozen threads. These bounds take effect only when a
 * process starts, so the program starts itself once more, in the same process (execve(2)): 30 ms, once. V8 reads its other
 * settings whenever it collects garbage.
 */

import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** The major version of Node. */
const NODE = Number.parseInt(process.versions.node, 10);

/** What V8 reads at its start. */
const AT_START = [
  // How large each half of the young generation may become, in MB.
  '--max-semi-space-size=8',
  // In a lull V8 gives memory back, and all code with it that it has compiled for a load. This program does so itself,
  // but only after a rest (`server/process/release-memory.ts`).
  '--no-memory-reducer',
  // Several threads take more CPU to collect so small a young generation than one does, for 1 to 1.5 ms.
  '--no-parallel-scavenge',
];

/** Node starts four threads for V8. */
const USUAL_THREADS = 4;
/** One thread marks, and the other does the rest. */
const MIN_THREADS = 2;

/**
 * The flag for as many threads of V8 as there are cores. Threads that share the main thread's core run one after the other,
 * for 4 ms each, and the main thread waits for all of them. While images came in on one core, it waited 16 to 20 ms in each
 * full collection for four threads, and 8 ms for two.
 */
function ownThreads() {
  const threads = Math.max(MIN_THREADS, availableParallelism());
  return threads < USUAL_THREADS ? [`--v8-pool-size=${threads}`] : [];
}

/** Settings of glibc ("mallopt(3)"); other C libraries do not read them. */
const MALLOC = { MALLOC_ARENA_MAX: '2' };

/** What V8 reads later on. */
const LATER = [
  // V8 frees the memory of its compiler Maglev on a thread, which gets no turn while the first load has functions compiled
  // by the hundred: 34 MB at once, of which malloc gives nothing back, and 16 if each is freed at its end.
  '--no-maglev-destroy-on-background',
  // As `--max-semi-space-size` above, for the threads that are started after this; the main thread has read its own. With
  // 2 MB in place of 8 the process takes 15 MB less, and an exchange 0.5 µs more of CPU.
  '--max-semi-space-size=2',
  // How many threads mark beside the main thread. Where they share its core, as in a pod with one, it waits for each of
  // them: 12 to 24 ms at once, and 4 for a single one.
  '--concurrent-marking-max-worker-num=1',
  // By how much the old generation grows beyond what is alive, in percent. V8's own choice is up to three times that. With
  // less, full collections come so often that layouts of objects are lost, and made again by the next requests.
  '--heap-growing-percent=100',
  // The bytes of buffers are bounded together with the whole heap. Otherwise V8 counts them as growth of the old
  // generation, which one body of 30 MB fills by itself: three times as many full collections under a load of such bodies.
  // Node 22 does not know this one.
  ...(NODE >= 24 ? ['--external-memory-accounted-in-global-limit'] : []),
  // For how many collections V8 keeps the layout of objects of which none is alive. All code that was compiled for them
  // goes with it, which a route that is asked once a minute would pay for.
  '--retain-maps-for-n-gc=100',
];

/** Bounds the growth of the heaps of all threads. */
export function boundGrowth() {
  for (const flag of LATER) setFlagsFromString(flag);
}

/** Starts the program again with the other bounds, and does not return then; unless it has them or its user has set others. */
export function restartBounded() {
  const { execArgv, execPath, argv, env, platform } = process;
  // Earlier versions of Node warn that execve is experimental, and Windows has none. Later ones may have no such flags,
  // and then would not start.
  if (NODE !== 26 || platform === 'win32' || process.execve === undefined) return;
  // Whoever started this with a channel for messages, such as node --watch, would lose it.
  if (process.send !== undefined || process.permission !== undefined) return;
  const given = [...execArgv, env['NODE_OPTIONS'] ?? ''].join(' ');
  if (given.includes('-semi-space-size') || env['MALLOC_ARENA_MAX'] !== undefined) return;
  const flags = given.includes('--v8-pool-size') ? AT_START : [...AT_START, ...ownThreads()];
  process.execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...MALLOC, ...env });
}
