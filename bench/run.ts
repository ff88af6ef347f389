/**
 * `npm run bench`: all benches, one after another; `--json` goes to each. Their other options are their own.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { argumentsOf } from './support/arguments.ts';

const { json } = argumentsOf({ json: { type: 'boolean', default: false } });
const args = json ? ['--json'] : [];

for (const name of [
  'translators',
  'requests',
  'pipeline',
  'load',
  'paced',
  'crowded',
  'streams',
  'watched',
  'workers',
  'soak',
]) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
