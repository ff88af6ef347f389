/** The dashboard: requests, tokens, cost and latency, by model and by key, as they come. */

import { daysChart, liveChart, rowsChart, table } from './charts.js';
import { find } from './find.js';
import { givenKey } from './given-key.js';
import { keptIn } from './kept.js';
import { count, dollars, measures, time } from './measures.js';
import { element } from './svg.js';
import { followTheme } from './theme.js';
import { gather, lastDays, Refused, readUsage } from './usage.js';

/** @import { Figures, Measure } from './measures.js' */
/** @import { Line, Report } from './usage.js' */

/** So often it is asked, in milliseconds. */
const INTERVAL = 3_000;
/** Figures of the last five minutes. */
const ROOM = 100;
/** Models with a colour of their own; what is left is one more. */
const COLOURS = 8;
/** Names a list of bars shows. */
const ROWS = 12;

const page = {
  settings: find('settings', HTMLFormElement),
  range: find('range', HTMLSelectElement),
  measure: find('measure', HTMLSelectElement),
  key: find('key', HTMLInputElement),
  theme: find('theme', HTMLButtonElement),
  status: find('status', HTMLElement),
  main: find('main', HTMLElement),
  tiles: find('tiles', HTMLElement),
  live: find('live', HTMLElement),
  now: find('live-now', HTMLElement),
  days: find('days', HTMLElement),
  legend: find('legend', HTMLElement),
  models: find('models', HTMLElement),
  keys: find('keys', HTMLElement),
  ofGroups: find('of-groups', HTMLElement),
  groups: find('groups', HTMLElement),
  table: find('table', HTMLElement),
};

const tab = keptIn(() => sessionStorage);

/** @type {{ days: readonly string[], byModel: Report, byKey: Report } | undefined} */
let shown;
/** What today came to when it was last asked, and when that was. @type {{ at: number, day: string, total: Figures } | undefined} */
let before;
/** Requests a second. @type {number[]} */
let rates = [];
/** Whatever was asked before this is not wanted any more. */
let turn = 0;
/** @type {number | undefined} */
let timer;

async function refresh() {
  clearTimeout(timer);
  turn += 1;
  const mine = turn;
  const key = page.key.value.trim();
  if (!key) {
    forget();
    return say('Enter the admin key: the value of GATEWAY_ADMIN_KEY, or admin.key in the configuration.');
  }
  const days = lastDays(Number(page.range.value));
  const [from = '', to = ''] = [days[0], days.at(-1)];
  try {
    const [byModel, byKey, today] = await Promise.all([
      readUsage(key, { from, to, by: ['day', 'model'] }),
      readUsage(key, { from, to, by: ['group', 'key'] }),
      readUsage(key, { from: to, to, by: ['model'] }),
    ]);
    if (mine !== turn) return;
    tab.set('admin-key', key);
    shown = { days, byModel, byKey };
    noteNow(to, today.total);
    say('');
    draw();
  } catch (error) {
    if (mine !== turn) return;
    say(error instanceof Error ? error.message : String(error));
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) return forget();
  }
  timer = setTimeout(refreshIfSeen, INTERVAL);
}

/** Whoever takes the key away, or gives a wrong one, has no figures left to see, nor the key after a reload. */
function forget() {
  tab.set('admin-key', '');
  shown = undefined;
  before = undefined;
  rates = [];
  page.main.hidden = true;
}

/** A page that nobody sees asks nothing. */
function refreshIfSeen() {
  if (document.hidden) return;
  void refresh();
}

/**
 * @param {string} day
 * @param {Figures} total
 */
function noteNow(day, total) {
  const at = performance.now();
  if (before !== undefined && before.day === day) {
    const seconds = (at - before.at) / 1_000;
    rates.push(Math.max(0, total.requests - before.total.requests) / seconds);
    rates = rates.slice(-ROOM);
    const tokens = Math.max(0, total.output_tokens - before.total.output_tokens) / seconds;
    page.now.textContent = `${rate(rates.at(-1) ?? 0)} requests per second, ${rate(tokens)} output tokens per second`;
  }
  before = { at, day, total };
}

/** @param {number} value */
function rate(value) {
  return value >= 10 ? count(value) : String(Number(value.toPrecision(2)));
}

function draw() {
  if (shown === undefined) return;
  const { days, byModel, byKey } = shown;
  const measure = measures.find(({ name }) => name === page.measure.value) ?? chosenFirst();
  const models = gather(byModel.lines, modelOf);
  const ranked = rank(models, measure);
  const coloured = ranked.slice(0, COLOURS).map(({ name }) => name);
  /** @param {string} name */
  const colourOf = (name) => (coloured.includes(name) ? `c${coloured.indexOf(name)}` : 'rest');

  // What is hidden has no width yet.
  page.main.hidden = false;
  page.tiles.replaceChildren(...tilesOf(byModel.total));
  page.live.replaceChildren(
    liveChart(rates, ROOM, {
      width: widthOf(page.live),
      label: 'Requests per second in the last five minutes',
    }),
  );
  drawDays(days, byModel.lines, measure, coloured);
  page.models.replaceChildren(...rowsOf(ranked, measure, 'model', widthOf(page.models), colourOf));
  drawKeys(page.keys, 'key', byKey.lines, measure);
  // Where no key is of a group there is nothing to show.
  page.ofGroups.hidden = !byKey.lines.some((line) => line.group);
  if (!page.ofGroups.hidden) drawKeys(page.groups, 'group', byKey.lines, measure);
  page.table.replaceChildren(tableOf(ranked.map(({ name, figures }) => [name, figures])));
  if (byModel.more || byKey.more) say('Not all models and keys are shown; the totals include them all.');
}

