/** The usage reports of the admin API. */

import { reach } from './reach.js';

/** @import { Figures } from './measures.js' */

/**
 * A line holds the figures of one combination of the names that a report groups by. `more` says whether the gateway
 * left out lines. `total` includes them.
 * @typedef {Figures & { day?: string, group?: string | null, key?: string | null, model?: string | null }} Line
 * @typedef {{ lines: readonly Line[], total: Figures, more: boolean }} Report
 */

/** An error response of the gateway, with its HTTP status. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} key the admin key
 * @param {{ from: string, to: string, by: readonly ('day' | 'model' | 'key' | 'group')[] }} query UTC days as
 *   `YYYY-MM-DD`, both included, and the names to group by
 * @returns {Promise<Report>}
 * @throws Refused if the gateway answers with an error
 * @throws Error if the gateway cannot be reached
 */
export async function readUsage(key, { from, to, by }) {
  const parameters = new URLSearchParams({ from, to, by: by.join(','), limit: '10000' });
  const response = await reach(`/admin/usage?${parameters}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Refused(response.status, await readError(response));
  const { data, total, has_more: more } = await response.json();
  return { lines: data, total, more };
}

/** @param {Response} response */
async function readError(response) {
  const text = await response.text();
  try {
    return `${response.status}: ${JSON.parse(text).error.message}`;
  } catch {
    return `${response.status} ${response.statusText}`;
  }
}

/**
 * @param {number} count
 * @param {number} [now] milliseconds since 1970
 * @returns {string[]} the last `count` UTC days as `YYYY-MM-DD`, today the last
 */
export function lastDays(count, now = Date.now()) {
  return Array.from({ length: count }, (_, at) =>
    new Date(now - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10),
  );
}

/**
 * @param {Line} line
 * @returns {string} the model of a line; `(none)` for requests without one
 */
export function getModelName(line) {
  return line.model ?? '(none)';
}

/**
 * Combines the lines that have the same name. Sums are added, means are weighted by requests.
 * @param {readonly Line[]} lines
 * @param {(line: Line) => string} getName
 * @returns {Map<string, Figures>}
 */
export function gather(lines, getName) {
  /** @type {Map<string, Figures>} */
  const gathered = new Map();
  for (const line of lines) {
    const name = getName(line);
    const known = gathered.get(name);
    gathered.set(name, known === undefined ? line : add(known, line));
  }
  return gathered;
}

/**
 * @param {Figures} one
 * @param {Figures} other
 * @returns {Figures}
 */
function add(one, other) {
  /** @param {'mean_duration' | 'mean_first_byte'} name */
  const mean = (name) => {
    const [a, b] = [one[name], other[name]];
    if (a === null || b === null) return a ?? b;
    return (a * one.requests + b * other.requests) / Math.max(1, one.requests + other.requests);
  };
  return {
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    uncounted: one.uncounted + other.uncounted,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
    cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
    cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
    cost: one.cost + other.cost,
    estimated_cost: one.estimated_cost + other.estimated_cost,
    mean_duration: mean('mean_duration'),
    mean_first_byte: mean('mean_first_byte'),
  };
}
