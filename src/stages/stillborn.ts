/**
 * A native stream whose first word is that there will be no answer. Vendors begin a stream before they know whether the
 * model has room for it, and then say so by an event: until it is known, nothing of it goes to the caller, so that
 * somebody else can still be asked. Where nobody can, the caller has the stream as it came.
 */

import { asBuffer, joined } from '../as-buffer.ts';
import type { GatewayError } from '../errors.ts';
import type { Outbound } from '../formats/format.ts';
import type { Body, BodySink } from '../streams/body.ts';
import { decodeSse } from '../streams/sse.ts';
import { run } from '../streams/step.ts';
import { within } from '../streams/within.ts';
import { lossOf } from './again.ts';

/** How much is kept back, in bytes: OpenAI says all that it was asked before it answers. */
const MOST = 256 * 1024;

/** For how long a stream is waited for that has nothing more to say, in milliseconds. */
const REST = 1_000;

const BOUNDARY = /(?:\n\n|\r\r|\r\n\r\n)$/;

/** All of a stream that came to nothing. */
export interface Stillborn {
  readonly bytes: Buffer;
  readonly error: GatewayError;
}

/** @param hold milliseconds for which the beginning is kept back at most. */
export async function stillbornOr(
  source: Body,
  { parseFailure, marks }: Pick<Outbound, 'parseFailure' | 'marks'>,
  hold: number,
): Promise<Body | Stillborn> {
  const { promise: known, resolve } = Promise.withResolvers<void>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let held: Uint8Array[] = [];
  let size = 0;
  let sink: BodySink | undefined;
  let isLeft = false;
  let ended: GatewayError | true | undefined;
  let failure: GatewayError | undefined;

  /** Whether it is not yet known what it will be. */
  function isOpen(): boolean {
    const bytes = joined(held);
    const text = bytes.toString('latin1');
    if (!marks.failing.test(text)) return !marks.answering.test(text);
    if (!BOUNDARY.test(text)) return true;
    for (const event of run(decodeSse(), [bytes])) {
      const error = parseFailure(event);
      // For what is at fault in the request itself, nobody else has another answer.
      if (error !== undefined && lossOf(error) !== undefined) failure = error;
      if (error !== undefined || marks.answering.test(`data: ${event.data}`)) return false;
    }
    return true;
  }

  function finish(how: GatewayError | true): void {
    ended = how;
    if (sink !== undefined) tellEnd(sink, how);
    resolve();
    end();
  }

  source.pipeTo({
    write(chunk) {
      if (sink !== undefined) return sink.write(chunk);
      held.push(asBuffer(chunk));
      size += chunk.byteLength;
      if (failure === undefined && (size >= MOST || !isOpen())) resolve();
      return size < MOST;
    },
    close: () => finish(true),
    abort: finish,
  });
  await within(known, hold);
  if (failure !== undefined) {
    await within(over, REST);
    if (ended === undefined) source.cancel();
    return { bytes: joined(held), error: failure };
  }
  return {
    pipeTo(taker) {
      let takesMore = true;
      for (const chunk of held) {
        takesMore = taker.write(chunk);
        if (isLeft) return;
      }
      held = [];
      sink = taker;
      if (ended !== undefined) tellEnd(taker, ended);
      else if (takesMore) source.pull();
    },
    pull: () => source.pull(),
    cancel(error) {
      isLeft = true;
      source.cancel(error);
    },
  };
}

function tellEnd(sink: BodySink, how: GatewayError | true): void {
  if (how === true) sink.close();
  else sink.abort(how);
}