/**
 * @param {HTMLElement} place
 * @param {'key' | 'group'} by
 * @param {readonly Line[]} lines
 * @param {Measure} measure
 */
function drawKeys(place, by, lines, measure) {
  const ranked = rank(
    gather(lines, (line) => line[by] ?? '(none)'),
    measure,
  );
  place.replaceChildren(...rowsOf(ranked, measure, by, widthOf(place), () => 'c0'));
}

/** A picture is drawn as wide as its place, so that its letters are as large as any. @param {HTMLElement} place */
function widthOf(place) {
  return Math.max(280, place.clientWidth);
}

/** @returns {Measure} */
function chosenFirst() {
  const [first] = measures;
  if (first === undefined) throw new Error('There is nothing to show.');
  return first;
}

/** @param {Line} line */
function modelOf(line) {
  return line.model ?? '(none)';
}

/**
 * By the measure, the largest first; those that have none of it are left out.
 * @param {Map<string, Figures>} gathered
 * @param {Measure} measure
 */
function rank(gathered, measure) {
  return [...gathered]
    .map(([name, figures]) => ({ name, figures, value: measure.of(figures) }))
    .filter(({ value }) => value !== null && value > 0)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/**
 * @param {readonly string[]} days
 * @param {readonly Line[]} lines
 * @param {Measure} measure
 * @param {readonly string[]} coloured
 */
function drawDays(days, lines, measure, coloured) {
  /** @param {(name: string) => boolean} included */
  const valuesOf = (included) => {
    const byDay = gather(
      lines.filter((line) => included(modelOf(line))),
      (line) => line.day ?? '',
    );
    return days.map((day) => {
      const figures = byDay.get(day);
      return figures === undefined ? null : measure.of(figures);
    });
  };
  const series = coloured.map((name, at) => ({
    name,
    className: `c${at}`,
    values: valuesOf((model) => model === name),
  }));
  const rest = {
    name: 'all others',
    className: 'rest',
    values: valuesOf((model) => !coloured.includes(model)),
  };
  if (measure.adds && rest.values.some((value) => value)) series.push(rest);
  page.days.replaceChildren(
    daysChart(days, series, {
      width: widthOf(page.days),
      stacked: measure.adds,
      label: measure.label,
      write: measure.write,
    }),
  );
  page.legend.replaceChildren(
    ...series.map(({ name, className }) =>
      element('li', {}, element('span', { className: `dot ${className}` }), name),
    ),
  );
}

/**
 * The first rows, and how many there are beside them.
 * @param {readonly { name: string, value: number | null }[]} ranked
 * @param {Measure} measure
 * @param {string} of
 * @param {number} width
 * @param {(name: string) => string} colourOf
 * @returns {(HTMLElement | SVGElement)[]}
 */
function rowsOf(ranked, measure, of, width, colourOf) {
  if (ranked.length === 0) return [element('p', { className: 'none', text: 'Nothing in this range.' })];
  const rows = ranked
    .slice(0, ROWS)
    .map(({ name, value }) => ({ name, value: value ?? 0, className: colourOf(name) }));
  const chart = rowsChart(rows, { width, label: `${measure.label} by ${of}`, write: measure.write });
  const more = ranked.length - ROWS;
  return more > 0 ? [chart, element('p', { className: 'none', text: `and ${more} more` })] : [chart];
}

/** @param {Figures} total */
function tilesOf(total) {
  const failed = total.requests === 0 ? 0 : (100 * total.errors) / total.requests;
  return /** @type {const} */ ([
    ['requests', count(total.requests), `${failed.toFixed(failed < 10 ? 1 : 0)}% errors`],
    ['tokens in', count(total.input_tokens), `${count(total.cache_read_tokens)} from cache`],
    ['tokens out', count(total.output_tokens), `${count(total.reasoning_tokens)} reasoning`],
    [
      'cost',
      dollars(total.cost),
      total.estimated_cost > 0
        ? `plus ${dollars(total.estimated_cost)} estimated`
        : total.uncounted > 0
          ? `${count(total.uncounted)} answers without usage data`
          : 'all answers',
    ],
    [
      'mean latency, all requests',
      total.mean_duration === null ? '–' : time(total.mean_duration),
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

/** @param {readonly (readonly [string, Figures])[]} rows */
function tableOf(rows) {
  return table(
    ['model', 'requests', 'errors', 'in', 'cached', 'out', 'reasoning', 'cost', 'duration', 'first byte'],
    rows.map(([name, figures]) => [
      name,
      count(figures.requests),
      count(figures.errors),
      count(figures.input_tokens),
      count(figures.cache_read_tokens),
      count(figures.output_tokens),
      count(figures.reasoning_tokens),
      dollars(figures.cost),
      figures.mean_duration === null ? '–' : time(figures.mean_duration),
      figures.mean_first_byte === null ? '–' : time(figures.mean_first_byte),
    ]),
  );
}

/** @param {string} text */
function say(text) {
  page.status.textContent = text;
}

page.measure.replaceChildren(...measures.map(({ name, label }) => new Option(label, name)));
page.settings.addEventListener('submit', (event) => {
  event.preventDefault();
  void refresh();
});
page.key.addEventListener('change', () => void refresh());
page.range.addEventListener('change', () => void refresh());
page.measure.addEventListener('change', draw);
document.addEventListener('visibilitychange', refreshIfSeen);
window.addEventListener('resize', draw);

followTheme(page.theme);
page.key.value = givenKey() ?? tab.get('admin-key') ?? '';
if (!page.key.value) page.key.focus();
void refresh();
