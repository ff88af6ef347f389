/**
 * Times in UTC. A calendar remembers the day and the second of its last call, which in a running process are nearly
 * always those of the next one: to make an ISO string from a Date takes four times as long.
 */

export interface Calendar {
  /** The day of a time, YYYY-MM-DD. @param time milliseconds since 1970 */
  day(time: number): string;
  /** A time to the millisecond in RFC 3339 format: 2026-01-31T23:59:59.999Z. @param time milliseconds since 1970 */
  instant(time: number): string;
}

const SECOND = 1_000;
const DAY = 86_400_000;

/** Makes a calendar that remembers nothing yet. */
export function openCalendar(): Calendar {
  const day = remembering(DAY, formatDay);
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

/** The day in UTC, YYYY-MM-DD. @param time milliseconds since 1970 */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
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
