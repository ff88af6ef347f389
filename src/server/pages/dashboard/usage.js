/** What the admin's API tells of usage. */

import { reach } from './reach.js';

/** @import { Figures } from './measures.js' */

/**
 * @typedef {Figures & { day?: string, group?: string | null, key?: string | null, model?: string | null }} Line
 * @typedef {{ lines: readonly Line[], total: Figures, more: boolean }} Report
 */

/** An answer that is none, with its status. */
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
 * @param {string} key the admin's
 * @param {{ from: string, to: string, by: readonly ('day' | 'model' | 'key' | 'group')[] }} asked days of UTC, both included
 * @returns {Promise<Report>}
 */
export async function readUsage(key, { from, to, by }) {
  const query = new URLSearchParams({ from, to, by: by.join(','), limit: '10000' });
  const response = await reach(`/admin/usage?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Refused(response.status, await reasonOf(response));
  const { data, total, has_more: more } = await response.json();
  return { lines: data, total, more };
}

/** @param {Response} response */
async function reasonOf(response) {
  const text = await response.text();
  try {
    return `${response.status}: ${JSON.parse(text).error.message}`;
  } catch {
    return `${response.status} ${response.statusText}`;
  }
}

/**
 * The last `count` days of UTC, today the last.
 * @param {number} count
 * @param {number} [now] milliseconds since 1970
 */
export function lastDays(count, now = Date.now()) {
  return Array.from({ length: count }, (_, at) =>
    new Date(now - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10),
  );
}

/**
 * Lines with the same name made one: sums added, means weighed by requests.
 * @param {readonly Line[]} lines
 * @param {(line: Line) => string} nameOf
 * @returns {Map<string, Figures>}
 */
export function gather(lines, nameOf) {
  /** @type {Map<string, Figures>} */
  const gathered = new Map();
  for (const line of lines) {
    const name = nameOf(line);
    const known = gathered.get(name);
    gathered.set(name, known === undefined ? line : added(known, line));
  }
  return gathered;
}

/**
 * @param {Figures} one
 * @param {Figures} other
 * @returns {Figures}
 */
function added(one, other) {
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
