/** The results as Markdown, and their place in their page. */

import type { BenchResult, Row } from '../support/report.ts';
import { circumstances, figure, grouped, kinds, rowsOf, withoutPeers } from './results.ts';

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n');
}

export const bold = (name: string, said: string): string => (name === 'gateway' ? `**${said}**` : said);

export const shown = (value: string | number | undefined): string =>
  typeof value === 'number' ? grouped(value) : (value ?? '–');

/** A line for each scenario; each cell has a column's value for each contender. */
function byScenario(rows: readonly Row[], columns: Readonly<Record<string, readonly string[]>>): string {
  const names = kinds(rows, 'through');
  const cell = (scenario: string, columns: readonly string[]): string =>
    names
      .map((name) => {
        const row = rows.find((one) => one['scenario'] === scenario && one['through'] === name);
        const values = columns.map((column) => shown(row?.[column]));
        // If all values are the same, such as none, it is shown once.
        return bold(name, [...new Set(values)].join(' / '));
      })
      .join(' · ');
  return table(
    [names.map((name) => bold(name, name)).join(' · '), ...Object.keys(columns)],
    kinds(rows, 'scenario').map((scenario) => [
      scenario,
      ...Object.values(columns).map((of) => cell(scenario, of)),
    ]),
  );
}

/** Rows are the vendors' formats, columns the callers'. */
function translators(rows: readonly Row[]): string {
  const pairs = rows.map((row) => ({
    names: String(row['translation']).split(' to '),
    share: figure(row, 'of the floor'),
  }));
  const formats = [...new Set(pairs.map(({ names }) => names[0] ?? ''))];
  return table(
    ['from, to', ...formats],
    formats.map((from) => [
      from,
      ...formats.map((to) =>
        shown(pairs.find(({ names }) => names[0] === from && names[1] === to)?.share?.toFixed(2)),
      ),
    ]),
  );
}

/** A line for each body: how many times the floor its translation takes. */
function requests(rows: readonly Row[]): string {
  const range = (some: readonly Row[], column: string): string => {
    const values = some.flatMap((row) => figure(row, column) ?? []);
    return [...new Set([Math.min(...values), Math.max(...values)])].join(' to ');
  };
  return table(
    ['body', 'KB', 'native', 'translated', 'the event loop held for, ms'],
    kinds(rows, 'body').map((body) => {
      const all = rows.filter((row) => row['body'] === body);
      const translated = all.filter(({ from, to }) => from !== to);
      return [
        body,
        range(all, 'KB'),
        range(
          all.filter(({ from, to }) => from === to),
          'of the floor',
        ),
        range(translated, 'of the floor'),
        range(translated, 'held ms'),
      ];
    }),
  );
}

const streams = (row: Row): string =>
  `- ${shown(row['streams'])} open streams, ${row['path']}, a word a second each: ${shown(row['KB a stream'])} KB per stream, words late by ${shown(row['delay p99 ms'])} ms at p99.`;

/**
 * What recording costs: scenarios by ways. When words come one by one the vendor sets the rate, so the CPU is
 * what counts.
 */
function watched(rows: readonly Row[]): string {
  const ways = kinds(rows, 'way').filter((way) => way !== 'unwatched');
  const cell = (scenario: string, way: string): string => {
    const row = rows.find((one) => one['scenario'] === scenario && one['way'] === way);
    const rate = `${shown(row?.['of the unwatched'])} ± ${shown(row?.['±'])}`;
    return [rate, shown(row?.['main thread of the unwatched']), shown(row?.['CPU of the unwatched'])].join(
      ' / ',
    );
  };
  return table(
    ['answers/s ± standard error / CPU of the main thread / of all threads', ...ways],
    kinds(rows, 'scenario').map((scenario) => [scenario, ...ways.map((way) => cell(scenario, way))]),
  );
}

