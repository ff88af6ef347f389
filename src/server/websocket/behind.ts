/** The gateway as a WebSocket session uses it. */

import type { ClientRequest } from 'node:http';
import type { Arrival } from '../../pipeline/body/arrivals.ts';
import type { Memory } from './dialogue-memory.ts';

/** What a session needs of the gateway. */
export interface Behind {
  /** Posts a body to `/v1/responses` as this client. */
  ask(body: Buffer): ClientRequest;
  /** Rejects with a GatewayError if the client may not use the model, or no vendor serves it. */
  requireModel(model: string): Promise<void>;
  /** Whether the model of this name reasons. */
  thinks(model: string): boolean;
  /** Whether the client may store responses at the vendor. */
  stores(): boolean;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** Milliseconds that data may wait for a client that does not read. */
  readonly unread: number;
  /** Milliseconds that a message may take to arrive. */
  messageTime(): number;
  /** Reserves a place in flight for a message that is arriving. Rejects with a GatewayError if there is none. */
  place(): Promise<(() => void) | undefined>;
  /** The account of messages that are arriving or waiting. */
  readonly pending: Arrival;
  readonly memory: Memory;
  /** Receives unexpected errors. */
  trouble(error: unknown): void;
}
