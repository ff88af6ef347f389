/**
 * When a key has had exchanges, by the sums of its days. Exchanges are indexed by time only, so a list for a key that has
 * few of them, or none, would read all that are kept.
 */

import { addDays, formatDay } from '../../lib/calendar.ts';
import type { Store } from '../../store/store.ts';

/** A span of time in milliseconds since 1970, without its end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const DAY = 86_400_000;

/** The most days that are looked for in the sums. Each takes one look into their index. */
const MAX_DAYS = 400;

/**
 * Finds spans that have all exchanges of a key, the latest first and apart from each other. A span has a day more on either
 * side than the sums have, because their days are those of a time zone, and the operator may have changed that.
 */
export async function findKeySpans({ db }: Pick<Store, 'db'>, key: string): Promise<readonly Span[]> {
  const byTime = db.selectFrom('gateway_exchanges').select(['time', 'day']).limit(1);
  const first = await byTime.orderBy('time').executeTakeFirst();
  const last = await byTime.orderBy('time', 'desc').executeTakeFirst();
  if (first === undefined || last === undefined) return [];
  const sums = db.selectFrom('gateway_usage_days');
  const summed = await sums.select('day').orderBy('day').limit(1).executeTakeFirst();
  const end = addDays(formatDay(last.time), 1);
  const limit = addDays(end, -MAX_DAYS);
  // Sums may be deleted before the exchanges are (`usage.keepSumDays`).
  const from = latest([limit, addDays(first.day, -1), summed?.day ?? end]);
  const days = await sums
    .select('day')
    .distinct()
    .where('key', '=', key)
    .where('day', 'in', daysFrom(from, end))
    .orderBy('day', 'desc')
    .execute();
  const spans = days.map(({ day }) => spanAround(day));
  if (first.day < from) spans.push({ start: first.time, end: spanAround(from).end });
  return joinSpans(spans);
}

function latest(days: readonly string[]): string {
  return days.reduce((one, other) => (one > other ? one : other));
}

function daysFrom(first: string, last: string): readonly string[] {
  const length = Math.max(1, (Date.parse(last) - Date.parse(first)) / DAY + 1);
  return Array.from({ length }, (_, at) => addDays(first, at));
}

/** The times that can be on a day in some time zone. */
function spanAround(day: string): Span {
  const midnight = Date.parse(day);
  return { start: midnight - DAY, end: midnight + 2 * DAY };
}

/** @param spans the latest first; they may overlap. */
function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const later = joined.at(-1);
    if (later === undefined || span.end < later.start) joined.push(span);
    else joined[joined.length - 1] = { start: Math.min(span.start, later.start), end: later.end };
  }
  return joined;
}
