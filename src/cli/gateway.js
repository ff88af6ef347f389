#!/usr/bin/env node
// Plain JavaScript, so that a Node too old to run TypeScript can still say so in one line.

import * as nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const other = process.versions['bun'] ? 'Bun' : process.versions['deno'] ? 'Deno' : undefined;

if (other !== undefined) {
  // Both say that they are a Node of some version.
  console.error(
    `The program needs Node 22.19 or later; this is ${other}. In ${other}, mount the gateway in a server of your own: docs/library.md says how.`,
  );
  process.exit(1);
} else if (major > 22 || (major === 22 && minor >= 19)) {
  const starts = process.argv[2] === 'start';
  const bounds = starts ? await import('./bound-memory.js') : undefined;
  bounds?.restartBounded();
  // SIGHUP reloads the configuration of a running gateway. Until the handler for that is installed, the signal would end
  // the process; ignoring it is safe, because the configuration has not been read yet.
  if (starts) {
    process.on('SIGHUP', () => {});
    // These end a start at once. The first process of a container gets no signal without a handler (pid_namespaces(7)), so
    // it would go on until it is killed: for a minute while it waits for a database. `onSignals` takes them over.
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
    // V8 optimizes nothing until the gateway serves (`optimize.ts`): no function has this name.
    setFlagsFromString('--maglev-filter=~');
    setFlagsFromString('--turbo-filter=~');
    bounds?.boundGrowth();
  }
  // Compiled code is kept for the next time (Node's documentation, "Module compile cache"). V8 takes none that was made with
  // other flags than it has now, and Node keeps each set of flags apart if it has them before this.
  nodeModule.enableCompileCache();
  await import('../main.ts');
} else {
  // Only in a clone does npm install a Node beside the gateway.
  const advice = import.meta.url.endsWith('/src/cli/gateway.js')
    ? 'On most systems npm installs a newer Node with the gateway: run npm install without --omit=optional, and start with npm start. That Node needs glibc and libatomic (the package libatomic1).'
    : 'Install a newer one (https://nodejs.org), and start again.';
  console.error(`The gateway needs Node 22.19 or later; this is ${process.version}. ${advice}`);
  process.exit(1);
}
