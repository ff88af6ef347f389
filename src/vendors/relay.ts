/** The body of an answer between the vendor's socket and whoever takes it: it waits until it is taken. */

import { joined } from '../as-buffer.ts';
import type { GatewayError } from '../errors.ts';
import type { Body, BodySink } from '../streams/body.ts';

/** How much of a body waits for somebody to take it before its source is to pause, in bytes. */
const HIGH_WATER_MARK = 64 * 1024;

/** Where a body comes from. */
export interface Source {
  /** It may go on, or must wait: whoever takes the body has room, or has none. */
  flow(goesOn: boolean): void;
  /** Nobody wants the rest. @param error what was wrong with it, where that is why. */
  cancel(error?: GatewayError): void;
}

/** Of `close` and `abort` one is called, once, and nothing after it. */
export interface Relay extends BodySink {
  readonly body: Body;
  /** Whether somebody takes the body. */
  isTaken(): boolean;
  /** What has come while nobody took it. */
  held(): Uint8Array;
}

export function relay(source: Source): Relay {
  let held: Uint8Array[] = [];
  let size = 0;
  let sink: BodySink | undefined;
  /** Nobody wants the body any more. */
  let isLeft = false;
  /** How it ended: well, or by what. */
  let ended: GatewayError | true | undefined;

  function end(how: GatewayError | true): void {
    ended = how;
    if (sink === undefined || isLeft) return;
    if (how === true) sink.close();
    else sink.abort(how);
  }

  return {
    write(chunk) {
      if (isLeft) return true;
      if (sink !== undefined) return sink.write(chunk);
      held.push(chunk);
      size += chunk.byteLength;
      return size < HIGH_WATER_MARK;
    },
    close: () => end(true),
    abort: end,
    isTaken: () => sink !== undefined,
    held: () => joined(held),
    body: {
      pipeTo(taker) {
        const chunks = held;
        let takesMore = true;
        held = [];
        for (const chunk of chunks) {
          takesMore = taker.write(chunk);
          if (isLeft) return;
        }
        sink = taker;
        if (ended === undefined) source.flow(takesMore);
        else end(ended);
      },
      pull: () => source.flow(true),
      cancel(error) {
        isLeft = true;
        held = [];
        source.cancel(error);
      },
    },
  };
}
