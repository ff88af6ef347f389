/** A light signal behaves as Node's AbortSignal does, as far as it is one. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LightSignal, type Signal } from '../../src/lib/light-signal.ts';

/** What a listener does when it is called, besides noting that. */
type Doing = 'nothing' | 'remove itself' | 'remove all' | 'abort again';

const step = fc.oneof(
  fc.record({
    what: fc.constant('add' as const),
    listener: fc.nat(3),
    doing: fc.constantFrom<Doing>('nothing', 'remove itself', 'remove all', 'abort again'),
  }),
  fc.record({ what: fc.constant('remove' as const), listener: fc.nat(3) }),
  fc.record({ what: fc.constant('abort' as const), reason: fc.nat(3) }),
);

test('calls the same listeners, and reports the same, as an AbortSignal', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const node = new AbortController();
      const light = new LightSignal<number>();
      const seen = run(steps, light, (reason) => light.abort(reason));
      expect(seen).toEqual(run(steps, node.signal, (reason) => node.abort(reason)));
    }),
  );
});

type Steps = readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[];

function run(steps: Steps, signal: Signal, abort: (reason: number) => void): unknown[] {
  const seen: unknown[] = [];
  const added = new Map<number, () => void>();
  for (const each of steps) {
    if (each.what === 'add' && !added.has(each.listener)) {
      const listener = (): void => {
        seen.push([each.listener, signal.aborted, signal.reason]);
        if (each.doing === 'abort again') abort(9);
        if (each.doing === 'remove itself') signal.removeEventListener('abort', listener);
        if (each.doing === 'remove all')
          for (const other of added.values()) signal.removeEventListener('abort', other);
      };
      added.set(each.listener, listener);
      signal.addEventListener('abort', listener);
    } else if (each.what === 'remove') {
      const listener = added.get(each.listener);
      if (listener) signal.removeEventListener('abort', listener);
      added.delete(each.listener);
    } else if (each.what === 'abort') abort(each.reason);
    seen.push([signal.aborted, signal.reason]);
  }
  return seen;
}
