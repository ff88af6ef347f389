/** The periods of budgets: which one is present, and when the next one begins. */

import { addDays, formatDay, mondayBefore, startOfDay } from '../../lib/calendar.ts';
import { BUDGETS, type KeyLimits, type Period } from '../../store/keys/key-limits.ts';

/** A name for each period that a day is in. Different periods have different names. */
export type Periods = Readonly<Record<Period, string>>;

/** @param day YYYY-MM-DD. */
export function getPeriods(day: string): Periods {
  return { day, week: `week-${mondayBefore(day)}`, month: day.slice(0, 7), total: 'total' };
}

/** The first day of each period that a day is in. A total has none. */
export function firstDays(day: string): { readonly week: string; readonly month: string } {
  return { week: mondayBefore(day), month: `${day.slice(0, 7)}-01` };
}

/**
 * When a new period begins, in milliseconds since 1970; undefined for a total.
 * @param now milliseconds since 1970.
 */
export function nextStart(period: Period, now: number, zone: string): number | undefined {
  const day = formatDay(now, zone);
  switch (period) {
    case 'day':
      return startOfDay(addDays(day, 1), zone);
    case 'week':
      return startOfDay(addDays(mondayBefore(day), 7), zone);
    case 'month':
      // A month has at most 31 days, so that many days after its first one is in the next.
      return startOfDay(`${addDays(`${day.slice(0, 7)}-01`, 31).slice(0, 7)}-01`, zone);
    case 'total':
      return undefined;
  }
}

/** The periods that processes share for these limits. Those of a day and a month always: earlier versions count them. */
export function sharedPeriods(limits: KeyLimits): readonly Period[] {
  const further = (['week', 'total'] as const).filter((period) => limits[BUDGETS[period]] !== undefined);
  return ['day', 'month', ...further];
}
