/**
 * Times as UTC says them. A calendar remembers the day and the second it was asked for last, which in a running process
 * are nearly always the ones it is asked for next: to make an ISO string of a Date takes four times as long.
 */

export interface Calendar {
  /** The day of a time, YYYY-MM-DD. @param time milliseconds since 1970 */
  day(time: number): string;
  /** A time to the millisecond, as RFC 3339 has it: 2026-01-31T23:59:59.999Z. */
  instant(time: number): string;
}

const SECOND = 1_000;
const DAY = 86_400_000;

/** A calendar that was asked for nothing yet. */
export function openCalendar(): Calendar {
  const day = remembering(DAY, dayOf);
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

/** The day of UTC, YYYY-MM-DD. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The same as `say`, which says the same of all times of a period. */
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
