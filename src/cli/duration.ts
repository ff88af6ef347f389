/** Durations as they are written on a command line. */

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `90s`, `30m`, `12h`, `30d`, `2w` in milliseconds; undefined for anything else. */
export function millisecondsOf(said: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(said) ?? [];
  const size = UNITS[unit];
  return size === undefined ? undefined : Number(count) * size;
}
