/**
 * What a start costs, from the sources and from `dist`: CPU and time until the port answers, CPU
 * to the end of `--help`, and resident memory after 5 idle seconds with SQLite, one vendor and no load. `node` is an empty
 * program. The first run of each way fills Node's compile cache and is not counted.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuOf, memoryOf } from './load/observe.ts';
import { argumentsOf, refuse } from './support/arguments.ts';
import { benchOptions, median, type Row, report, round } from './support/report.ts';

const { rounds, json, filter } = argumentsOf(benchOptions({ seconds: 5, rounds: 5 }));

const ROOT = join(import.meta.dirname, '..');
const PORT = 9_480;
const PROGRAMS = { src: join(ROOT, 'src/cli/gateway.js'), dist: join(ROOT, 'dist/gateway.js') };
if (!existsSync(PROGRAMS.dist)) refuse('dist is missing: npm run build');

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };

/** CPU milliseconds of a program that ends by itself. */
async function cpuToEnd(words: readonly string[]): Promise<number> {
  // A process that has ended has no /proc entry, so the shell that waits for it says what it used.
  const child = spawn(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', '-', process.execPath, ...words],
    {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  const [user = Number.NaN, system = Number.NaN] = said.trim().split(' ').map(Number);
  return (user + system) * 1000;
}

interface Start {
  readonly cpu: number;
  readonly wall: number;
  readonly memory: number;
}

async function start(program: string, idle: number): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: folder,
    env: { ...env, PORT: String(PORT), OPENAI_API_KEY: 'sk-bench' },
    stdio: 'ignore',
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} did not start.`);
  try {
    while (!(await answers())) await wait(2);
    const wall = performance.now() - began;
    const cpu = cpuOf(pid) / 1000;
    await wait(idle);
    return { cpu, wall, memory: memoryOf(pid).now / 2 ** 20 };
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function answers(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${PORT}/health`).then(
    () => true,
    () => false,
  );
}

const rows: Row[] = [];
for (const [way, program] of Object.entries(PROGRAMS)) {
  if (!way.includes(filter)) continue;
  await start(program, 0);
  await cpuToEnd([program, '--help']);
  const helps: number[] = [];
  const starts: Start[] = [];
  const empties: number[] = [];
  for (let turn = 0; turn < Number(rounds); turn += 1) {
    empties.push(await cpuToEnd(['-e', '0']));
    helps.push(await cpuToEnd([program, '--help']));
    starts.push(await start(program, 5_000));
  }
  rows.push({
    from: way,
    'node, CPU ms': round(median(empties), 0),
    '--help, CPU ms': round(median(helps), 0),
    'ready, CPU ms': round(median(starts.map(({ cpu }) => cpu)), 0),
    'ready, wall ms': round(median(starts.map(({ wall }) => wall)), 0),
    'at rest, MB': round(median(starts.map(({ memory }) => memory)), 0),
  });
}
report('start', rows, { json, filter });
process.exit();
