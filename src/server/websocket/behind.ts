/** What stands behind a client's connection. */

import type { ClientRequest } from 'node:http';
import type { Arrival } from '../../pipeline/arrivals.ts';
import type { Memory } from './dialogue-memory.ts';

/** What a session needs of the gateway. */
export interface Behind {
  /** Posts a body to where responses are created, as the client that this is. */
  ask(body: Buffer): ClientRequest;
  /** @throws GatewayError, by its promise, where the client may not use the model, or nobody serves it. */
  requireModel(model: string): Promise<void>;
  /** Whether the model of this name thinks. */
  thinks(model: string): boolean;
  /** Whether the client may have anything stored at the vendor. */
  stores(): boolean;
  /** Largest body, in bytes. */
  readonly bodyLimit: number;
  /** Milliseconds that something may wait for a client who takes none of it. */
  readonly unread: number;
  /** Milliseconds that a message may take to arrive. */
  messageTime(): number;
  /** Takes a place among what is in flight for a message on its way. @throws GatewayError, by its promise. */
  place(): Promise<(() => void) | undefined>;
  /** What has arrived and is not asked yet, and what is on its way. */
  readonly pending: Arrival;
  readonly memory: Memory;
  /** Told what should not have happened. */
  trouble(error: unknown): void;
}
