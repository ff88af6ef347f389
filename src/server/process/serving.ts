/** A serving process: a gateway that a reload can replace, its server, and the watch on what it runs short of. */

import type { Config } from '../../config/schema.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import { SPARED } from '../../pipeline/shed-load.ts';
import type { listen } from '../listen/listen.ts';
import type { RunningServer } from '../listen/running-server.ts';
import { serve } from '../listen/server.ts';
import type { OpenGateway } from '../open-gateway.ts';
import { adaptHeapGrowth } from './heap-growth.ts';
import { releaseWhenIdle } from './release-memory.ts';
import { ShortageWatch } from './shortage.ts';

/** A gateway, and the configuration it was opened with. */
export interface ConfiguredGateway extends OpenGateway {
  readonly config: Config;
}

export interface Serving {
  readonly server: RunningServer;
  current(): ConfiguredGateway;
  /** Serves new requests with `next`. Requests in flight keep the gateway they began with, which is closed after them. */
  replace(next: ConfiguredGateway): void;
  /** Closes whatever is still open, when nothing is served any more. */
  close(): Promise<void>;
}

/** The interval at which a replaced gateway is checked for use, in milliseconds. */
const RETIRE_INTERVAL = 500;

/**
 * @param log receives problems outside requests
 * @param open brings a server its connections; by default the server listens itself
 * @throws Error if the port is taken.
 */
export async function startServing(
  first: ConfiguredGateway,
  log: LogProblem,
  open?: typeof listen,
): Promise<Serving> {
  let current = first;
  const retired = new Set<ConfiguredGateway>();

  // Before it serves, nothing can run short and nothing can be released.
  let watch: ShortageWatch | undefined;
  const server = await serve(
    () => current.gateway,
    first.config,
    (isSpared) => watch?.current(isSpared),
    log,
    open,
  );
  watch = new ShortageWatch({
    marks: () => current.config.limits,
    onLowMemory: () => server.releaseMemory(),
    onCriticalMemory() {
      const { live } = server;
      if (live.inFlight() <= SPARED) return;
      const error = new GatewayError('overloaded', 'The gateway is out of memory.', { retryAfter: 1 });
      live.endLargest(Math.ceil(live.inFlight() / 10), error);
    },
    onFewDescriptors: () => server.closeIdle(),
  });
  const stopReleasing = releaseWhenIdle({
    inFlight: () => server.live.inFlight(),
    claimed: () => server.live.claimed(),
  });
  const stopAdapting = adaptHeapGrowth();

  const retire = setInterval(() => {
    for (const old of retired) {
      if (server.live.isUsing(old.gateway)) continue;
      retired.delete(old);
      old
        .close()
        .catch((error: unknown) => log('The gateway of the old configuration could not be closed.', error));
    }
  }, RETIRE_INTERVAL).unref();

  return {
    server,
    current: () => current,
    replace(next) {
      retired.add(current);
      current = next;
      server.applyConfig(next.config);
    },
    async close() {
      clearInterval(retire);
      watch?.stop();
      stopReleasing();
      stopAdapting();
      await Promise.all([current, ...retired].map((opened) => opened.close()));
    },
  };
}
