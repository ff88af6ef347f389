/** The days of reports. They are those of the gateway's clock and time zone, which may not be the browser's. */

import type { Session } from '../session/session.ts';
import { askAdmin } from './ask-admin.ts';
import type { Figures, Report } from './figures.ts';

const DAY = 86_400_000;

/** Days that a report covers, by its first and its last one, as `YYYY-MM-DD`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface Range {
  readonly name: string;
  /** @param today as the gateway has it */
  readonly period: (today: string) => Period;
}

const upTo =
  (days: number) =>
  (today: string): Period => ({ from: addDays(today, 1 - days), to: today });

export const RANGES: readonly Range[] = [
  { name: 'today', period: upTo(1) },
  { name: '7 days', period: upTo(7) },
  { name: '30 days', period: upTo(30) },
  { name: '90 days', period: upTo(90) },
  { name: 'this month', period: (today) => ({ from: startOfMonth(today), to: today }) },
  {
    name: 'last month',
    period(today) {
      const to = addDays(startOfMonth(today), -1);
      return { from: startOfMonth(to), to };
    },
  },
];

/** What the gateway has recorded up to the day that it has now. */
export interface Latest {
  readonly today: string;
  /** The sum of the last 30 days. */
  readonly total: Figures;
}

/**
 * Asks for the day that the gateway has now, which is the last one of a report for which no days are asked, and for the
 * sum of that report. A sum by day is the one that costs the gateway least.
 */
export async function askLatest(session: Session, isSimulated = false): Promise<Latest> {
  const asked = new URLSearchParams({ by: 'day', limit: '1', simulated: String(isSimulated) });
  const { to, total } = await askAdmin<Period & Report>(session, 'GET', `/admin/usage?${asked}`);
  return { today: to, total };
}

/** All days of a period. */
export function listDays({ from, to }: Period): readonly string[] {
  const number = (Date.parse(to) - Date.parse(from)) / DAY + 1;
  return Array.from({ length: number }, (_, at) => addDays(from, at));
}

/** The first day of a day's month. */
export function startOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`;
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
}
