/** The output of every bench: the machine, a table, a JSON file. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { argumentsOf, EX_USAGE } from './arguments.ts';

/** A row of a table; all rows of a table have the same columns. */
export type Row = Readonly<Record<string, string | number>>;

export interface BenchArguments {
  /** Only rows whose name contains this text. */
  readonly filter: string;
  /** Print JSON instead of a table. */
  readonly json: boolean;
  /** Seconds of a measurement, if it is one of time. */
  readonly seconds: number;
  readonly rounds: number;
}

export interface Defaults {
  readonly seconds: number;
  readonly rounds: number;
}

/** The options of every bench. */
export function benchOptions({ seconds, rounds }: Defaults) {
  return {
    filter: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: String(seconds) },
    rounds: { type: 'string', default: String(rounds) },
  } as const;
}

/** `--filter TEXT`, `--json`, `--seconds N`, `--rounds N`. */
export function benchArguments(defaults: Defaults): BenchArguments {
  const values = argumentsOf(benchOptions(defaults));
  return { ...values, seconds: Number(values.seconds), rounds: Number(values.rounds) };
}

/** The machine on which the figures were measured. */
function machine(): Readonly<Record<string, string>> {
  const [first] = cpus();
  return {
    node: process.version,
    cpu: `${cpus().length} x ${first?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${process.platform} ${process.arch}`,
  };
}

/** The file that a bench writes, and other programs read. */
export interface BenchResult {
  readonly bench: string;
  readonly date: string;
  readonly machine: Readonly<Record<string, string>>;
  /** Versions of the other contenders. */
  readonly versions?: Readonly<Record<string, string>>;
  /** How each of them was built and set up, and what was switched off. */
  readonly setups?: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

export interface ReportOptions {
  readonly json: boolean;
  /** The filter, if only some rows were measured. */
  readonly filter?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly setups?: Readonly<Record<string, string>>;
}

/**
 * Prints the rows, and writes them to `bench/results/<name>.json`; a filtered run leaves that file as it is.
 */
export function report(
  name: string,
  rows: readonly Row[],
  { json, filter = '', versions, setups }: ReportOptions,
): void {
  if (rows.length === 0) {
    console.error(`${name}: there is nothing to measure whose name has "${filter}".`);
    process.exitCode = EX_USAGE;
    return;
  }
  const result: BenchResult = {
    bench: name,
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    ...(versions && { versions }),
    ...(setups && { setups }),
    rows,
  };
  if (filter === '') {
    const folder = join(import.meta.dirname, '../results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  }
  if (json) {
    console.log(JSON.stringify(result));
    return;
  }
  const { node = '', cpu = '' } = result.machine;
  console.log(`\n${name}: ${node}, ${cpu}`);
  console.table(rows);
}

/** The median; of two middle values, the upper one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * The median of the best quarter. Other work on the machine only ever makes a round worse, so the best rounds
 * contain the least of it.
 */
export function quietest(values: readonly number[], better: 'more' | 'less'): number {
  const sorted = values.toSorted((a, b) => (better === 'less' ? a - b : b - a));
  return median(sorted.slice(0, Math.ceil(sorted.length / 4)));
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
