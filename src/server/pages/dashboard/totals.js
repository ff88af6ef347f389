/** Figures as tiles, and as a table of models. */

import { count, dollars, time } from './measures.js';
import { element } from './svg.js';

/** @import { Figures } from './measures.js' */

/**
 * The tiles at the top of the page.
 * @param {Figures} total
 */
export function renderTiles(total) {
  const failed = total.requests === 0 ? 0 : (100 * total.errors) / total.requests;
  return /** @type {const} */ ([
    ['requests', count(total.requests), `${failed.toFixed(failed < 10 ? 1 : 0)}% errors`],
    ['tokens in', count(total.input_tokens), `${count(total.cache_read_tokens)} from cache`],
    ['tokens out', count(total.output_tokens), `${count(total.reasoning_tokens)} reasoning`],
    ['cost', dollars(total.cost), describeCost(total)],
    [
      'mean latency, all requests',
      writeTime(total.mean_duration),
      total.mean_first_byte === null ? '' : `${time(total.mean_first_byte)} to the first byte`,
    ],
  ]).map(([label, value, note]) =>
    element(
      'div',
      { className: 'tile' },
      element('span', { text: label }),
      element('strong', { text: value }),
      element('small', { text: note }),
    ),
  );
}

/**
 * What the cost does not include.
 * @param {Figures} total
 */
function describeCost({ estimated_cost: estimated, uncounted }) {
  if (estimated > 0) return `plus ${dollars(estimated)} estimated`;
  return uncounted > 0 ? `${count(uncounted)} answers without usage data` : 'all answers';
}

/**
 * A table with a row for each model.
 * @param {readonly { name: string, figures: Figures }[]} models
 */
export function renderTable(models) {
  return table(
    ['model', 'requests', 'errors', 'in', 'cached', 'out', 'reasoning', 'cost', 'duration', 'first byte'],
    models.map(({ name, figures }) => [
      name,
      count(figures.requests),
      count(figures.errors),
      count(figures.input_tokens),
      count(figures.cache_read_tokens),
      count(figures.output_tokens),
      count(figures.reasoning_tokens),
      dollars(figures.cost),
      writeTime(figures.mean_duration),
      writeTime(figures.mean_first_byte),
    ]),
  );
}

/** @param {number | null} milliseconds null if there was nothing to measure */
function writeTime(milliseconds) {
  return milliseconds === null ? '–' : time(milliseconds);
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { text })))),
    element(
      'tbody',
      {},
      ...rows.map((row) => element('tr', {}, ...row.map((text) => element('td', { text })))),
    ),
  );
}
