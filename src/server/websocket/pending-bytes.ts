/** Reports the bytes that a connection holds to the gateway's account of bodies that are arriving. */

import type { Arrival } from '../../pipeline/body/arrivals.ts';

/** Up to this many bytes are not reported. The number of open WebSockets bounds how many connections hold them. */
export const UNCOUNTED = 64 * 1024;

/**
 * @returns a function that receives the number of bytes held now and reports the change. It throws a GatewayError if
 *   the gateway cannot hold so many.
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
