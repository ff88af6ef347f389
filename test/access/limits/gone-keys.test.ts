/** Keys come and go, a million of them in the life of a process: keys that are gone use no memory. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Limits } from '../../../src/access/limits/limits.ts';
import { limitsInMemory, openLimits } from '../../../src/access/limits/open-limits.ts';
import type { Spent } from '../../../src/access/limits/spending.ts';
import { tagName } from '../../../src/access/limits/tags-in-use.ts';
import type { Principal } from '../../../src/access/principal.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { held } from '../../support/held.ts';
import { soon } from '../../support/soon.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** The first day of a month. */
const START = Date.parse('2026-05-01T12:00:00Z');

// Only the clocks are faked: timers run in real time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const later = (milliseconds: number): void => {
  vi.advanceTimersByTime(milliseconds);
};

const route = { format: 'chat-completions' } as const;
const response = new ServerResponse(new IncomingMessage(new Socket()));

function ask(limits: Limits, name: string, has: KeyLimits): unknown {
  const principal: Principal = { name, restricted: false, allows: () => true, stored: 'all', limits: has };
  return limits.admit({ principal, response, route });
}

test('with very many keys, the budgets closest to their limit are reported', () => {
  const limits = limitsInMemory();
  for (let key = 0; key < 2_000; key += 1) {
    ask(limits, `key ${key}`, { budgetMonth: 1 });
    limits.charge({ key: `key ${key}`, tokens: 1, cost: key / 1_000, time: START });
  }
  ask(limits, 'without', { requestsPerMinute: 5 });
  const told = limits.budgets();
  expect(told).toHaveLength(1_000);
  expect(told[0]).toEqual({
    of: 'key',
    name: 'key 1999',
    period: 'month',
    budget: 1,
    left: 1 - 1.999,
    reserved: 0,
  });
  expect(told.map(({ name }) => name)).not.toContain('key 999');
  later(3 * DAY);
  expect(limits.budgets()).toEqual([]);
});

test('the memory of a process does not grow with the number of keys there have been', async () => {
  const limits = await openLimits({ stored: async () => new Map() });
  const everyLimit = { requestsPerMinute: 5, tokensPerMinute: 100, budgetDay: 1, budgetMonth: 9 };
  const days: number[] = [];
  for (let day = 0; day < 6; day += 1) {
    for (let key = 0; key < 20_000; key += 1) {
      const name = `session-${day}-${key}`;
      ask(limits, name, everyLimit);
      limits.charge({ key: name, tokens: 3, cost: 0, time: Date.now() });
    }
    later(DAY);
    days.push(await held());
  }
  await limits.close();
  const [, , third = 0] = days;
  // The state of 60,000 keys takes eleven megabytes.
  expect(days.at(-1)).toBeLessThan(third + 5_000_000);
});

test('what a tag has spent is not held in memory once it is gone: the store knows it', async () => {
  const spent = { day: 0, week: 0, month: 5, total: 0 };
  const name = tagName('app', 'gone');
  let stored = new Map<string, Spent>();
  const limits = await openLimits({ storedOfTags: async () => stored });
  const principal: Principal = {
    name: 'app',
    restricted: false,
    allows: () => true,
    stored: 'all',
    limits: {},
    tagLimits: { budgetMonth: 1 },
  };
  const askAs = (tag: string): unknown => limits.admitTag({ principal, response, route }, tag);
  askAs('gone');
  limits.charge({ key: 'app', tag: 'gone', tokens: 1, cost: 5, time: Date.now() });
  for (const _ of ['today', 'tomorrow']) {
    expect(() => askAs('gone')).toThrow('budget for this month');
    later(DAY);
  }
  askAs('another');
  later(DAY);
  // Nobody else has told what it spent.
  expect(() => askAs('gone')).not.toThrow();
  stored = new Map([[name, spent]]);
  await soon(() => expect(() => askAs('gone')).toThrow('budget for this month'));
  await limits.close();
});

test('a window is not dropped before it ends, whatever other keys do', () => {
  const limits = limitsInMemory();
  const has = { tokensPerMinute: 10 };
  // Each window begins at another moment of the clock that drops old windows.
  for (let begun = 0; begun < 12; begun += 1) {
    const name = `team-${begun}`;
    ask(limits, name, has);
    limits.charge({ key: name, tokens: 10, cost: 0, time: Date.now() });
    for (let second = 0; second < 60; second += 5) {
      ask(limits, `other-${begun}-${second}`, { requestsPerMinute: 1 });
      expect(() => ask(limits, name, has), `${begun} ${second}`).toThrow('10 tokens per minute');
      later(5_000);
    }
    expect(() => ask(limits, name, has)).not.toThrow();
    later(5_000 * begun);
  }
  // No request arrives in between.
  ask(limits, 'quiet', has);
  limits.charge({ key: 'quiet', tokens: 10, cost: 0, time: Date.now() });
  later(MINUTE - 1);
  expect(() => ask(limits, 'quiet', has)).toThrow('10 tokens per minute');
  later(1);
  expect(() => ask(limits, 'quiet', has)).not.toThrow();
  void limits.close();
});

test('an answer that took hours is charged', () => {
  const limits = limitsInMemory();
  ask(limits, 'slow', { tokensPerMinute: 10 });
  for (let hour = 0; hour < 23; hour += 1) {
    later(60 * MINUTE);
    ask(limits, `other-${hour}`, { tokensPerMinute: 10 });
  }
  limits.charge({ key: 'slow', tokens: 10, cost: 0, time: Date.now() });
  expect(() => ask(limits, 'slow', { tokensPerMinute: 10 })).toThrow('10 tokens per minute');
  void limits.close();
});
