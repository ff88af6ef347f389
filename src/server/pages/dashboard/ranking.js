/** Models, keys or groups in the order of a measure, and as a chart of bars. */

import { rowsChart } from './rows-chart.js';
import { element } from './svg.js';

/** @import { Figures, Measure } from './measures.js' */

/** The most bars in a chart. */
const MOST_ROWS = 12;

/** @typedef {{ name: string, figures: Figures, value: number | null }} Ranked */

/**
 * Orders names by a measure, the largest value first. Names without a value are left out.
 * @param {Map<string, Figures>} gathered
 * @param {Measure} measure
 * @returns {Ranked[]}
 */
export function rank(gathered, measure) {
  return [...gathered]
    .map(([name, figures]) => ({ name, figures, value: measure.of(figures) }))
    .filter(({ value }) => value !== null && value > 0)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/**
 * A chart of the first names, and the number of the names that it leaves out.
 * @param {readonly Ranked[]} ranked
 * @param {Measure} measure
 * @param {string} kind what the names are, such as `model`
 * @param {number} width in CSS pixels
 * @param {(name: string) => string} getColour the class of a bar
 * @returns {(HTMLElement | SVGElement)[]}
 */
export function renderRanking(ranked, measure, kind, width, getColour) {
  if (ranked.length === 0) return [element('p', { className: 'none', text: 'Nothing in this range.' })];
  const rows = ranked
    .slice(0, MOST_ROWS)
    .map(({ name, value }) => ({ name, value: value ?? 0, className: getColour(name) }));
  const chart = rowsChart(rows, { width, label: `${measure.label} by ${kind}`, write: measure.write });
  const more = ranked.length - MOST_ROWS;
  return more > 0 ? [chart, element('p', { className: 'none', text: `and ${more} more` })] : [chart];
}
