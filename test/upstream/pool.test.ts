import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { LightSignal } from '../../src/lib/light-signal.ts';
import { type Lease, type PlaceRequest, Pool, type PoolLimits } from '../../src/upstream/pool/pool.ts';
import type { Vendor } from '../../src/upstream/vendor.ts';

const ejection = { failures: 2, share: 1, requests: 20, window: 30_000, duration: 1_000, longest: 1_000 };
const LIMITS: PoolLimits = { connections: Number.POSITIVE_INFINITY, wait: 20, ejection, ejectsLone: true };

/** What all requests here are. */
const ASKED: PlaceRequest = { subject: 'm', caller: 'x' };

const vendorAt = (name: string): Vendor => ({
  name,
  origin: `http://${name}`,
  basePath: '',
  key: name,
  auth: 'authorization',
  formats: ['chat-completions'],
  fullIds: false,
  headers: {},
});

function pool(names: readonly string[], limits: Partial<PoolLimits> = {}) {
  let now = 0;
  const members = names.map((name) => ({ vendor: vendorAt(name), weight: 1 }));
  const made = new Pool(members, { ...LIMITS, ...limits }, () => now);
  const take = (): Lease => {
    const lease = made.take(ASKED);
    if (lease instanceof Promise) throw new Error('There was no place at once.');
    return lease;
  };
  return {
    pool: made,
    take,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    /** Ejects the only member. */
    break: () => {
      for (let at = 0; at < ejection.failures; at += 1) {
        const lease = take();
        lease.fail('somehow');
        lease.release();
      }
    },
  };
}

describe('a probe', () => {
  test('is one request; until it has a result, all others are refused', () => {
    const { take, pass, break: break_ } = pool(['a']);
    break_();
    expect(take).toThrow('sends it nothing for a while');
    pass(1_200);
    const probe = take();
    expect(take).toThrow('sends it nothing for a while');
    probe.markAnswered();
    expect(take().vendor.name).toBe('a');
  });

  test('without a result, because its caller left, makes room for the next', () => {
    const { take, pass, break: break_ } = pool(['a']);
    break_();
    pass(1_200);
    take().release();
    expect(take().vendor.name).toBe('a');
  });

  test('is one request, even if an older request ends meanwhile', () => {
    const { take, pass, break: break_ } = pool(['a']);
    const old = take();
    break_();
    pass(1_200);
    take();
    old.release();
    expect(take).toThrow('sends it nothing for a while');
  });

  test('that fails restarts the ejection time', () => {
    const { take, pass, break: break_ } = pool(['a']);
    break_();
    pass(1_200);
    const probe = take();
    probe.fail('somehow');
    probe.release();
    expect(take).toThrow('sends it nothing for a while');
    pass(1_200);
    expect(take().vendor.name).toBe('a');
  });
});

describe('slots', () => {
  test('are given in the order of the waiting requests', async () => {
    const { pool: made, take } = pool(['a'], { connections: 1, wait: 5_000 });
    const first = take();
    const got: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const lease = await made.take(ASKED);
      got.push(number);
      lease.release();
    });
    first.release();
    await Promise.all(waiting);
    expect(got).toEqual([1, 2, 3]);
  });

  test('are waited for no longer than the limit', async () => {
    const { pool: made, take } = pool(['a'], { connections: 1 });
    take();
    await expect(made.take(ASKED)).rejects.toMatchObject({ fault: 'overloaded', retryAfter: 1 });
  });

  test('are not kept for a request that has ended, which waits no longer', async () => {
    const { pool: made, take } = pool(['a'], { connections: 1, wait: 60_000 });
    const first = take();
    const ended = new GatewayError('overloaded', 'Over.');
    const leaving = new LightSignal<object>();
    const ending = new LightSignal<object>();
    const left = made.take(ASKED, undefined, leaving);
    const over = made.take(ASKED, undefined, ending);
    const waiting = made.take(ASKED, undefined, new LightSignal());
    leaving.abort({});
    ending.abort(ended);
    await expect(left).rejects.toMatchObject({ message: 'The caller left.' });
    await expect(over).rejects.toBe(ended);
    await expect(made.take(ASKED, undefined, leaving)).rejects.toThrow('The caller left.');
    first.release();
    (await waiting).release();
    take();
  });

  test('of a readmitted upstream go to the waiting requests, in order', async () => {
    const { pool: made, take, pass } = pool(['a', 'b'], { connections: 2, wait: 5_000 });
    const ofB = [take(), take(), take(), take()].filter(({ vendor }) => vendor.name === 'b');
    for (const lease of ofB) {
      lease.fail('somehow');
      lease.release();
    }
    const got: string[] = [];
    const wait = async (name: string): Promise<Lease> => {
      const lease = await made.take(ASKED);
      got.push(`${name} at ${lease.vendor.name}`);
      return lease;
    };
    const first = wait('first');
    void wait('second');
    void wait('third').catch(() => undefined);
    pass(1_200);
    void wait('late').catch(() => undefined);
    const probe = await first;
    expect(got).toEqual(['first at b']);
    probe.markAnswered();
    await Promise.resolve();
    expect(got).toEqual(['first at b', 'second at b']);
    probe.release();
    await Promise.resolve();
    expect(got).toEqual(['first at b', 'second at b', 'third at b']);
  });

  test('of a readmitted upstream also go to a request that is about to give up', async () => {
    const { pool: made, take, pass } = pool(['a', 'b'], { connections: 1 });
    const failing = [take(), take()].find(({ vendor }) => vendor.name === 'b');
    failing?.fail('surely');
    failing?.release();
    const waiting = made.take(ASKED);
    pass(1_200);
    expect((await waiting).vendor.name).toBe('b');
  });

  test('are released once, however often release is called', async () => {
    const { pool: made, take } = pool(['a'], { connections: 2 });
    const first = take();
    take();
    first.release();
    first.release();
    take();
    const third = made.take(ASKED);
    expect(third).toBeInstanceOf(Promise);
    await expect(third).rejects.toThrow();
  });
});

