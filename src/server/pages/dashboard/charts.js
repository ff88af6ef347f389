/** The pictures: days as stacked bars or lines, names as bars, the last minutes as a line. */

import { element, scale, svg } from './svg.js';

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} className its colour
 * @property {readonly (number | null)[]} values one a day; null where there is none
 */

const HEIGHT = 260;
const LEFT = 64;
/** Half of the last day’s name, which is in the middle under it. */
const RIGHT = 20;
const TOP = 10;
const BOTTOM = 24;

/**
 * @param {readonly string[]} days
 * @param {readonly Series[]} series
 * @param {{ width: number, stacked: boolean, label: string, write: (value: number) => string }} looks
 */
export function daysChart(days, series, { width, stacked, label, write }) {
  const totals = days.map((_, at) => {
    const values = series.map(({ values }) => values[at] ?? 0);
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const { top, steps } = scale(Math.max(0, ...totals));
  const y = (/** @type {number} */ value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT - RIGHT) / Math.max(1, days.length);
  const x = (/** @type {number} */ at) => LEFT + at * step;

  const picture = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', class: 'chart' });
  picture.append(svg('title', {}, `${label} by day and model`));
  for (const value of ticksOf(top, steps, write)) {
    picture.append(
      svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, write(value)),
    );
  }
  const every = Math.ceil(days.length / (width / 90));
  for (const [at, day] of days.entries()) {
    if ((days.length - 1 - at) % every !== 0) continue;
    picture.append(
      svg(
        'text',
        { class: 'tick', x: x(at) + step / 2, y: HEIGHT - 6, 'text-anchor': 'middle' },
        day.slice(5),
      ),
    );
  }
  if (stacked) {
    const base = days.map(() => 0);
    for (const one of series) {
      for (const [at, day] of days.entries()) {
        const value = one.values[at] ?? 0;
        if (value <= 0) continue;
        const from = base[at] ?? 0;
        base[at] = from + value;
        picture.append(
          svg(
            'rect',
            {
              class: one.className,
              x: x(at) + step * 0.1,
              width: step * 0.8,
              y: y(from + value),
              height: Math.max(0.5, y(from) - y(from + value)),
            },
            svg('title', {}, `${day} ${one.name}: ${write(value)}`),
          ),
        );
      }
    }
    return picture;
  }
  for (const one of series) {
    /** @type {string[]} */
    const points = [];
    for (const [at, day] of days.entries()) {
      const value = one.values[at];
      if (value === null || value === undefined) continue;
      points.push(`${x(at) + step / 2},${y(value)}`);
      picture.append(
        svg(
          'circle',
          { class: one.className, cx: x(at) + step / 2, cy: y(value), r: 3.5 },
          svg('title', {}, `${day} ${one.name}: ${write(value)}`),
        ),
      );
    }
    picture.append(svg('polyline', { class: `${one.className} line`, points: points.join(' ') }));
  }
  return picture;
}

/**
 * Fewer than `most` steps where two of them would read the same: of requests there are no halves.
 * @param {number} top
 * @param {number} most
 * @param {(value: number) => string} write
 */
function ticksOf(top, most, write) {
  for (let steps = most; steps > 1; steps = Math.floor(steps / 2)) {
    const ticks = Array.from({ length: steps + 1 }, (_, at) => (top / steps) * at);
    if (new Set(ticks.map(write)).size === ticks.length) return ticks;
  }
  return [0, top];
}

/**
 * Bars side by side, each with its name and its figure.
 * @param {readonly { name: string, value: number, className: string }[]} rows
 * @param {{ width: number, label: string, write: (value: number) => string }} looks
 */
export function rowsChart(rows, { width, label, write }) {
  const line = 26;
  const letters = Math.floor((width - 80) / 9);
  const height = Math.max(line, rows.length * line);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'chart' });
  picture.append(svg('title', {}, label));
  const most = Math.max(1e-12, ...rows.map(({ value }) => value));
  for (const [at, { name, value, className }] of rows.entries()) {
    const shown = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
    picture.append(
      svg(
        'g',
        {},
        svg('title', {}, `${name}: ${write(value)}`),
        svg('rect', {
          class: `${className} soft`,
          x: 0,
          y: at * line + 3,
          width: Math.max(1, (value / most) * (width - 80)),
          height: line - 6,
          rx: 3,
        }),
        svg('text', { class: 'name', x: 8, y: at * line + line / 2 + 4 }, shown),
        svg(
          'text',
          { class: 'figure', x: width - 4, y: at * line + line / 2 + 4, 'text-anchor': 'end' },
          write(value),
        ),
      ),
    );
  }
  return picture;
}

/**
 * The last minutes.
 * @param {readonly number[]} values one every few seconds, the newest last
 * @param {number} room how many there can be
 * @param {{ width: number, label: string }} looks
 */
export function liveChart(values, room, { width, label }) {
  const height = 90;
  const { top } = scale(Math.max(0, ...values));
  const step = (width - LEFT - RIGHT) / Math.max(1, room - 1);
  const y = (/** @type {number} */ value) => height - 6 - (value / top) * (height - 18);
  const points = values.map((value, at) => `${width - RIGHT - (values.length - 1 - at) * step},${y(value)}`);
  const first = width - RIGHT - Math.max(0, values.length - 1) * step;
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'chart' },
    svg('title', {}, label),
    svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y(0), y2: y(0) }),
    svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y(top), y2: y(top) }),
    svg(
      'text',
      { class: 'tick', x: LEFT - 6, y: y(top) + 4, 'text-anchor': 'end' },
      `${Number(top.toPrecision(3))}/s`,
    ),
    svg('polygon', {
      class: 'c0 area',
      points: `${first},${y(0)} ${points.join(' ')} ${width - RIGHT},${y(0)}`,
    }),
    svg('polyline', { class: 'c0 line', points: points.join(' ') }),
  );
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
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
