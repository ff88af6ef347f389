/** `npm run bench`: all benches, one after another; arguments go to each. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const [, , ...args] = process.argv;

for (const name of ['translators', 'pipeline', 'load', 'streams', 'soak']) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
