import { AsyncResource } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { configSchema } from '../../src/config/schema.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { cutOff } from '../../src/server/http/cut-off.ts';
import { LiveExchanges } from '../../src/server/listen/live-exchanges.ts';
import { type OpenGateway, openGateway } from '../../src/server/open-gateway.ts';
import { held } from '../support/held.ts';

const UNBOUNDED = { pendingBytes: Number.POSITIVE_INFINITY, pendingBytesPerKey: Number.POSITIVE_INFINITY };

const config: Config = configSchema.parse({
  vendors: { openai: { apiKey: 'a-key', baseUrl: 'http://127.0.0.1:1' } },
});
const error = new GatewayError('overloaded', 'The gateway is out of memory.');

let opened: OpenGateway;
let other: OpenGateway;
beforeAll(async () => {
  opened = await openGateway(config);
  other = await openGateway(config);
});
afterAll(async () => {
  await opened.close();
  await other.close();
});

const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

function begin(count: number) {
  const live = new LiveExchanges(cutOff, () => UNBOUNDED);
  const responses = Array.from({ length: count }, response);
  for (const one of responses) live.track(one, opened.gateway, () => undefined);
  const ended = (): number[] =>
    responses.flatMap((one, at) =>
      live.getSignal(one).aborted && live.getSignal(one).reason === error ? [at] : [],
    );
  return { live, responses, ended };
}

describe('requests in flight', () => {
  test('P-07 the newest are ended, the others are not', () => {
    const { live, ended } = begin(10);
    live.endLargest(3, error);
    expect(ended()).toEqual([7, 8, 9]);
  });

  test('all are ended, and so is each that begins afterwards', () => {
    const { live, ended } = begin(3);
    expect(live.endAll(error)).toBe(3);
    expect(ended()).toEqual([0, 1, 2]);
    const late = response();
    live.track(late, opened.gateway, () => undefined);
    expect(live.getSignal(late).reason).toBe(error);
  });

  test('are counted, in total and by key, until they end', () => {
    const { live, responses } = begin(4);
    const [first, second, third, fourth] = responses;
    if (!first || !second || !third || !fourth) throw new Error('there are four');
    expect([live.claim(first, 'a'), live.claim(second, 'a'), live.claim(third, 'b')]).toEqual([1, 2, 1]);
    // A request counts for a key once.
    expect(live.claim(first, 'a')).toBe(2);
    first.emit('close');
    expect(live.inFlight()).toBe(3);
    expect(live.claim(first, 'a')).toBe(1);
    // A client that disconnects before its key is known counts for no key: nothing would ever subtract it
    // again.
    fourth.emit('close');
    expect(live.claim(fourth, 'b')).toBe(1);
  });

  test('a client that disconnects aborts the signal of its request', () => {
    const { live, responses } = begin(1);
    const [only] = responses;
    if (!only) throw new Error('there is one');
    const signal = live.getSignal(only);
    only.emit('close');
    expect(signal.reason).toBeInstanceOf(GatewayError);
    expect(live.getSignal(only).aborted).toBe(true);
  });

  test('a gateway is in use while a request runs on it', () => {
    const { live, responses } = begin(1);
    expect([live.isUsing(opened.gateway), live.isUsing(other.gateway)]).toEqual([true, false]);
    responses[0]?.emit('close');
    expect(live.isUsing(opened.gateway)).toBe(false);
  });

  test('an error is attributed to the request in whose context it occurred, and to none outside', async () => {
    const live = new LiveExchanges(cutOff, () => UNBOUNDED);
    const [guilty, innocent] = [response(), response()];
    live.track(innocent, opened.gateway, () => undefined);
    const blamed = await new Promise<boolean>((resolve) =>
      live.track(guilty, opened.gateway, () => setTimeout(() => resolve(live.abortCurrent()), 1)),
    );
    expect([blamed, live.getSignal(guilty).aborted, live.getSignal(innocent).aborted]).toEqual([
      true,
      true,
      false,
    ]);
    expect(live.abortCurrent()).toBe(false);
  });
});

test('what an exchange has started does not keep it when it is over, and blames nobody', async () => {
  const live = new LiveExchanges(cutOff, () => UNBOUNDED);
  /** As a connection to a vendor does, which outlives the exchange that opened it. */
  let later = (): boolean => false;
  const over = ((): WeakRef<ServerResponse> => {
    const one = response();
    live.track(one, opened.gateway, () => {
      later = AsyncResource.bind(() => live.abortCurrent());
    });
    one.emit('close');
    return new WeakRef(one);
  })();
  await held();
  expect(over.deref()).toBeUndefined();
  expect(later()).toBe(true);
  expect(live.inFlight()).toBe(0);
});
