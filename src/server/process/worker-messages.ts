/** The messages between the first process and its workers, over the channel of node:cluster. */

import type { Config } from '../../config/schema.ts';
import type { Place } from '../../config/vendors.ts';

/** The configuration that a worker serves by. */
export interface ServedConfig {
  readonly config: Config;
  /** The addresses of simulated vendors, if they serve. */
  readonly simulated?: Readonly<Record<string, Place>>;
}

/** Orders to a worker. They go over its channel, not as signals, since a terminal signals the whole group by itself. */
export type Order = 'end' | 'hurry';
/** The order to serve by a configuration: the first order of all, repeated whenever the configuration changes. */
export interface ServeBy {
  readonly serveBy: ServedConfig;
}
/** What a worker reports. 'closing': it still takes the connections it was handed, and no more after them. */
export type WorkerReport = 'ready' | 'leaving' | 'closing' | Receipt;
/** The answer to 'closing', when the worker has all of them. */
export const CLOSED = 'closed';

/** The message that carries a connection. */
export const CONNECTION = 'connection';
/**
 * The message after it. The system silently drops a connection on its way to a process without a free file descriptor,
 * and the message that carries it too.
 */
export const HANDED_OVER = 'handed-over';
/** The worker's answer: whether it has the connection. */
export type Receipt = 'taken' | 'missed';
