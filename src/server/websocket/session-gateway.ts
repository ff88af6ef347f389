/** The gateway as a WebSocket session uses it. */

import type { ClientRequest } from 'node:http';
import type { KnownValues } from '../../lib/object-scan.ts';
import type { Arrival } from '../../pipeline/body/arrivals.ts';
import type { Memory } from './dialogue-memory.ts';

/** What a session needs of the gateway. */
export interface SessionGateway {
  /** Posts a body to `/v1/responses` as this client. */
  post(body: Buffer): ClientRequest;
  /** Rejects with a GatewayError if the client may not use the model, or no vendor serves it. */
  requireModel(model: string): Promise<void>;
  isReasoningModel(model: string): boolean;
  /** Whether the client may store responses at the vendor. */
  mayStore(): boolean;
  /** The tools of requests that came before. */
  knownTools(): KnownValues;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** Milliseconds that data may wait for a client that does not read. */
  readonly unreadTimeout: number;
  /** Milliseconds that a message may take to arrive. */
  messageTimeout(): number;
  /** Reserves a place in flight for a message that is arriving. Rejects with a GatewayError if there is none. */
  reserveSlot(): Promise<(() => void) | undefined>;
  /** The account of messages that are arriving or waiting. */
  readonly arrival: Arrival;
  readonly memory: Memory;
  reportError(error: unknown): void;
}
