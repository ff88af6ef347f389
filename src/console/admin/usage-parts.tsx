/** The parts of a usage report: tiles, rankings and tables of figures. */

import {
  count,
  type Dimension,
  dollars,
  type Figures,
  type Line,
  lineName,
  type Measure,
  time,
} from './figures.ts';
import { Fold } from './fold.tsx';
import { type Column, numberColumn, Table } from './table.tsx';
import { TileRow } from './tiles.tsx';

/** The most rows of a chart. */
const MAX_ROWS = 12;

export interface Ranked {
  readonly name: string;
  readonly figures: Figures;
  readonly value: number;
}

export function Tiles({ total }: { total: Figures }) {
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
          ? `${count(uncounted)} ${uncounted === 1 ? 'answer' : 'answers'} without usage data`
          : 'all answers',
    ],
    [
      'mean latency, all requests',
      time(total.mean_duration),
      total.mean_first_byte === null ? '' : `${time(total.mean_first_byte)} to the first byte`,
    ],
  ] as const;
  return <TileRow label="In this range" tiles={tiles} />;
}

export function Ranking({
  title,
  ranked,
  measure,
  colourOf = () => 'c0',
}: {
  title: string;
  ranked: readonly Ranked[];
  measure: Measure;
  colourOf?: (name: string) => string;
}) {
  const shown = ranked.slice(0, MAX_ROWS);
  const max = Math.max(...shown.map(({ value }) => value));
  const more = ranked.length - shown.length;
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {shown.length === 0 && <p class="none">Nothing in this range.</p>}
      <ul class="ranking">
        {shown.map(({ name, value }) => (
          <li key={name}>
            <span class="name">{name}</span>
            <span class="figure">{measure.write(value)}</span>
            <meter
              style={{ '--of': `var(--${colourOf(name)})` }}
              min={0}
              max={max}
              value={value}
              aria-label={`${measure.label} of ${name}`}
            >
              {measure.write(value)}
            </meter>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="none">and {more} more</p>}
      <Fold summary="Table">
        {() => (
          <FiguresTable
            label={`${title}, in figures`}
            file={`usage-${title.toLowerCase().replaceAll(' ', '-')}`}
            lines={ranked.map(({ name, figures }) => ({ ...figures, model: name }))}
            by={['model']}
            heading={title.replace('By ', '')}
          />
        )}
      </Fold>
    </section>
  );
}

export function FiguresTable({
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
      value: (line: Line) => lineName(line, dimension),
    })),
    numberColumn('requests', (line) => line.requests, count),
    numberColumn('errors', (line) => line.errors, count),
    numberColumn('in', (line) => line.input_tokens, count),
    numberColumn('cached', (line) => line.cache_read_tokens, count),
    numberColumn('out', (line) => line.output_tokens, count),
    numberColumn('reasoning', (line) => line.reasoning_tokens, count),
    numberColumn('cost', (line) => line.cost, dollars),
    numberColumn('estimated', (line) => line.estimated_cost, dollars),
    numberColumn('duration', (line) => line.mean_duration, time),
    numberColumn('first byte', (line) => line.mean_first_byte, time),
  ];
  return (
    <Table
      label={label}
      file={file}
      columns={columns}
      rows={lines}
      rowKey={(line) => by.map((dimension) => lineName(line, dimension)).join(' ')}
    />
  );
}
