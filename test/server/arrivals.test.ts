import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { openArrivals } from '../../src/pipeline/body/arrivals.ts';

const limits = { pendingBytes: 1_000, pendingBytesPerKey: 600 };

/** An arrival, and the errors with which it was cut. */
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

describe('bodies that are arriving', () => {
  test('are bounded for each key: those beyond the bound are rejected, and other keys are unaffected', () => {
    const arrivals = openArrivals(() => limits);
    const [one, two, other] = [begin(arrivals, 'a'), begin(arrivals, 'a'), begin(arrivals, 'b')];
    one.holds(400);
    expect(faultOf(() => two.holds(201))).toBe('rate-limited');
    two.end();
    expect(faultOf(() => other.holds(500))).toBeUndefined();
    expect([one.cut, other.cut, arrivals.bytes()]).toEqual([[], [], 900]);
  });

  test('are bounded in total: the largest is cut, even if it is the one that grows', () => {
    const arrivals = openArrivals(() => limits);
    const [small, large, next] = [begin(arrivals, 'a'), begin(arrivals, 'b'), begin(arrivals, 'c')];
    small.holds(300);
    large.holds(500);
    expect(faultOf(() => next.holds(250))).toBeUndefined();
    expect([small.cut, large.cut, next.cut]).toEqual([[], ['overloaded'], []]);
    expect(arrivals.bytes()).toBe(550);
    // A body that was cut and continues for a moment is rejected, and no longer counts.
    expect(faultOf(() => large.holds(501))).toBe('overloaded');
    expect(arrivals.bytes()).toBe(550);
    const greedy = begin(arrivals, 'd');
    expect(faultOf(() => greedy.holds(600))).toBe('overloaded');
    expect([small.cut, next.cut]).toEqual([[], []]);
  });

  test('do not count once they are whole, and may shrink at any time', () => {
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
