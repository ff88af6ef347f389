/** The measures that the page can show, and how their values are written. */

/**
 * @typedef {object} Figures what the gateway recorded for some requests
 * @property {number} requests
 * @property {number} errors requests that failed
 * @property {number} uncounted answers without usage data
 * @property {number} input_tokens
 * @property {number} output_tokens
 * @property {number} reasoning_tokens
 * @property {number} cache_read_tokens
 * @property {number} cache_write_tokens
 * @property {number} cost US dollars
 * @property {number} estimated_cost US dollars
 * @property {number | null} mean_duration milliseconds
 * @property {number | null} mean_first_byte milliseconds
 */

/**
 * @typedef {object} Measure
 * @property {string} name
 * @property {string} label
 * @property {boolean} adds whether the values of several models may be added up, which means may not
 * @property {(figures: Figures) => number | null} of the value; null if there was nothing to measure
 * @property {(value: number) => string} write the value for the reader
 */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** @param {number} value */
export function count(value) {
  return value < 10_000 ? whole.format(value) : short.format(value);
}

/** @param {number} value US dollars */
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

/**
 * @param {string} name
 * @returns {Measure} the first measure if none has that name
 */
export function findMeasure(name) {
  const measure = measures.find((one) => one.name === name) ?? measures[0];
  if (measure === undefined) throw new Error('There is nothing to show.');
  return measure;
}
