/** Portkey's gateway: an npm package. */

import { join } from 'node:path';
import { node, start } from '../processes.ts';
import { inWordsOf, type Scenario } from '../scenarios.ts';
import { installed } from './install.ts';
import type { Named, Peer } from './peer.ts';

const VERSION = '1.15.2';
const PROGRAM = 'node_modules/@portkey-ai/gateway/build/start-server.js';

/** The program of a version, which is installed if it is not there. */
function programOf(version: string): string {
  const what = `@portkey-ai/gateway@${version}`;
  const folder = installed(`portkey-${version}`, PROGRAM, (to) => [
    ['npm', 'install', '--no-save', '--ignore-scripts', '--prefix', to, what],
  ]);
  return join(folder, PROGRAM);
}

export function portkey({ version, program, upstream }: Named): Peer {
  const installs = version ?? VERSION;
  return {
    name: 'portkey',
    version: version ?? (program === undefined ? VERSION : 'unknown'),
    setup:
      'from npm (`@portkey-ai/gateway`), on the Node of this bench, `--headless`, `NODE_ENV=production`; it keeps no usage and knows no keys of its own; with responses whose headers it can write to, since without that it answers every stream with a 500 on this Node',
    start: (port) =>
      start(
        [
          ...node,
          '--import',
          join(import.meta.dirname, 'portkey-fetch.ts'),
          program ?? programOf(installs),
          `--port=${port}`,
          '--headless',
        ],
        port,
        {
          core: '0',
          // It reports every Google stream as invalid JSON.
          quiet: true,
          env: { TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1', NODE_ENV: 'production' },
        },
      ),
    request: (scenario) => asked(scenario, upstream),
  };
}

function asked(scenario: Scenario, upstream: number) {
  const { vendor, model } = scenario;
  if (vendor === 'messages') return undefined;
  return inWordsOf(scenario, model, {
    authorization: 'Bearer sk-bench',
    'x-portkey-provider': vendor,
    'x-portkey-custom-host': `http://127.0.0.1:${upstream}${vendor === 'google' ? '/v1beta' : '/v1'}`,
  });
}
