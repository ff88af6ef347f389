/** `gateway start`: serves until it is told to stop. */

import { defineCommand } from 'citty';
import { KEY_FILE, storedKeys, storeNewKey } from '../config/key-store.ts';
import { readConfig } from '../config/load.ts';
import { openGateway } from '../open.ts';
import { serve } from '../server/server.ts';
import { orExit } from './or-exit.ts';

export const start = defineCommand({
  meta: { name: 'start', description: 'Serve the gateway.' },
  args: {
    host: { type: 'string', description: 'Address to listen on (default 127.0.0.1, or HOST)' },
    port: { type: 'string', description: 'Port to listen on (default 8787, or PORT)' },
  },
  async run({ args }) {
    const directory = process.cwd();
    const environment = {
      ...process.env,
      ...(args.host !== undefined && { HOST: args.host }),
      ...(args.port !== undefined && { PORT: args.port }),
    };
    const config = await orExit(readConfig(environment, directory));
    const stored = await orExit(storedKeys(directory));
    const made = stored.length === 0 && config.keys.length === 0 ? await storeNewKey(directory) : undefined;
    const keys = made === undefined ? stored : await orExit(storedKeys(directory));
    const { gateway, sandboxed, close } = await openGateway(config, keys);
    const server = await orExit(serve(() => gateway, config));
    console.log(greeting(server.url, { made, sandboxed, models: gateway.catalog.models.length }));
    stopOnSignal(async () => {
      const cut = await server.drain(config.timeouts.drain);
      await close();
      if (cut > 0) console.error(`${cut} answers were cut at the end of the drain time.`);
    });
  },
});

/** The first signal drains; a second one does not wait. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

interface Started {
  /** The key that this start has made. */
  readonly made: string | undefined;
  readonly sandboxed: boolean;
  readonly models: number;
}

/** What a newcomer needs: where it is, that key, and a request that works as pasted. */
function greeting(url: string, { made, sandboxed, models }: Started): string {
  const lines = [`Gateway on ${url} with ${models} models.`];
  if (sandboxed) {
    lines.push('No vendor has a key, so simulated vendors answer (see "Sandbox" in README.md).');
  }
  if (made === undefined) return [...lines, `Playground: ${url}/`].join('\n');
  return [
    ...lines,
    '',
    `Your API key, shown this once (its hash is in ${KEY_FILE}):`,
    '',
    `  ${made}`,
    '',
    'Try it:',
    '',
    `  curl -N ${url}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${made}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"model":"anthropic/claude-sonnet-4-5","stream":true,"messages":[{"role":"user","content":"Hello!"}]}'`,
    '',
    `Or chat in the browser: ${url}/#key=${made}`,
    '',
  ].join('\n');
}
