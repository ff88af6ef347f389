/** A process that serves: a gateway that can be exchanged for another, its server, and what it may run short of. */

import type { Config } from '../../config/schema.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import { SPARED } from '../../pipeline/shed-load.ts';
import type { listen } from '../listen/listen.ts';
import { type RunningServer, serve } from '../listen/server.ts';
import type { OpenGateway } from '../open-gateway.ts';
import { type ShortageWatch, watchShortage } from './shortage.ts';

/** A gateway, and the configuration it was opened with. */
export interface Opened extends OpenGateway {
  readonly config: Config;
}

export interface Serving {
  readonly server: RunningServer;
  /** What serves now. */
  current(): Opened;
  /** Serves the next requests from `next`. Those in flight keep the gateway they began with; it is closed after them. */
  exchange(next: Opened): void;
  /** When all is over: closes what is still open. */
  close(): Promise<void>;
}

/** How often to look whether a gateway that was exchanged is still in use, in milliseconds. */
const RETIRE_CHECK = 500;

/**
 * @param tell told what goes wrong beside the requests.
 * @param open brings a server its connections; it listens by itself where none is given.
 * @throws Error where the port is taken.
 */
export async function startServing(first: Opened, tell: LogProblem, open?: typeof listen): Promise<Serving> {
  let current = first;
  const retired = new Set<Opened>();

  // Until it serves there is nothing to be short of, nor anything to let go.
  let shortage: ShortageWatch['current'] = () => undefined;
  const server = await serve(
    () => current.gateway,
    first.config,
    () => shortage(),
    tell,
    open,
  );
  const watch = watchShortage({
    marks: () => current.config.limits,
    onLittleMemory: () => server.forget(),
    onLastMemory() {
      const { live } = server;
      if (live.inFlight() <= SPARED) return;
      const error = new GatewayError('overloaded', 'The gateway is out of memory.', { retryAfter: 1 });
      live.endLargest(Math.ceil(live.inFlight() / 10), error);
    },
    onFewDescriptors: () => server.closeIdle(),
  });
  shortage = watch.current;

  const retire = setInterval(() => {
    for (const old of retired) {
      if (server.live.uses(old.gateway)) continue;
      retired.delete(old);
      old
        .close()
        .catch((error: unknown) => tell('The gateway of the old configuration could not be closed.', error));
    }
  }, RETIRE_CHECK).unref();

  return {
    server,
    current: () => current,
    exchange(next) {
      retired.add(current);
      current = next;
      server.limit(next.config.timeouts);
    },
    async close() {
      clearInterval(retire);
      watch.stop();
      await Promise.all([current, ...retired].map((opened) => opened.close()));
    },
  };
}
