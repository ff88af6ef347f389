import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseHome, type Placed } from '../../src/upstream/pool/affinity.ts';

const at = (place: string, weight = 1, inFlight = 0): Placed => ({ place, weight, inFlight });
const any = (): boolean => true;
const sessions = Array.from({ length: 2_000 }, (_, at) => `session-${at}`);

/** Counts the sessions of each upstream. */
function counted(all: readonly Placed[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const session of sessions) {
    const { place } = chooseHome(all, session, any) ?? at('none');
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

test('law: a session stays with its healthy upstream, whatever the order of the list', () => {
  const places = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(places, fc.string(), fc.nat(), (names, session, turn) => {
      const all = names.map((name) => at(name));
      const home = chooseHome(all, session, any);
      const from = turn % all.length;
      const turned = [...all.slice(from), ...all.slice(0, from)];
      expect(chooseHome(turned, session, any)?.place).toBe(home?.place);
      expect(home).toBeDefined();
    }),
  );
});

test('law: when an upstream is gone or unhealthy, its sessions move, and no others', () => {
  const all = ['a', 'b', 'c', 'd'].map((name) => at(name));
  for (const session of sessions) {
    const home = chooseHome(all, session, any);
    const left = chooseHome(all.slice(1), session, any);
    expect(chooseHome(all, session, (one) => one.place !== 'a')).toBe(left);
    if (home?.place !== 'a') expect(left).toBe(home);
  }
  expect(Object.values(counted(all.slice(1))).every((count) => count > 550 && count < 790)).toBe(true);
});

test('each upstream gets sessions in proportion to its weight', () => {
  const { a = 0, b = 0, c = 0 } = counted([at('a', 1), at('b', 1), at('c', 2)]);
  expect(a).toBeGreaterThan(430);
  expect(b).toBeGreaterThan(430);
  expect(c).toBeGreaterThan(900);
  expect(a + b + c).toBe(sessions.length);
});

describe('a crowded upstream', () => {
  const [session = ''] = sessions;
  const idle = [at('a'), at('b')];
  const home = chooseHome(idle, session, any)?.place;
  const busy = (inFlight: number, others: number): Placed[] =>
    idle.map(({ place }) => at(place, 1, place === home ? inFlight : others));

  test('is not chosen for the sake of a session', () => {
    expect(chooseHome(busy(8, 0), session, any)?.place).not.toBe(home);
    expect(chooseHome(busy(300, 100), session, any)?.place).not.toBe(home);
  });

  test('has more than its share, and more than a few', () => {
    expect(chooseHome(busy(7, 0), session, any)?.place).toBe(home);
    expect(chooseHome(busy(290, 100), session, any)?.place).toBe(home);
  });

  test("is no session's home, if no other fits", () => {
    expect(chooseHome(busy(8, 0), session, ({ place }) => place === home)).toBeUndefined();
  });
});
