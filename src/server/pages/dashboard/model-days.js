/** The usage of each day, divided by model. */

import { daysChart } from './days-chart.js';
import { getChartWidth, page } from './page.js';
import { element } from './svg.js';
import { gather, getModelName } from './usage.js';

/** @import { Measure } from './measures.js' */
/** @import { Line } from './usage.js' */

/**
 * Draws the chart and its legend. The models without a colour of their own are one series; a mean of several models is
 * not known, so a measure that does not add up has no such series.
 * @param {readonly string[]} days
 * @param {readonly Line[]} lines one a day and model
 * @param {Measure} measure
 * @param {readonly string[]} coloured the models with a colour of their own
 */
export function drawModelDays(days, lines, measure, coloured) {
  /** @param {(model: string) => boolean} isIncluded */
  const getValues = (isIncluded) => {
    const byDay = gather(
      lines.filter((line) => isIncluded(getModelName(line))),
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
    values: getValues((model) => model === name),
  }));
  const rest = {
    name: 'all others',
    className: 'rest',
    values: getValues((model) => !coloured.includes(model)),
  };
  if (measure.adds && rest.values.some((value) => value)) series.push(rest);
  page.days.replaceChildren(
    daysChart(days, series, {
      width: getChartWidth(page.days),
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
