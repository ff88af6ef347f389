/** Days as stacked bars or as lines. */

import { LEFT, RIGHT } from './margins.js';
import { scale, svg } from './svg.js';

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} className its colour
 * @property {readonly (number | null)[]} values one a day; null if the day has none
 */

/**
 * @typedef {object} Axes
 * @property {number} step the width of a day
 * @property {(at: number) => number} x the left edge of a day
 * @property {(value: number) => number} y
 */

const HEIGHT = 260;
const TOP = 10;
const BOTTOM = 24;
/** The least width of a day with its label. */
const LABEL = 90;

/**
 * @param {readonly string[]} days as `YYYY-MM-DD`
 * @param {readonly Series[]} series
 * @param {{ width: number, stacked: boolean, label: string, write: (value: number) => string }} options `width` in CSS
 *   pixels
 */
export function daysChart(days, series, { width, stacked, label, write }) {
  const totals = days.map((_, at) => {
    const values = series.map(({ values }) => values[at] ?? 0);
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  const { top, steps } = scale(Math.max(0, ...totals));
  const step = (width - LEFT - RIGHT) / Math.max(1, days.length);
  /** @type {Axes} */
  const axes = {
    step,
    x: (at) => LEFT + at * step,
    y: (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM),
  };
  const { x, y } = axes;

  const picture = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', class: 'chart' });
  picture.append(svg('title', {}, `${label} by day and model`));
  for (const value of getTicks(top, steps, write)) {
    picture.append(
      svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, write(value)),
    );
  }
  const every = Math.ceil(days.length / (width / LABEL));
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
  picture.append(
    ...(stacked ? renderBars(days, series, axes, write) : renderLines(days, series, axes, write)),
  );
  return picture;
}

/**
 * The values on the vertical axis. There are fewer than `most` steps if two values would read the same: half a request
 * does not exist.
 * @param {number} top
 * @param {number} most
 * @param {(value: number) => string} write
 */
function getTicks(top, most, write) {
  for (let steps = most; steps > 1; steps = Math.floor(steps / 2)) {
    const ticks = Array.from({ length: steps + 1 }, (_, at) => (top / steps) * at);
    if (new Set(ticks.map(write)).size === ticks.length) return ticks;
  }
  return [0, top];
}

/**
 * @param {readonly string[]} days
 * @param {readonly Series[]} series
 * @param {Axes} axes
 * @param {(value: number) => string} write
 */
function renderBars(days, series, { step, x, y }, write) {
  /** The height that each day's bar has so far, as a value. */
  const heights = days.map(() => 0);
  /** @type {SVGElement[]} */
  const bars = [];
  for (const { name, className, values } of series) {
    for (const [at, day] of days.entries()) {
      const value = values[at] ?? 0;
      if (value <= 0) continue;
      const from = heights[at] ?? 0;
      heights[at] = from + value;
      bars.push(
        svg(
          'rect',
          {
            class: className,
            x: x(at) + step * 0.1,
            width: step * 0.8,
            y: y(from + value),
            height: Math.max(0.5, y(from) - y(from + value)),
          },
          svg('title', {}, `${day} ${name}: ${write(value)}`),
        ),
      );
    }
  }
  return bars;
}

/**
 * @param {readonly string[]} days
 * @param {readonly Series[]} series
 * @param {Axes} axes
 * @param {(value: number) => string} write
 */
function renderLines(days, series, { step, x, y }, write) {
  /** @type {SVGElement[]} */
  const marks = [];
  for (const { name, className, values } of series) {
    /** @type {string[]} */
    const points = [];
    for (const [at, day] of days.entries()) {
      const value = values[at];
      if (value === null || value === undefined) continue;
      points.push(`${x(at) + step / 2},${y(value)}`);
      marks.push(
        svg(
          'circle',
          { class: className, cx: x(at) + step / 2, cy: y(value), r: 3.5 },
          svg('title', {}, `${day} ${name}: ${write(value)}`),
        ),
      );
    }
    marks.push(svg('polyline', { class: `${className} line`, points: points.join(' ') }));
  }
  return marks;
}
