/**
 * TCP keep-alive on the connections of callers. While a model thinks, nothing may cross a connection for minutes: NAT and
 * load balancers forget it after 60 s at home, 120 in Google's cloud and 350 in Amazon's, and the caller waits for ever for
 * an answer that is on its way (openai/openai-python#3269: most SDKs send no probes). A caller that has vanished without
 * a word is noticed, too, and its vendor's work ends.
 */

import type { Socket } from 'node:net';

/** Milliseconds of silence before the first probe, and between two probes that are not answered. */
const SILENCE = 30_000;
const INTERVAL = 10_000;

/** How many of them go unanswered before the connection is given up: a laptop may be out of reach for a minute. */
const PROBES = 6;

/** Has the system probe a connection. Node before 26.4 takes a second for the interval, and ten probes. */
export function probeCaller(connection: Socket): void {
  connection.setKeepAlive(true, SILENCE, INTERVAL, PROBES);
}
