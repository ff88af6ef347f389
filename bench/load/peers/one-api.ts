/** one-api: a Go program, given by its path. */

import { resolve } from 'node:path';
import { refuse } from '../../support/arguments.ts';
import { type Running, startAmong } from '../processes.ts';
import { askPlainly, type Named, PEER_KEY, type Peer, versionOf } from './peer.ts';

const ACCESS = 'an-access-token-only-for-benches';

/** Its numbers for the kinds of vendors (`relay/channeltype`). */
const KINDS = { openai: 1, anthropic: 14, google: 24 };

export function oneApi({ version, program, upstream }: Named): Peer {
  if (program === undefined) return refuse('--peers: one-api needs the path of its program, one-api=PATH');
  const command = resolve(program);
  const { TIKTOKEN_CACHE_DIR: encodings } = process.env;
  return {
    name: 'one-api',
    version: version ?? versionOf(command),
    setup:
      'a program given by its path, with SQLite, one token, quota and usage as it starts by default, `GIN_MODE=release`; each model is asked once, alone, before the load, since two first requests at once can crash it',
    async start(port) {
      const running = await startAmong({}, [command, '--port', String(port)], port, {
        core: '0',
        quiet: true,
        env: {
          GIN_MODE: 'release',
          INITIAL_ROOT_TOKEN: PEER_KEY.replace(/^sk-/, ''),
          INITIAL_ROOT_ACCESS_TOKEN: ACCESS,
          GEMINI_VERSION: 'v1beta',
          // Otherwise it loads the encodings of its tokens from the internet, and ends if it cannot.
          ...(encodings !== undefined && { TIKTOKEN_CACHE_DIR: encodings }),
        },
      });
      try {
        await addVendors(running, upstream);
      } catch (error) {
        running.stop();
        throw error;
      }
      return running;
    },
    // It takes messages from no caller.
    request: (scenario) => (scenario.vendor === 'messages' ? undefined : askPlainly(scenario)),
  };
}

async function addVendors({ port }: Running, upstream: number): Promise<void> {
  const address = `http://127.0.0.1:${upstream}`;
  const models = { openai: 'gpt-4.1', anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' };
  for (const vendor of ['openai', 'anthropic', 'google'] as const) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/channel/`, {
      method: 'POST',
      headers: { authorization: ACCESS, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: vendor,
        type: KINDS[vendor],
        key: 'sk-bench',
        base_url: address,
        models: models[vendor],
        group: 'default',
      }),
    });
    const said = await answer.text();
    if (!said.includes('"success":true')) throw new Error(`one-api takes no channel for ${vendor}: ${said}`);
  }
}
