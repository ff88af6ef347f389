/** The charts of a usage report: what happens now, the days divided by model, and the rankings. */

import { useMemo } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { ChartView, type Series } from './chart.tsx';
import { type Dimension, gather, type Line, lineName, type Measure, type Report } from './figures.ts';
import { Fold } from './fold.tsx';
import { type LiveRates, writeRate } from './live-rates.ts';
import { FiguresTable, type Ranked, Ranking, Tiles } from './usage-parts.tsx';

/** The number of models with a colour of their own. All others share one. */
const COLOURS = 8;

export interface Reports {
  readonly days: readonly string[];
  readonly byModel: Report;
  readonly byKey: Report;
  readonly byTag: Report;
  readonly live: LiveRates;
}

/** Orders names by a measure, the largest value first. Names without a value are left out. */
function rank(lines: readonly Line[], dimension: Dimension, measure: Measure): readonly Ranked[] {
  return [...gather(lines, (line) => lineName(line, dimension))]
    .map(([name, figures]) => ({ name, figures, value: measure.of(figures) ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
}

export function Charts({
  reports,
  measure,
  session,
  timeZone,
}: {
  reports: Reports;
  measure: Measure;
  session: Session;
  /** The time zone of the days; undefined until it is known. */
  timeZone: string | undefined;
}) {
  const { days, byModel, byKey, byTag, live } = reports;
  const theme = session.theme.value;
  const models = useMemo(() => rank(byModel.data, 'model', measure), [byModel, measure]);
  const coloured = models.slice(0, COLOURS).map(({ name }) => name);
  const pickColour = (name: string): string =>
    coloured.includes(name) ? `c${coloured.indexOf(name)}` : 'rest';
  const series = useMemo(() => makeSeries(days, byModel.data, measure, coloured), [days, byModel, measure]);
  return (
    <>
      {(byModel.has_more || byKey.has_more || byTag.has_more) && (
        <p class="hint" role="status">
          Not all models and keys are shown; the totals include them all.
        </p>
      )}
      <Tiles total={byModel.total} />
      <section class="card" aria-labelledby="live-title">
        <h2 id="live-title">
          Now <small>{writeRate(live)}</small>
        </h2>
        <ChartView
          kind="line"
          label="Requests per second in the last five minutes"
          places={live.requests.map(() => '')}
          series={[{ name: 'requests per second', colour: 'c0', values: live.requests }]}
          theme={theme}
          height={110}
          write={(value) => String(Number(value.toPrecision(2)))}
        />
      </section>
      <section class="card" aria-labelledby="days-title">
        <h2 id="days-title">
          By day and model <small>{timeZone && `days of ${timeZone}`}</small>
        </h2>
        <ChartView
          kind={measure.adds ? 'bar' : 'line'}
          label={`${measure.label} by day and model`}
          places={days.map((day) => day.slice(5))}
          series={series}
          isStacked={measure.adds}
          theme={theme}
          height={280}
          write={measure.write}
        />
        <ul class="legend">
          {series.map(({ name, colour }) => (
            <li key={name}>
              <span class="dot" style={{ '--of': `var(--${colour})` }} />
              {name}
            </li>
          ))}
        </ul>
        <Fold summary="Table of days and models">
          {() => (
            <FiguresTable
              label="Usage by day and model"
              file="usage-by-day"
              lines={byModel.data}
              by={['day', 'model']}
            />
          )}
        </Fold>
      </section>
      <div class="two">
        <Ranking title="By model" ranked={models} measure={measure} colourOf={pickColour} />
        <Ranking title="By key" ranked={rank(byKey.data, 'key', measure)} measure={measure} />
        {byKey.data.some(({ group }) => group) && (
          <Ranking title="By group" ranked={rank(byKey.data, 'group', measure)} measure={measure} />
        )}
        {byTag.data.some(({ tag }) => tag) && (
          <Ranking title="By tag" ranked={rank(byTag.data, 'tag', measure)} measure={measure} />
        )}
      </div>
    </>
  );
}

/** The models without a colour of their own are one series; a mean of several models is not known. */
function makeSeries(
  days: readonly string[],
  lines: readonly Line[],
  measure: Measure,
  coloured: readonly string[],
): readonly Series[] {
  const dayValues = (isIncluded: (model: string) => boolean): readonly (number | null)[] => {
    const byDay = gather(
      lines.filter((line) => isIncluded(lineName(line, 'model'))),
      (line) => lineName(line, 'day'),
    );
    return days.map((day) => {
      const figures = byDay.get(day);
      return figures === undefined ? null : measure.of(figures);
    });
  };
  const own = coloured.map((name, at) => ({
    name,
    colour: `c${at}`,
    values: dayValues((model) => model === name),
  }));
  const rest = dayValues((model) => !coloured.includes(model));
  return measure.adds && rest.some((value) => value)
    ? [...own, { name: 'all others', colour: 'rest', values: rest }]
    : own;
}
