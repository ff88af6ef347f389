/** The gateway beside other gateways, as Markdown: a table for each measure, with a column for each of them. */

import type { BenchResult, Row } from '../support/report.ts';
import { figure, grouped, kinds, rowsOf, whereMeasured } from './results.ts';
import { bold, shown, table } from './tables.ts';

interface Measure {
  readonly heading: string;
  readonly say: (row: Row) => string;
  /** Whether only streams have it. */
  readonly streamed?: boolean;
}

/** A figure, and how many times the bare proxy's it is. */
const beside = (value: string, ratio: string) => (row: Row) => `${shown(row[value])} (${shown(row[ratio])})`;
/** Milliseconds at the 50th and the 99th percentile. */
const both = (p50: string, p99: string) => (row: Row) =>
  [...new Set([shown(row[p50]), shown(row[p99])])].join(' / ');

const LOADED: readonly Measure[] = [
  {
    heading: 'Answers a second (of the bare proxy’s)',
    say: beside('answers/s', 'of the bare proxy'),
  },
  { heading: 'CPU per answer, µs (times the bare proxy’s)', say: beside('CPU µs', 'CPU of the bare') },
  { heading: 'CPU per event of a stream, µs', say: (row) => shown(row['CPU µs/event']), streamed: true },
  {
    heading: 'Added to a whole answer or stream, ms, p50 / p99, all at half the rate of the slowest',
    say: both('added p50 ms', 'added p99 ms'),
  },
  { heading: 'Highest memory, MB', say: (row) => shown(row['peak MB']) },
  { heading: 'Answers that break the format or lose text, of those read', say: broken },
];

const PACED: readonly Measure[] = [
  {
    heading: 'Added to the first word, ms, p50 / p99',
    say: both('added first word p50', 'added first word p99'),
  },
  { heading: 'Gap between words, ms, p50 / p99', say: both('gap p50 ms', 'gap p99 ms') },
  {
    heading: 'A caller leaves, seen by the vendor after ms, p50 / p99 (not seen)',
    say: (row) => `${both('cancel p50 ms', 'cancel p99 ms')(row)} (${shown(row['cancels unseen'])})`,
  },
];

function broken(row: Row): string {
  const refused = figure(row, 'refused') ?? 0;
  const said = shown(row['broken answers']);
  return refused > 0 ? `${said}; ${grouped(refused)} refused` : said;
}

function measured(
  rows: readonly Row[],
  all: readonly string[],
  { heading, say, streamed = false }: Measure,
): string {
  const names = all.filter((name) => rows.some((row) => row['through'] === name));
  const found = rows.filter((row) => !streamed || row['CPU µs/event'] !== undefined);
  const cell = (scenario: string, name: string): string => {
    const row = found.find((one) => one['scenario'] === scenario && one['through'] === name);
    return bold(name, row ? say(row) : '–');
  };
  const head = names.map((name) => bold(name, name));
  return table(
    [heading, ...head],
    kinds(found, 'scenario').map((scenario) => [scenario, ...names.map((name) => cell(scenario, name))]),
  );
}

/** The section about the peers; a sentence if they have not been measured. */
export function peersOf(results: readonly BenchResult[]): string {
  const result = results.find(({ bench }) => bench === 'peers');
  if (result === undefined) return 'Not measured yet.';
  const { versions = {}, setups = {} } = result;
  const paced = rowsOf(results, 'peers-paced');
  const names = ['direct', ...kinds(result.rows, 'through')];
  const setup = Object.entries(setups).map(([name, of]) => `- ${name} ${versions[name] ?? ''}: ${of}.`);
  return [
    `Measured with ${whereMeasured(result)}, ${result.date}, by \`npm run bench:peers\`.`,
    setup.join('\n'),
    ...LOADED.map((measure) => measured(result.rows, names, measure)),
    ...(paced.length > 0 ? PACED.map((measure) => measured(paced, names, measure)) : []),
  ].join('\n\n');
}

/** The same in short, for the README: CPU, the first word and memory; nothing if they have not been measured. */
export function peersInShort(results: readonly BenchResult[]): string {
  const loaded = rowsOf(results, 'peers');
  if (loaded.length === 0) return '';
  const names = kinds(loaded, 'through');
  const of = (rows: readonly Row[], column: string, name: string): readonly number[] =>
    rows.filter((row) => row['through'] === name).flatMap((row) => figure(row, column) ?? []);
  const line = (what: string, rows: readonly Row[], column: string): readonly string[] => [
    what,
    ...names.map((name) => {
      const values = of(rows, column, name);
      return bold(name, values.length > 0 ? grouped(Math.max(...values)) : '–');
    }),
  ];
  return table(
    ['CPU per answer, µs', ...names.map((name) => bold(name, name))],
    [
      ...kinds(loaded, 'scenario').map((scenario) =>
        line(
          scenario,
          loaded.filter((row) => row['scenario'] === scenario),
          'CPU µs',
        ),
      ),
      line(
        'added to the first word, ms, p50, at worst',
        rowsOf(results, 'peers-paced'),
        'added first word p50',
      ),
      line('highest memory, MB', loaded, 'peak MB'),
    ],
  );
}