const workers = (row: Row): string =>
  `- ${row['workers']} workers, ${row['scenario']}: at least ${shown(row['of one worker'])} times the answers per second of one (the load shares their cores); judging by CPU per answer, ${shown(row['free cores would give'])} times on free cores.`;

const soak = (row: Row): string =>
  `- ${shown(row['seconds'])} s of mixed load, ${shown(row['answers'])} answers, ${shown(row['left in the middle'])} abandoned midway: memory at the end is ${shown(row['growth'])} times that at the start, ${shown(row['broken answers'])} broken answers.`;

/** All tables. @throws Error if there are no results at all. */
export function tablesOf(results: readonly BenchResult[]): string {
  const rows = (bench: string): readonly Row[] => rowsOf(results, bench);
  const parts = [`Measured with ${circumstances(withoutPeers(results))}.`];
  if (rows('load').length > 0) {
    parts.push(
      byScenario(rows('load'), {
        'answers/s': ['answers/s'],
        'of the bare proxy’s': ['of the bare proxy'],
        'CPU µs per answer': ['CPU µs'],
        'added ms at half load, median': ['added p50 ms'],
        'memory at its highest, MB': ['peak MB'],
        'broken answers': ['broken answers'],
      }),
    );
  }
  if (rows('paced').length > 0) {
    parts.push(
      byScenario(rows('paced'), {
        'added to the first word, ms, median': ['added first word p50'],
        'gap between words, ms, p50 / p99': ['gap p50 ms', 'gap p99 ms'],
        'a caller leaves, seen by the vendor after ms, p50 / p99': ['cancel p50 ms', 'cancel p99 ms'],
      }),
    );
  }
  if (rows('crowded').length > 0) {
    parts.push(
      'What 16 streams with a word every 10 ms notice of heavy requests in the same process (`alone`: none come):',
      byScenario(
        rows('crowded').map((row) => ({ ...row, scenario: row['beside'] ?? '' })),
        {
          'gap between words, ms, p50 / p99 / longest': ['gap p50 ms', 'gap p99 ms', 'gap longest ms'],
          'longest piece of work, ms': ['longest work ms'],
          'memory at its highest, MB': ['memory MB'],
        },
      ),
    );
  }
  if (rows('translators').length > 0) {
    parts.push(
      'Translators, in events per second as a share of the least that there is to do (eventsource-parser, `JSON.parse` and `JSON.stringify` of the same events):',
      translators(rows('translators')),
    );
  }
  if (rows('requests').length > 0) {
    parts.push(
      'Requests, from the bytes of a body to those for the vendor, in CPU as multiples of `JSON.parse` and `JSON.stringify` of the same body: the least and the most of the four formats, and of their twelve pairs:',
      requests(rows('requests')),
    );
  }
  if (rows('watched').length > 0) {
    parts.push(
      'What recording costs, as a share of the same gateway without it: `watched` has usage, metrics and access log, as they are by default; `limited` also has limits of every kind on the key. Where words come one by one, as models send them, the vendor sets the rate, and the CPU per answer is what tells.',
      watched(rows('watched')),
    );
  }
  const also = [
    ...rows('streams').map(streams),
    ...rows('workers')
      .filter((row) => row['workers'] !== 1)
      .map(workers),
    ...rows('soak').map(soak),
  ];
  if (also.length > 0) parts.push(also.join('\n'));
  return parts.join('\n\n');
}

/** The place for a part of the page, as it is now. @throws Error if there is none. */
function placeIn(page: string, name: string): { readonly from: number; readonly to: number } {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const at = page.indexOf(begin);
  const to = page.indexOf(end);
  if (at === -1 || to < at) throw new Error(`The page has no ${begin} … ${end}.`);
  return { from: at + begin.length, to };
}

/** A page with these tables in the place of that name. */
export function withTables(page: string, name: string, tables: string): string {
  const { from, to } = placeIn(page, name);
  const between = tables === '' ? '\n' : `\n\n${tables}\n\n`;
  return `${page.slice(0, from)}${between}${page.slice(to)}`;
}
