/** The rate of the last minutes, as a line. */

import { LEFT, RIGHT } from './margins.js';
import { scale, svg } from './svg.js';

/**
 * @param {readonly number[]} values per second, one every few seconds, the newest last
 * @param {number} room the most values that there can be
 * @param {{ width: number, label: string }} options `width` in CSS pixels
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
