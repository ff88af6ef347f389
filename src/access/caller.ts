/**
 * A caller's request, and where its answer goes, as far as the gateway looks at them. Node's IncomingMessage and
 * ServerResponse are these; `src/server/mounted` makes both from a web Request.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** A request. Its body is read as a stream of Buffers. */
export interface CallerRequest extends Readable {
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** Absent if the connection is not the gateway's. */
  readonly httpVersion?: string;
  /** Whether all of the body has arrived. */
  readonly complete: boolean;
  /** Absent if the connection is not the gateway's. */
  readonly socket?: Socket;
}

/** Where an answer goes. It closes when the answer has been sent, or when the caller has left. */
export interface CallerResponse {
  readonly closed: boolean;
  readonly destroyed: boolean;
  /** Whether all of the answer has been taken from the gateway. */
  readonly writableFinished: boolean;
  /** How many bytes wait to be sent. */
  readonly writableLength: number;
  readonly headersSent: boolean;
  /** Lets a caller who has asked for that send the body (`100 Continue`). */
  writeContinue(): void;
  /** It closes once, so `on` is enough. Node's `once` wraps each listener, which takes 180 bytes of an open stream. */
  on(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
  prependListener(event: 'close', listener: () => void): unknown;
  /** As Node's. 0: no limit. */
  setMaxListeners(most: number): unknown;
}
