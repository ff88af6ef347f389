/** Adds up exchanges, as the tables of sums hold them. */

import { type ExchangeRow, USAGE_SUMS, type UsageSums } from '../../store/tables.ts';
import { isUncounted } from './exchange-record.ts';

/** A column by which sums are grouped. `month` is the beginning of `day`. */
export type SumColumn = 'day' | 'month' | 'key' | 'model' | 'vendor' | 'tag' | 'group_name';

/** Sums of the exchanges that have the same values in these columns. */
export type SummedRows = SumGroup & UsageSums;

type SumGroup = Readonly<Record<SumColumn, string | null>>;

/** No text in a row has it (`exchangeRow`). */
const BETWEEN = '\0';

type Sums = { -readonly [K in keyof UsageSums]: number };

/** Adds up rows, in as few groups as all tables of sums can be made of. */
export function sumRows(rows: readonly ExchangeRow[]): readonly SummedRows[] {
  const groups = new Map<string, SumGroup & Sums>();
  for (const row of rows) {
    const { day, key, model, vendor, tag, group_name } = row;
    const place = [day, key, model, vendor, tag, group_name].join(BETWEEN);
    let group = groups.get(place);
    if (group === undefined) {
      group = { day, month: day.slice(0, 7), key, model, vendor, tag, group_name, ...noSums() };
      groups.set(place, group);
    }
    addRow(group, row);
  }
  return [...groups.values()];
}

/**
 * Adds up sums by fewer columns. Sums with null in one of them are left out.
 * @returns rows with these columns and the sums, always in the same order: two processes that write the same rows in
 *   different orders could wait for each other for ever.
 */
export function sumBy<C extends SumColumn>(
  sums: readonly SummedRows[],
  columns: readonly C[],
): readonly (Readonly<Record<C, string | null>> & UsageSums)[] {
  const groups = new Map<string, SumGroup & Sums>();
  for (const summed of sums) {
    const values = columns.map((column) => summed[column]);
    if (values.includes(null)) continue;
    const place = values.join(BETWEEN);
    const group = groups.get(place);
    if (group === undefined) groups.set(place, { ...summed });
    else for (const sum of USAGE_SUMS) group[sum] += summed[sum];
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

/** Adds an exchange to sums, whose meaning `UsageSums` says. */
function addRow(sums: Sums, row: ExchangeRow): void {
  const { status, outcome, cost, first_byte } = row;
  sums.requests += 1;
  if (status >= 400 || outcome === 'failed') sums.errors += 1;
  if (isUncounted(row)) sums.uncounted += 1;
  sums.input += row.input ?? 0;
  sums.output += row.output ?? 0;
  sums.reasoning += row.reasoning ?? 0;
  sums.cache_read += row.cache_read ?? 0;
  sums.cache_write += row.cache_write ?? 0;
  sums.cost += cost ?? 0;
  sums.estimated_cost += row.estimated_cost ?? 0;
  sums.duration += row.duration;
  if (first_byte === null) return;
  sums.first_byte += first_byte;
  sums.first_bytes += 1;
}

function noSums(): Sums {
  return {
    requests: 0,
    errors: 0,
    uncounted: 0,
    input: 0,
    output: 0,
    reasoning: 0,
    cache_read: 0,
    cache_write: 0,
    cost: 0,
    estimated_cost: 0,
    duration: 0,
    first_byte: 0,
    first_bytes: 0,
  };
}
