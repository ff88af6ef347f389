/** A gateway for tests: the real one, on a real port. */

import { type Config, type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { openGateway } from '../../src/open.ts';
import { serve } from '../../src/server/server.ts';
import type { LineMode } from '../../src/streams/line.ts';

export const KEY = 'gw-test-key-of-the-tests';

export interface TestGateway {
  readonly url: string;
  readonly config: Config;
  close(): Promise<void>;
}

/** Serves `input`; one unrestricted key, KEY, is added. Without vendors the sandbox answers, as fast as it can. */
export async function startGateway(input: ConfigInput = {}, mode: LineMode = 'fused'): Promise<TestGateway> {
  const config = configSchema.parse({
    port: 0,
    sandbox: { pace: 'none' },
    ...input,
    keys: [{ name: 'test', key: KEY }, ...(input.keys ?? [])],
  });
  const { gateway, close } = await openGateway(config, [], mode);
  const server = await serve(() => gateway, config);
  return {
    url: server.url,
    config,
    async close() {
      await server.drain(0);
      await close();
    },
  };
}

/** The four kinds of vendor, all at one address, each with a key of its own. */
export function vendorsAtUrl(url: string): NonNullable<ConfigInput['vendors']> {
  return {
    openai: { baseUrl: `${url}/v1`, apiKey: 'vendor-key-openai' },
    anthropic: { baseUrl: url, apiKey: 'vendor-key-anthropic' },
    google: { baseUrl: url, apiKey: 'vendor-key-google' },
    compatible: { baseUrl: `${url}/v1`, apiKey: 'vendor-key-compatible' },
  };
}
