/** The whole dashboard, drawn from its reports. */

import { liveChart } from './live-chart.js';
import { MOST_RATES } from './live-rates.js';
import { drawModelDays } from './model-days.js';
import { getChartWidth, page, showStatus } from './page.js';
import { rank, renderRanking } from './ranking.js';
import { renderTable, renderTiles } from './totals.js';
import { gather, getModelName } from './usage.js';

/** @import { Measure } from './measures.js' */
/** @import { Line, Report } from './usage.js' */

/** The number of models with a colour of their own. All others share one. */
const COLOURS = 8;

/** @typedef {{ days: readonly string[], byModel: Report, byKey: Report }} Reports */

/**
 * @param {Reports} reports
 * @param {readonly number[]} rates requests per second, the newest last
 * @param {Measure} measure
 */
export function drawDashboard({ days, byModel, byKey }, rates, measure) {
  const ranked = rank(gather(byModel.lines, getModelName), measure);
  const coloured = ranked.slice(0, COLOURS).map(({ name }) => name);
  /** @param {string} name */
  const getColour = (name) => (coloured.includes(name) ? `c${coloured.indexOf(name)}` : 'rest');

  // Elements have a width only once their page is visible.
  page.main.hidden = false;
  page.tiles.replaceChildren(...renderTiles(byModel.total));
  page.live.replaceChildren(
    liveChart(rates, MOST_RATES, {
      width: getChartWidth(page.live),
      label: 'Requests per second in the last five minutes',
    }),
  );
  drawModelDays(days, byModel.lines, measure, coloured);
  page.models.replaceChildren(
    ...renderRanking(ranked, measure, 'model', getChartWidth(page.models), getColour),
  );
  drawRanking(page.keys, 'key', byKey.lines, measure);
  // If no key belongs to a group, there is nothing to show.
  page.groupsCard.hidden = !byKey.lines.some((line) => line.group);
  if (!page.groupsCard.hidden) drawRanking(page.groups, 'group', byKey.lines, measure);
  page.table.replaceChildren(renderTable(ranked));
  if (byModel.more || byKey.more) {
    showStatus('Not all models and keys are shown; the totals include them all.');
  }
}

/**
 * @param {HTMLElement} host
 * @param {'key' | 'group'} kind
 * @param {readonly Line[]} lines
 * @param {Measure} measure
 */
function drawRanking(host, kind, lines, measure) {
  const gathered = gather(lines, (line) => line[kind] ?? '(none)');
  host.replaceChildren(
    ...renderRanking(rank(gathered, measure), measure, kind, getChartWidth(host), () => 'c0'),
  );
}
