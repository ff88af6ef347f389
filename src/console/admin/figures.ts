/** The figures of usage reports, and how their values are written. */

/** What the gateway recorded for some requests. */
export interface Figures {
  readonly requests: number;
  readonly errors: number;
  /** Answers without usage data. */
  readonly uncounted: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** US dollars. */
  readonly cost: number;
  readonly estimated_cost: number;
  /** Milliseconds; null if there was nothing to measure. */
  readonly mean_duration: number | null;
  readonly mean_first_byte: number | null;
}

/** The names that a report can be grouped by. */
export type Dimension = 'day' | 'group' | 'key' | 'model' | 'vendor' | 'tag';

/** The figures of one combination of those names. */
export type Line = Figures & { readonly [D in Dimension]?: string | null };

export interface Report {
  readonly data: readonly Line[];
  readonly total: Figures;
  readonly has_more: boolean;
}

export interface Measure {
  readonly name: string;
  readonly label: string;
  /** Whether the values of several models may be added up, which means may not. */
  readonly adds: boolean;
  /** The value; null if there was nothing to measure. */
  of(figures: Figures): number | null;
  write(value: number): string;
}

export function count(value: number): string {
  return new Intl.NumberFormat(
    'en',
    value < 10_000 ? { maximumFractionDigits: 0 } : { notation: 'compact', maximumSignificantDigits: 3 },
  ).format(value);
}

/** @param value US dollars */
export function dollars(value: number): string {
  if (value === 0) return '$0';
  if (value < 1) return `$${value.toPrecision(2)}`;
  return `$${value < 1_000 ? value.toFixed(2) : count(value)}`;
}

/** @param value milliseconds; null if there was nothing to measure */
export function time(value: number | null): string {
  if (value === null) return '–';
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toPrecision(3)} s`;
}

export const MEASURES: readonly Measure[] = [
  { name: 'requests', label: 'requests', adds: true, of: (figures) => figures.requests, write: count },
  {
    name: 'tokens',
    label: 'tokens (in and out)',
    adds: true,
    of: (figures) => figures.input_tokens + figures.output_tokens,
    write: count,
  },
  { name: 'cost', label: 'cost', adds: true, of: (figures) => figures.cost, write: dollars },
  { name: 'errors', label: 'errors', adds: true, of: (figures) => figures.errors, write: count },
  {
    name: 'duration',
    label: 'mean latency (all requests)',
    adds: false,
    of: (figures) => figures.mean_duration,
    write: time,
  },
  {
    name: 'first-byte',
    label: 'mean time to first byte',
    adds: false,
    of: (figures) => figures.mean_first_byte,
    write: time,
  },
];

/** The name of a line in one dimension; `(none)` if it has none. */
export function lineName(line: Line, dimension: Dimension): string {
  return line[dimension] ?? '(none)';
}

/** Combines the lines that have the same name. Sums are added, means are weighted by requests. */
export function gather(lines: readonly Line[], getName: (line: Line) => string): Map<string, Figures> {
  const gathered = new Map<string, Figures>();
  for (const line of lines) {
    const name = getName(line);
    const known = gathered.get(name);
    gathered.set(name, known === undefined ? line : addFigures(known, line));
  }
  return gathered;
}

function addFigures(one: Figures, other: Figures): Figures {
  const mean = (name: 'mean_duration' | 'mean_first_byte'): number | null => {
    const [a, b] = [one[name], other[name]];
    if (a === null || b === null) return a ?? b;
    return (a * one.requests + b * other.requests) / Math.max(1, one.requests + other.requests);
  };
  return {
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    uncounted: one.uncounted + other.uncounted,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
    cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
    cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
    cost: one.cost + other.cost,
    estimated_cost: one.estimated_cost + other.estimated_cost,
    mean_duration: mean('mean_duration'),
    mean_first_byte: mean('mean_first_byte'),
  };
}
