/**
 * Days of a time zone, and times in UTC. A calendar remembers the day and the second of its last call, which in a running
 * process are nearly always those of the next one: to make an ISO string from a Date takes four times as long, and a day
 * of another zone twenty times.
 */

export interface Calendar {
  /** The day of a time in the calendar's zone, YYYY-MM-DD. @param time milliseconds since 1970 */
  day(time: number): string;
  /** A time to the millisecond in RFC 3339 format: 2026-01-31T23:59:59.999Z. @param time milliseconds since 1970 */
  instant(time: number): string;
}

const SECOND = 1_000;
const QUARTER = 900_000;
const DAY = 86_400_000;

/** Zones are at most 14 hours before UTC and 12 after it. */
const MAX_OFFSET = 15 * 4 * QUARTER;

/**
 * Makes a calendar that remembers nothing yet.
 * @param zone an IANA time zone. @throws RangeError if there is no such zone.
 */
export function openCalendar(zone = 'UTC'): Calendar {
  const day = isUtc(zone) ? remembering(DAY, formatDay) : remembering(QUARTER, dayFormatter(zone));
  /** All but the milliseconds. */
  const second = remembering(SECOND, (time) => new Date(time).toISOString().slice(0, -4));
  return {
    day,
    instant(time) {
      const milliseconds = Math.floor(time) % SECOND;
      return `${second(time)}${String(milliseconds).padStart(3, '0')}Z`;
    },
  };
}

/** The day in a time zone, YYYY-MM-DD. @param time milliseconds since 1970 */
export function formatDay(time: number, zone = 'UTC'): string {
  return isUtc(zone) ? new Date(time).toISOString().slice(0, 10) : dayFormatter(zone)(time);
}

/** Whether there is such a time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * When a day begins in a time zone, in milliseconds since 1970. Where clocks are turned at midnight, that may be later
 * than 00:00.
 */
export function startOfDay(day: string, zone = 'UTC'): number {
  const midnight = Date.parse(day);
  if (isUtc(zone)) return midnight;
  const dayInZone = dayFormatter(zone);
  // In every zone days begin, and clocks are turned, at a quarter of an hour. So the first quarter of the day is sought.
  let [before, from] = [midnight - MAX_OFFSET, midnight + MAX_OFFSET];
  while (from - before > QUARTER) {
    const middle = before + Math.ceil((from - before) / 2 / QUARTER) * QUARTER;
    if (dayInZone(middle) < day) before = middle;
    else from = middle;
  }
  return from;
}

/** The day that is so many days later. */
export function addDays(day: string, days: number): string {
  return formatDay(Date.parse(day) + days * DAY);
}

/** The Monday of a day's week (ISO 8601). */
export function mondayBefore(day: string): string {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
}

function isUtc(zone: string): boolean {
  return zone === 'UTC';
}

/** Node 22 has no `Temporal` yet, and Sweden writes dates as ISO 8601 does. */
function dayFormatter(zone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => format.format(time);
}

/** Caches the last result of `say`, which must be the same for all times of a period. @param period milliseconds */
function remembering(period: number, say: (time: number) => string): (time: number) => string {
  let said = '';
  let from = Number.NaN;
  return (time) => {
    if (time >= from && time < from + period) return said;
    said = say(time);
    from = Math.floor(time / period) * period;
    return said;
  };
}
