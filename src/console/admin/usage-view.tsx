/** Usage: requests, tokens, cost and latency by day, model, key, group and tag, and what happens now. */

import { useMemo, useRef, useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { AdminView } from './admin-view.tsx';
import { askAdmin, useAdmin } from './ask-admin.ts';
import { ChartView, type Series } from './chart.tsx';
import {
  count,
  type Dimension,
  dollars,
  type Figures,
  gather,
  type Line,
  lastDays,
  MEASURES,
  type Measure,
  nameOf,
  type Report,
  time,
} from './figures.ts';
import { addRate, type LiveRates, NO_RATES, writeRate } from './live-rates.ts';
import { type Column, Table } from './table.tsx';

/** Milliseconds between two reports. */
const INTERVAL = 3_000;

/** The number of models with a colour of their own. All others share one. */
const COLOURS = 8;

/** The most rows of a chart. */
const MOST_ROWS = 12;

interface Reports {
  readonly days: readonly string[];
  readonly byModel: Report;
  readonly byKey: Report;
  readonly byTag: Report;
  readonly live: LiveRates;
}

export function UsageView({ session, onAskKey }: { session: Session; onAskKey: () => void }) {
  const [range, setRange] = useState(30);
  const [isSimulated, setSimulated] = useState(false);
  const [measure = MEASURES[0], setMeasure] = useState<Measure | undefined>(MEASURES[0]);
  const live = useRef(NO_RATES);
  const { data, problem } = useAdmin(
    session,
    `${range} ${isSimulated}`,
    async (): Promise<Reports> => {
      const days = lastDays(range);
      const [from = '', to = ''] = [days[0], days.at(-1)];
      const read = (by: readonly Dimension[], first = from) =>
        askAdmin<Report>(
          session,
          'GET',
          `/admin/usage?${new URLSearchParams({ from: first, to, by: by.join(','), limit: '10000', simulated: String(isSimulated) })}`,
        );
      const [byModel, byKey, byTag, today] = await Promise.all([
        read(['day', 'model']),
        read(['group', 'key']),
        read(['tag']),
        read(['model'], to),
      ]);
      live.current = addRate(live.current, `${to} ${isSimulated}`, today.total);
      return { days, byModel, byKey, byTag, live: live.current };
    },
    INTERVAL,
  );
  return (
    <AdminView
      title="Usage"
      session={session}
      problem={problem}
      onAskKey={onAskKey}
      actions={
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={isSimulated}
              onChange={(event) => setSimulated(event.currentTarget.checked)}
            />
            Simulated
          </label>
          <label class="field inline">
            <span>Range</span>
            <select value={range} onChange={(event) => setRange(Number(event.currentTarget.value))}>
              <option value={1}>today (UTC)</option>
              <option value={7}>7 days</option>
              <option value={30}>30 days</option>
              <option value={90}>90 days</option>
            </select>
          </label>
          <label class="field inline">
            <span>Show</span>
            <select
              value={measure?.name ?? ''}
              onChange={(event) =>
                setMeasure(MEASURES.find(({ name }) => name === event.currentTarget.value))
              }
            >
              {MEASURES.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </>
      }
    >
      {data && measure && <Charts reports={data} measure={measure} session={session} />}
    </AdminView>
  );
}

interface Ranked {
  readonly name: string;
  readonly figures: Figures;
  readonly value: number;
}

/** Orders names by a measure, the largest value first. Names without a value are left out. */
function rank(lines: readonly Line[], dimension: Dimension, measure: Measure): readonly Ranked[] {
  return [...gather(lines, (line) => nameOf(line, dimension))]
    .map(([name, figures]) => ({ name, figures, value: measure.of(figures) ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
}

function Charts({ reports, measure, session }: { reports: Reports; measure: Measure; session: Session }) {
  const { days, byModel, byKey, byTag, live } = reports;
  const theme = session.theme.value;
  const models = useMemo(() => rank(byModel.data, 'model', measure), [byModel, measure]);
  const coloured = models.slice(0, COLOURS).map(({ name }) => name);
  const colourOf = (name: string): string =>
    coloured.includes(name) ? `c${coloured.indexOf(name)}` : 'rest';
  const series = useMemo(() => seriesOf(days, byModel.data, measure, coloured), [days, byModel, measure]);
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
          By day and model <small>UTC days</small>
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
              <span class={`dot ${colour}`} />
              {name}
            </li>
          ))}
        </ul>
        <details>
          <summary>Table of days and models</summary>
          <Figured
            label="Usage by day and model"
            file="usage-by-day"
            lines={byModel.data}
            by={['day', 'model']}
          />
        </details>
      </section>
      <div class="two">
        <Ranking title="By model" ranked={models} measure={measure} theme={theme} colourOf={colourOf} />
        <Ranking title="By key" ranked={rank(byKey.data, 'key', measure)} measure={measure} theme={theme} />
        {byKey.data.some(({ group }) => group) && (
          <Ranking
            title="By group"
            ranked={rank(byKey.data, 'group', measure)}
            measure={measure}
            theme={theme}
          />
        )}
        {byTag.data.some(({ tag }) => tag) && (
          <Ranking title="By tag" ranked={rank(byTag.data, 'tag', measure)} measure={measure} theme={theme} />
        )}
      </div>
    </>
  );
}

/** The models without a colour of their own are one series; a mean of several models is not known. */
function seriesOf(
  days: readonly string[],
  lines: readonly Line[],
  measure: Measure,
  coloured: readonly string[],
): readonly Series[] {
  const valuesOf = (isIncluded: (model: string) => boolean): readonly (number | null)[] => {
    const byDay = gather(
      lines.filter((line) => isIncluded(nameOf(line, 'model'))),
      (line) => nameOf(line, 'day'),
    );
    return days.map((day) => {
      const figures = byDay.get(day);
      return figures === undefined ? null : measure.of(figures);
    });
  };
  const own = coloured.map((name, at) => ({
    name,
    colour: `c${at}`,
    values: valuesOf((model) => model === name),
  }));
  const rest = valuesOf((model) => !coloured.includes(model));
  return measure.adds && rest.some((value) => value)
    ? [...own, { name: 'all others', colour: 'rest', values: rest }]
    : own;
}

function Tiles({ total }: { total: Figures }) {
  const failed = total.requests === 0 ? 0 : (100 * total.errors) / total.requests;
  const { estimated_cost: estimated, uncounted } = total;
  const tiles = [
    ['requests', count(total.requests), `${failed.toFixed(failed < 10 ? 1 : 0)}% errors`],
    ['tokens in', count(total.input_tokens), `${count(total.cache_read_tokens)} from cache`],
    ['tokens out', count(total.output_tokens), `${count(total.reasoning_tokens)} reasoning`],
    [
      'cost',
      dollars(total.cost),
      estimated > 0
        ? `plus ${dollars(estimated)} estimated`
        : uncounted > 0
          ? `${count(uncounted)} answers without usage data`
          : 'all answers',
    ],
    [
      'mean latency, all requests',
      time(total.mean_duration),
      total.mean_first_byte === null ? '' : `${time(total.mean_first_byte)} to the first byte`,
    ],
  ] as const;
  return (
    <section class="tiles" aria-label="In this range">
      {tiles.map(([label, value, note]) => (
        <div class="tile" key={label}>
          <span>{label}</span>
          <strong>{value}</strong>
          <small>{note}</small>
        </div>
      ))}
    </section>
  );
}

function Ranking({
  title,
  ranked,
  measure,
  theme,
  colourOf = () => 'c0',
}: {
  title: string;
  ranked: readonly Ranked[];
  measure: Measure;
  theme: 'light' | 'dark';
  colourOf?: (name: string) => string;
}) {
  const shown = ranked.slice(0, MOST_ROWS);
  const most = Math.max(...shown.map(({ value }) => value));
  const more = ranked.length - shown.length;
  return (
    <section class="card" aria-label={title} data-theme-of={theme}>
      <h2>{title}</h2>
      {shown.length === 0 && <p class="none">Nothing in this range.</p>}
      <ul class="ranking">
        {shown.map(({ name, value }) => (
          <li key={name}>
            <span class="name">{name}</span>
            <span class="figure">{measure.write(value)}</span>
            <meter
              class={colourOf(name)}
              min={0}
              max={most}
              value={value}
              aria-label={`${measure.label} of ${name}`}
            >
              {measure.write(value)}
            </meter>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="none">and {more} more</p>}
      <details>
        <summary>Table</summary>
        <Figured
          label={`${title}, in figures`}
          file={`usage-${title.toLowerCase().replaceAll(' ', '-')}`}
          lines={ranked.map(({ name, figures }) => ({ ...figures, model: name }))}
          by={['model']}
          heading={title.replace('By ', '')}
        />
      </details>
    </section>
  );
}

function Figured({
  label,
  file,
  lines,
  by,
  heading,
}: {
  label: string;
  file: string;
  lines: readonly Line[];
  by: readonly Dimension[];
  /** The name of the only column of names, if it is not that of `by`. */
  heading?: string;
}) {
  const columns: readonly Column<Line>[] = [
    ...by.map((dimension) => ({
      name: heading ?? dimension,
      value: (line: Line) => nameOf(line, dimension),
    })),
    { name: 'requests', value: (line) => line.requests, show: (line) => count(line.requests) },
    { name: 'errors', value: (line) => line.errors, show: (line) => count(line.errors) },
    { name: 'in', value: (line) => line.input_tokens, show: (line) => count(line.input_tokens) },
    {
      name: 'cached',
      value: (line) => line.cache_read_tokens,
      show: (line) => count(line.cache_read_tokens),
    },
    { name: 'out', value: (line) => line.output_tokens, show: (line) => count(line.output_tokens) },
    {
      name: 'reasoning',
      value: (line) => line.reasoning_tokens,
      show: (line) => count(line.reasoning_tokens),
    },
    { name: 'cost', value: (line) => line.cost, show: (line) => dollars(line.cost) },
    { name: 'duration', value: (line) => line.mean_duration, show: (line) => time(line.mean_duration) },
    { name: 'first byte', value: (line) => line.mean_first_byte, show: (line) => time(line.mean_first_byte) },
  ];
  return (
    <Table
      label={label}
      file={file}
      columns={columns}
      rows={lines}
      rowKey={(line) => by.map((dimension) => nameOf(line, dimension)).join(' ')}
    />
  );
}
