/** A gateway in front of one scripted vendor, for all tests of a file. */

import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';

export interface FaultDoor {
  /** The address of the gateway. */
  readonly url: string;
  readonly upstream: FaultUpstream;
}

/** Retries follow at once unless `settings` say otherwise. No connection to the vendor outlives the gateway. */
export function useFaultDoor(settings: ConfigInput = {}): FaultDoor {
  let started: { readonly upstream: FaultUpstream; readonly gateway: TestGateway } | undefined;
  const running = () => {
    if (started === undefined) throw new Error('The gateway is not started yet.');
    return started;
  };

  beforeAll(async () => {
    const upstream = await startFaultUpstream();
    const gateway = await startGateway({
      vendors: vendorsAtUrl(upstream.url),
      retries: { wait: 1, perSecond: 1_000 },
      ...settings,
    });
    started = { upstream, gateway };
  });
  afterAll(async () => {
    const { upstream, gateway } = running();
    await gateway.close();
    await eventually(() => upstream.open() === 0, 'no connection to the vendor is left');
    await upstream.close();
  });
  beforeEach(() => {
    running().upstream.requests.length = 0;
  });

  return {
    get url() {
      return running().gateway.url;
    },
    get upstream() {
      return running().upstream;
    },
  };
}