describe('with several upstreams', () => {
  test('the one that failed is avoided if there is another, and only then', () => {
    const { pool: made, take } = pool(['a', 'b']);
    const failed = take();
    take();
    failed.release();
    // It is the least busy one, as failing upstreams are.
    expect(made.take(ASKED, new Set([failed.vendor]))).toMatchObject({ vendor: { name: 'b' } });
    expect(made.take(ASKED)).toMatchObject({ vendor: { name: 'a' } });
    const lone = pool(['a']);
    const only = lone.take();
    expect(lone.pool.take(ASKED, new Set([only.vendor]))).toMatchObject({ vendor: { name: 'a' } });
    expect(lone.pool.hasOther(new Set([only.vendor]), 'x', 'm')).toBe(false);
  });

  test('one in cooldown is asked if no other can be', () => {
    const { take, pass, break: break_ } = pool(['a', 'b']);
    take().coolDown(500);
    const names = [1, 2, 3].map(() => take().vendor.name);
    expect(new Set(names)).toEqual(new Set(['b']));
    break_();
    expect(take().vendor.name).toBe('a');
    pass(600);
    expect(take().vendor.name).toBe('a');
  });

  test('no more than half are ejected for their failure rate', () => {
    const poor = { ...ejection, failures: 0, share: 0.5, requests: 4 };
    const { pool: made } = pool(['a', 'b', 'c', 'd'], { ejection: poor });
    for (let at = 0; at < 40; at += 1) {
      const lease = made.take(ASKED);
      if (lease instanceof Promise) throw new Error('There was no place at once.');
      lease.fail('somehow');
      lease.release();
    }
    expect(made.state().map(({ well }) => well)).toEqual([false, false, true, true]);
  });

  test('the last healthy one is not ejected for an overload, nor is one on probation', () => {
    const { pool: made, take, pass } = pool(['a', 'b'], { ejectsLone: false });
    const fail = (how: 'overloaded' | 'somehow'): void => {
      const lease = take();
      lease.fail(how);
      lease.release();
    };
    const well = (): number => made.state().filter((each) => each.well).length;
    for (let at = 0; at < 12; at += 1) fail('overloaded');
    expect(well()).toBe(1);
    while (well() > 0) fail('somehow');
    pass(1_200);
    fail('overloaded');
    expect(well()).toBe(1);
  });

  test('the last healthy one is ejected for an overload if a single upstream may be ejected, too', () => {
    const { take } = pool(['a'], { ejectsLone: true });
    for (let at = 0; at < ejection.failures; at += 1) {
      const lease = take();
      lease.fail('overloaded');
      lease.release();
    }
    expect(take).toThrow('sends it nothing for a while');
  });

  test('a single upstream is not ejected unless the configuration says so', () => {
    const { take, break: break_ } = pool(['a'], { ejectsLone: false });
    break_();
    break_();
    expect(take().vendor.name).toBe('a');
  });
});

describe('a cooldown', () => {
  test('is not cut short by a later, shorter one', () => {
    const { take, pass } = pool(['a', 'b']);
    const [one, same] = [take(), take(), take()].filter(({ vendor }) => vendor.name === 'a');
    one?.coolDown(30_000);
    same?.coolDown(1_000);
    pass(2_000);
    for (let at = 0; at < 4; at += 1) expect(take().vendor.name).toBe('b');
    pass(28_001);
    expect(take().vendor.name).toBe('a');
  });
});
