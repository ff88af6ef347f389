/** What can be looked at, and how its figures are written. */

/**
 * @typedef {object} Figures
 * @property {number} requests
 * @property {number} errors
 * @property {number} uncounted
 * @property {number} input_tokens
 * @property {number} output_tokens
 * @property {number} reasoning_tokens
 * @property {number} cache_read_tokens
 * @property {number} cache_write_tokens
 * @property {number} cost
 * @property {number} estimated_cost
 * @property {number | null} mean_duration
 * @property {number | null} mean_first_byte
 */

/**
 * @typedef {object} Measure
 * @property {string} name
 * @property {string} label
 * @property {boolean} adds whether the figures of several may be added up: means may not
 * @property {(figures: Figures) => number | null} of
 * @property {(value: number) => string} write
 */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** @param {number} value */
export function count(value) {
  return value < 10_000 ? whole.format(value) : short.format(value);
}

/** @param {number} value */
export function dollars(value) {
  if (value === 0) return '$0';
  return value < 1
    ? `$${value.toPrecision(2)}`
    : `$${value < 1_000 ? value.toFixed(2) : short.format(value)}`;
}

/** @param {number} value milliseconds */
export function time(value) {
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toPrecision(3)} s`;
}

/** @type {readonly Measure[]} */
export const measures = [
  { name: 'requests', label: 'requests', adds: true, of: (figures) => figures.requests, write: count },
  {
    name: 'tokens',
    label: 'tokens (in and out)',
    adds: true,
    of: (figures) => figures.input_tokens + figures.output_tokens,
    write: count,
  },
  { name: 'cost', label: 'cost', adds: true, of: (figures) => figures.cost, write: dollars },
  { name: 'errors', label: 'errors', adds: true, of: (figures) => figures.errors, write: count },
  {
    name: 'duration',
    label: 'mean latency (all requests)',
    adds: false,
    of: (figures) => figures.mean_duration,
    write: time,
  },
  {
    name: 'first-byte',
    label: 'mean time to first byte',
    adds: false,
    of: (figures) => figures.mean_first_byte,
    write: time,
  },
];
