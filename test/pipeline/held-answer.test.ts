/** H-04: how much a translated stream makes the gateway hold. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { type Arrival, openArrivals } from '../../src/pipeline/body/arrivals.ts';
import { HeldAnswer } from '../../src/pipeline/reply/held-answer.ts';
import { run } from '../../src/streams/step.ts';
import { BoundedStream } from '../../src/translate/decode-answer.ts';

const response = new ServerResponse(new IncomingMessage(new Socket()));
const delta = (length: number): ReplyEvent => ({
  type: 'part-delta',
  choice: 0,
  index: 0,
  text: 'x'.repeat(length),
});

/** The pending bytes of a process in which a key may hold this much. */
function exchange(pendingBytesPerKey: number) {
  const arrivals = openArrivals(() => ({ pendingBytes: Number.POSITIVE_INFINITY, pendingBytesPerKey }));
  const begun: Arrival[] = [];
  const load = {
    inFlight: () => 1,
    shortage: () => undefined,
    claim: () => 1,
    arriving() {
      const arrival = arrivals.begin('key', () => {});
      begun.push(arrival);
      return arrival;
    },
  };
  return { exchange: { load, response }, arrivals, begun };
}

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('H-04 the bytes that a translated stream makes the gateway hold', () => {
  test('H-04 count for the key of the exchange, and the stream passes unchanged', () => {
    const { exchange: one, arrivals } = exchange(10_000_000);
    const events = Array.from({ length: 100 }, () => delta(10_000));
    expect(run(new HeldAnswer(one), events)).toEqual(events);
    expect(arrivals.bytes()).toBeGreaterThan(900_000);
  });

  test('H-04 a short answer is not counted', () => {
    const { exchange: one, begun } = exchange(10_000_000);
    run(new HeldAnswer(one), [delta(10_000), delta(10_000)]);
    expect(begun).toEqual([]);
  });

  test('H-04 above the limit of its key the answer ends, without blaming the vendor or asking it again', () => {
    const { exchange: one } = exchange(500_000);
    const error = thrownBy(() =>
      run(
        new HeldAnswer(one),
        Array.from({ length: 100 }, () => delta(10_000)),
      ),
    );
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ fault: 'overloaded', retryAfter: 1 });
  });

  test.each([
    [
      'calls',
      {
        type: 'part-start',
        choice: 0,
        index: 0,
        part: { kind: 'tool-call', id: 'i', name: 'n'.repeat(9_000) },
      },
    ],
    [
      'probabilities',
      { type: 'logprobs', choice: 0, tokens: Array.from({ length: 40 }, () => ({ token: 'x', logprob: 0 })) },
    ],
  ] satisfies [string, ReplyEvent][])('H-04 content other than text counts too: %s', (_, event) => {
    const { exchange: one, arrivals } = exchange(10_000_000);
    run(
      new HeldAnswer(one),
      Array.from({ length: 100 }, () => event),
    );
    expect(arrivals.bytes()).toBeGreaterThan(800_000);
  });

  test('H-04 the bytes of a stream are bounded, whatever they contain', () => {
    const bytes = new Uint8Array(1_000);
    expect(run(new BoundedStream(3_000), [bytes, bytes, bytes])).toHaveLength(3);
    expect(thrownBy(() => run(new BoundedStream(2_999), [bytes, bytes, bytes]))).toMatchObject({
      fault: 'upstream-broken',
    });
  });
});
