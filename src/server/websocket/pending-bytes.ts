/** Reports the bytes that a connection holds to the gateway's account of bodies that are on their way. */

import type { Arrival } from '../../pipeline/arrivals.ts';

/** Bytes that are not reported. The number of open WebSockets bounds how often they are held. */
export const UNCOUNTED = 64 * 1024;

/**
 * @returns a function that receives the bytes held now. It reports what has changed, and throws a GatewayError where the
 * gateway cannot hold so many.
 */
export function reportPending(arrival: Arrival): (bytes: number) => void {
  let reported = 0;
  return (bytes) => {
    const counted = bytes > UNCOUNTED ? bytes : 0;
    if (counted === reported) return;
    reported = counted;
    arrival.holds(counted);
  };
}
