/** Stored results of benches: those of `bench/results`, and the published ones. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BenchResult, Row } from '../support/report.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The results that `docs/benchmarks.md` shows, beside their picture. */
export const KEPT = join(ROOT, 'docs/benchmarks.json');

/** The benches whose results are shown. */
const SHOWN = [
  'load',
  'paced',
  'crowded',
  'translators',
  'requests',
  'streams',
  'watched',
  'workers',
  'soak',
];
/** Those whose tables name their own machine and date. */
const PEERS = ['peers', 'peers-paced'];

const resultSchema: z.ZodType<BenchResult> = z.object({
  bench: z.string(),
  date: z.string(),
  machine: z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.string()).exactOptional(),
  setups: z.record(z.string(), z.string()).exactOptional(),
  rows: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
});

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

export function keptResults(): readonly BenchResult[] {
  return existsSync(KEPT) ? z.array(resultSchema).parse(read(KEPT)) : [];
}

/**
 * The latest measurements, and the published ones for benches that were not run.
 * @throws Error if those that share a heading are not from one machine and one Node version: such figures
 * cannot be compared.
 */
export function latestResults(): readonly BenchResult[] {
  const kept = keptResults();
  const results = [...SHOWN, ...PEERS].flatMap((name) => {
    const file = join(ROOT, `bench/results/${name}.json`);
    const result = existsSync(file)
      ? resultSchema.parse(read(file))
      : kept.find(({ bench }) => bench === name);
    return result ? [result] : [];
  });
  const machines = new Map(
    withoutPeers(results).map(({ bench, machine }) => [JSON.stringify(machine), bench]),
  );
  if (machines.size > 1) {
    throw new Error(
      `Not all was measured on one machine with one Node: ${[...machines.values()].join(', ')} differ.`,
    );
  }
  return results;
}

export const withoutPeers = (results: readonly BenchResult[]): readonly BenchResult[] =>
  results.filter(({ bench }) => !PEERS.includes(bench));

export function rowsOf(results: readonly BenchResult[], bench: string): readonly Row[] {
  return results.find((result) => result.bench === bench)?.rows ?? [];
}

/** The value of a numeric column. */
export function figure(row: Row | undefined, column: string): number | undefined {
  const value = row?.[column];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The distinct values of a column, in order of appearance. */
export function kinds(rows: readonly Row[], column: string): readonly string[] {
  return [...new Set(rows.map((row) => String(row[column])))];
}

/** The machine, and its Node. */
export function whereMeasured({ machine }: BenchResult): string {
  const { node = '', cpu = '', memory = '', system = '' } = machine;
  return [`Node ${node.replace(/^v/, '')}`, cpu, memory, system].join(', ');
}

/** The machine, the versions, and the dates of the first and the last run. */
export function circumstances(results: readonly BenchResult[]): string {
  const [first] = results;
  if (first === undefined) throw new Error('No bench was run: there is nothing to show.');
  const versions = Object.entries(Object.assign({}, ...results.map((result) => result.versions ?? {})));
  const dates = results.map(({ date }) => date).toSorted();
  return [
    whereMeasured(first),
    ...versions.map(([name, version]) => `${name} ${version}`),
    [...new Set([dates.at(0), dates.at(-1)])].join(' to '),
  ].join(', ');
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
