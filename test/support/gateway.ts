/** A gateway for tests: the real one, on a real port. */

import type { ExchangeRecord } from '../../src/accounting/usage/exchange-record.ts';
import { recording } from '../../src/accounting/usage/make-record.ts';
import { type Config, type ConfigInput, configSchema } from '../../src/config/schema.ts';
import type { Gateway } from '../../src/pipeline/gateway.ts';
import type { RunningServer } from '../../src/server/listen/running-server.ts';
import { serve } from '../../src/server/listen/server.ts';
import { type OpenOptions, openGateway } from '../../src/server/open-gateway.ts';
import { type ChainMode, chainMode } from '../../src/streams/chain.ts';

export const KEY = 'gw-test-key-of-the-tests';

export interface TestGateway {
  readonly url: string;
  readonly config: Config;
  readonly server: RunningServer;
  close(): Promise<void>;
}

/**
 * Serves `input` and adds one unrestricted key, KEY. Without vendors the sandbox answers, as fast as it can.
 * @param change makes the gateway that serves from the one that the configuration makes.
 * @param simulated where the simulated vendors are, if they run already.
 */
export async function startGateway(
  input: ConfigInput = {},
  mode: ChainMode = chainMode(process.env['GATEWAY_CHAIN']),
  change: (gateway: Gateway) => Gateway = (gateway) => gateway,
  simulated?: NonNullable<OpenOptions['simulated']>,
): Promise<TestGateway> {
  const config = configSchema.parse({
    port: 0,
    sandbox: { pace: 'none' },
    ...input,
    keys: [{ name: 'test', key: KEY }, ...(input.keys ?? [])],
  });
  const { gateway, close } = await openGateway(config, { mode, ...(simulated && { simulated }) });
  const changed = change(gateway);
  const server = await serve(() => changed, config);
  return {
    url: server.url,
    config,
    server,
    async close() {
      await server.drain(0);
      await close();
    },
  };
}

/** The same, with the records of its exchanges as they are made. */
export async function startRecorded(
  input: ConfigInput = {},
): Promise<TestGateway & { readonly records: ExchangeRecord[] }> {
  const records: ExchangeRecord[] = [];
  const note = recording((record) => void records.push(record));
  return { ...(await startGateway(input, undefined, (gateway) => ({ ...gateway, record: note }))), records };
}

/** The four kinds of vendor, all at one address, each with its own key. */
export function vendorsAtUrl(url: string): NonNullable<ConfigInput['vendors']> {
  return {
    openai: { baseUrl: `${url}/v1`, apiKey: 'vendor-key-openai' },
    anthropic: { baseUrl: url, apiKey: 'vendor-key-anthropic' },
    google: { baseUrl: url, apiKey: 'vendor-key-google' },
    compatible: { baseUrl: `${url}/v1`, apiKey: 'vendor-key-compatible' },
  };
}
