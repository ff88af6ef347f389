/** Load shedding: what is too much for the process is refused at once, before its body is read. */

import type { Config } from '../config/schema.ts';
import { GatewayError } from '../lib/errors.ts';
import { LOW_ON_CONNECTIONS } from '../upstream/failure.ts';
import type { Admitted, Incoming, Load, Shortage } from './exchange.ts';

export type InFlightLimits = Pick<Config['limits'], 'inFlight' | 'inFlightPerKey'>;

/** Seconds after which a retry may succeed: shortages pass, or another process takes it. */
const RETRY_AFTER = 1;

/**
 * If memory is short while no more exchanges than this are in flight, the exchanges are not the cause, and
 * refusing or ending them would go on forever.
 */
export const SPARED = 8;

const SHORT_OF: Readonly<Record<Shortage, string>> = {
  'event-loop': 'The gateway is busy. Try again shortly.',
  memory: 'The gateway is low on memory. Try again shortly.',
  'file-descriptors': LOW_ON_CONNECTIONS,
};

/** Makes the stage that refuses a request that the process has no room for. @throws GatewayError `overloaded` */
export function shedLoad({ inFlight }: InFlightLimits): (incoming: Incoming) => Incoming {
  return (incoming) => {
    const { load } = incoming;
    if (load === undefined) return incoming;
    refuseIfShort(load);
    if (load.inFlight() > inFlight) {
      throw new GatewayError(
        'overloaded',
        'The gateway has too many requests in flight. Try again shortly.',
        { retryAfter: RETRY_AFTER },
      );
    }
    return incoming;
  };
}

/**
 * Makes the stage that checks for a shortage once more, now that the body has arrived: to process it takes many times
 * its size.
 * @throws GatewayError `overloaded`
 */
export function recheckPressure(): <T extends Incoming>(incoming: T) => T {
  return (incoming) => {
    if (incoming.load !== undefined) refuseIfShort(incoming.load);
    return incoming;
  };
}

/** What the process is too short of to take on more; usually undefined. */
export function shortageAt(load: Pick<Load, 'shortage' | 'inFlight'>): Shortage | undefined {
  const isSpared = load.inFlight() <= SPARED;
  const shortage = load.shortage(isSpared);
  return shortage === 'memory' && isSpared ? undefined : shortage;
}

function refuseIfShort(load: Load): void {
  const shortage = shortageAt(load);
  if (shortage !== undefined)
    throw new GatewayError('overloaded', SHORT_OF[shortage], { retryAfter: RETRY_AFTER });
}

/** Makes the stage that keeps a key to its share of the exchanges in flight. @throws GatewayError `rate-limited` */
export function limitConcurrency({ inFlightPerKey }: InFlightLimits): (admitted: Admitted) => Admitted {
  return (admitted) => {
    const { load, principal, response } = admitted;
    if (load !== undefined && load.claim(response, principal.name) > inFlightPerKey) {
      throw new GatewayError(
        'rate-limited',
        'This API key has too many requests in flight. Wait for some of them to finish.',
        { retryAfter: RETRY_AFTER },
      );
    }
    return admitted;
  };
}
