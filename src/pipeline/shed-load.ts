/** No more than can be done well: what is too much is refused at once, before its body is read. */

import { GatewayError } from '../lib/errors.ts';
import type { Admitted, Incoming, Load, Shortage } from './exchange.ts';

export interface InFlightLimits {
  /** Exchanges in flight, in all. */
  readonly inFlight: number;
  /** Exchanges in flight that one key may have. */
  readonly inFlightPerKey: number;
}

/** Seconds after which another try may be of use: shortages pass, or another process is asked. */
const RETRY_AFTER = 1;

/** Memory that is short while so little is in flight is no work's: refusing or ending all of it would be for ever. */
export const SPARED = 8;

const SHORT_OF: Readonly<Record<Shortage, string>> = {
  'event-loop': 'The gateway is busy. Try again shortly.',
  memory: 'The gateway is low on memory. Try again shortly.',
  'file-descriptors': 'The gateway is low on connections. Try again shortly.',
};

/** Refuses what the process has no room for. @throws GatewayError `overloaded` */
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

/** Looks once more, now that the body is here: what is made of it takes many times its room. @throws GatewayError */
export function recheckPressure(): <T extends Incoming>(incoming: T) => T {
  return (incoming) => {
    if (incoming.load !== undefined) refuseIfShort(incoming.load);
    return incoming;
  };
}

/** What the process has too little of to take on more; undefined as a rule. */
export function shortageAt(load: Pick<Load, 'shortage' | 'inFlight'>): Shortage | undefined {
  const shortage = load.shortage();
  return shortage === 'memory' && load.inFlight() <= SPARED ? undefined : shortage;
}

function refuseIfShort(load: Load): void {
  const shortage = shortageAt(load);
  if (shortage !== undefined)
    throw new GatewayError('overloaded', SHORT_OF[shortage], { retryAfter: RETRY_AFTER });
}

/** Keeps a key to its share. @throws GatewayError `rate-limited` */
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
