/** The body of an answer between the vendor's socket and whoever takes it: it waits until it is taken. */

import type { GatewayError } from '../lib/errors.ts';
import type { Body, BodySink } from '../streams/body.ts';
import { joined } from './net/to-buffer.ts';

/** How much of a body waits for somebody to take it before its source is to pause, in bytes. */
const HIGH_WATER_MARK = 64 * 1024;

/** The same where its beginning is looked at: OpenAI says all that it was asked before it answers. */
export const WATCHED_MARK = 256 * 1024;

/** A body that waits until it is taken. */
export interface HeldBody extends Body {
  /** Tells `look` each piece that has come and comes, and its end by nothing, until it is taken. */
  watch(look: Look): void;
  /** What has come, and nobody has taken. */
  held(): Buffer;
}

type Look = (piece: Uint8Array | undefined) => void;

/** Where a body comes from. */
export interface Source {
  /** It may go on, or must wait: whoever takes the body has room, or has none. */
  flow(goesOn: boolean): void;
  /** Nobody wants the rest. @param error what was wrong with it, where that is why. */
  cancel(error?: GatewayError): void;
}

/** Of `close` and `abort` one is called, once, and nothing after it. */
export interface Relay extends BodySink {
  readonly body: HeldBody;
  /** Whether somebody takes the body. */
  isTaken(): boolean;
}

/** What is written into it is the body that it gives. */
export function relay(source: Source): Relay {
  let held: Uint8Array[] = [];
  let size = 0;
  let sink: BodySink | undefined;
  let look: Look | undefined;
  /** Nobody wants the body any more. */
  let isLeft = false;
  /** How it ended: well, or by what. */
  let ended: GatewayError | true | undefined;

  function end(how: GatewayError | true): void {
    ended = how;
    if (!isLeft) look?.(undefined);
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
      look?.(chunk);
      return size < (look === undefined ? HIGH_WATER_MARK : WATCHED_MARK);
    },
    close: () => end(true),
    abort: end,
    isTaken: () => sink !== undefined,
    body: {
      held: () => joined(held),
      watch(watcher) {
        look = watcher;
        for (const chunk of held) watcher(chunk);
        if (ended !== undefined) watcher(undefined);
        if (ended === undefined && size >= HIGH_WATER_MARK) source.flow(size < WATCHED_MARK);
      },
      pipeTo(taker) {
        const chunks = held;
        let takesMore = true;
        held = [];
        look = undefined;
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
