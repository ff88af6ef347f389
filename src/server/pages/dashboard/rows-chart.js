/** Names as horizontal bars. */

import { svg } from './svg.js';

/**
 * Draws a bar for each name, with its value. A name that is too long for the chart is cut off.
 * @param {readonly { name: string, value: number, className: string }[]} rows `className` gives the colour
 * @param {{ width: number, label: string, write: (value: number) => string }} options `width` in CSS pixels
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
