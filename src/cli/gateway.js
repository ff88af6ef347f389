#!/usr/bin/env node
// Plain JavaScript, so that a Node too old to read the rest can still say so in one line.

import * as nodeModule from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 19)) {
  // What was compiled once is kept for the next start (Node's documentation, "Module compile cache").
  nodeModule.enableCompileCache();
  // To a start it says that the configuration is another one. Before anyone listens it would end the process: of the
  // configuration nothing is read by then.
  if (process.argv[2] === 'start') process.on('SIGHUP', () => {});
  await import('../main.ts');
} else {
  console.error(
    `The gateway needs Node 22.19 or later; this is ${process.version}. npm installs a newer one along with the gateway where it can: run npm install without --omit=optional, and start with npm start. That one needs glibc and libatomic (the package libatomic1).`,
  );
  process.exit(1);
}
