/** Budgets for a week and in total, and days of other time zones: judged by Temporal, which the product does not use. */

import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitsInMemory } from '../../../src/access/limits/open-limits.ts';
import { nextStart } from '../../../src/access/limits/periods.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { formatDay, mondayBefore, openCalendar, startOfDay } from '../../../src/lib/calendar.ts';
import type { KeyLimits } from '../../../src/store/keys/key-limits.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { soon } from '../../support/soon.ts';
import { ask, startVendor, statusOf, type TestVendor } from './support.ts';

const LIMITED = 'gw-test-key-with-periods';

let vendor: TestVendor;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  vendor = await startVendor();
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await vendor.close();
});

/** A gateway whose clock a test sets. A million input tokens cost two dollars. */
async function serve(limits: KeyLimits, clock: { now: number }, timeZone?: string): Promise<string> {
  const counted = limitsInMemory({ now: () => clock.now, ...(timeZone && { timeZone }) });
  const charge = charging(counted.charge);
  gateway = await startGateway(
    { vendors: vendorsAtUrl(vendor.url), keys: [{ name: 'limited', key: LIMITED, limits }] },
    undefined,
    (opened) => ({
      ...opened,
      limits: counted,
      record: recording((record) => charge({ ...record, time: clock.now })),
    }),
  );
  return gateway.url;
}

/** Uses two dollars. */
async function spend(url: string): Promise<void> {
  vendor.takes(1_000_000, 0);
  expect(await statusOf(ask(url, LIMITED))).toBe(200);
}

async function refusal(url: string): Promise<{ readonly message: string; readonly wait: number }> {
  return soon(async () => {
    const response = await ask(url, LIMITED);
    const { error }: { error: { message: string } } = JSON.parse(await response.text());
    expect(response.status).toBe(429);
    return { message: error.message, wait: Number(response.headers.get('retry-after')) };
  });
}

test('a week begins on Monday, whatever month it is', async () => {
  const clock = { now: Date.parse('2026-05-31T20:00:00Z') };
  const url = await serve({ budgetWeek: 2 }, clock);
  await spend(url);
  expect(await refusal(url)).toEqual({
    message: 'This API key has used up its budget for this week. It renews on Monday (UTC).',
    wait: 4 * 3_600,
  });
  clock.now = Date.parse('2026-06-01T00:00:00Z');
  await spend(url);
  // The week goes on in the next month.
  clock.now = Date.parse('2026-06-07T23:59:59Z');
  expect((await refusal(url)).wait).toBe(1);
  clock.now += 1_000;
  await spend(url);
});

test('a total budget never renews', async () => {
  const clock = { now: Date.parse('2026-05-31T20:00:00Z') };
  const url = await serve({ budgetTotal: 4, budgetMonth: 100 }, clock);
  await spend(url);
  clock.now = Date.parse('2027-01-01T00:00:00Z');
  await spend(url);
  for (const day of ['2027-01-01', '2028-06-30']) {
    clock.now = Date.parse(day);
    expect((await refusal(url)).message).toBe(
      'This API key has used up its budget in total. It does not renew.',
    );
  }
});

test.each([
  ['Europe/Berlin', '2026-10-24T21:59:59Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['America/New_York', '2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
  // Its clocks are turned at midnight, so this day begins at 01:00.
  ['Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
])('a day of %s ends when it does there, also when clocks are turned', async (zone, last, first, next) => {
  const clock = { now: Date.parse(last) };
  const url = await serve({ budgetDay: 2 }, clock, zone);
  await spend(url);
  expect(await refusal(url)).toEqual({
    message: `This API key has used up its budget for today. It renews at 00:00 ${zone}.`,
    wait: 1,
  });
  clock.now = Date.parse(first);
  await spend(url);
  expect((await refusal(url)).wait).toBe((Date.parse(next) - Date.parse(first)) / 1_000);
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Niue',
];

test('days, weeks and months begin in every zone when Temporal says that they do', () => {
  const time = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2037-01-01') });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), time, (zone, now) => {
      const day = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay();
      const date = day.toPlainDate();
      const start = (plain: Temporal.PlainDate) => plain.toZonedDateTime(zone).startOfDay().epochMilliseconds;
      expect(formatDay(now, zone)).toBe(date.toString());
      expect(openCalendar(zone).day(now)).toBe(date.toString());
      expect(startOfDay(date.toString(), zone)).toBe(day.epochMilliseconds);
      expect(mondayBefore(date.toString())).toBe(date.subtract({ days: date.dayOfWeek - 1 }).toString());
      expect(nextStart('day', now, zone)).toBe(start(date.add({ days: 1 })));
      expect(nextStart('week', now, zone)).toBe(start(date.add({ days: 8 - date.dayOfWeek })));
      expect(nextStart('month', now, zone)).toBe(start(date.with({ day: 1 }).add({ months: 1 })));
    }),
    { numRuns: 300 },
  );
});

test('an unknown time zone is rejected', () => {
  const { error } = configSchema.safeParse({ usage: { timeZone: 'Berlin' } });
  expect(error?.issues[0]).toMatchObject({
    path: ['usage', 'timeZone'],
    message: 'must be an IANA time zone such as Europe/Berlin',
  });
});
