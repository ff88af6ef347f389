import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { openArrivals } from '../../src/pipeline/arrivals.ts';

const limits = { pendingBytes: 1_000, pendingBytesPerKey: 600 };

/** An arrival, and the errors that it was cut with. */
function begin(arrivals: ReturnType<typeof openArrivals>, key: string) {
  const cut: string[] = [];
  const arrival = arrivals.begin(key, ({ fault }) => cut.push(fault));
  return { ...arrival, cut };
}

const faultOf = (run: () => void): string | undefined => {
  try {
    run();
  } catch (error) {
    return error instanceof GatewayError ? error.fault : String(error);
  }
  return undefined;
};

describe('what is on its way', () => {
  test('is bounded for each key: what goes beyond is refused, and others are not', () => {
    const arrivals = openArrivals(() => limits);
    const [one, two, other] = [begin(arrivals, 'a'), begin(arrivals, 'a'), begin(arrivals, 'b')];
    one.holds(400);
    expect(faultOf(() => two.holds(201))).toBe('rate-limited');
    two.end();
    expect(faultOf(() => other.holds(500))).toBeUndefined();
    expect([one.cut, other.cut, arrivals.bytes()]).toEqual([[], [], 900]);
  });

  test('is bounded in all: the largest is cut, be it the one that grows', () => {
    const arrivals = openArrivals(() => limits);
    const [small, large, next] = [begin(arrivals, 'a'), begin(arrivals, 'b'), begin(arrivals, 'c')];
    small.holds(300);
    large.holds(500);
    expect(faultOf(() => next.holds(250))).toBeUndefined();
    expect([small.cut, large.cut, next.cut]).toEqual([[], ['overloaded'], []]);
    expect(arrivals.bytes()).toBe(550);
    // What was cut and goes on for a moment is refused, and counts no more.
    expect(faultOf(() => large.holds(501))).toBe('overloaded');
    expect(arrivals.bytes()).toBe(550);
    const greedy = begin(arrivals, 'd');
    expect(faultOf(() => greedy.holds(600))).toBe('overloaded');
    expect([small.cut, next.cut]).toEqual([[], []]);
  });

  test('is nobody’s once it is whole, and may become less at any time', () => {
    const arrivals = openArrivals(() => limits);
    const one = begin(arrivals, 'a');
    one.holds(600);
    expect(faultOf(() => one.holds(700))).toBe('rate-limited');
    expect(faultOf(() => one.holds(650))).toBeUndefined();
    one.end();
    one.end();
    expect(arrivals.bytes()).toBe(0);
    const two = begin(arrivals, 'a');
    expect(faultOf(() => two.holds(600))).toBeUndefined();
  });
});
