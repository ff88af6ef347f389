/** The results of `gateway models sync`, as text for people and as JSON for programs. */

import type { Comparison } from '../devtools/model-lists/compare.ts';
import type { Listed } from '../devtools/model-lists/listed.ts';
import { formatDay } from '../lib/calendar.ts';
import { compact, type JsonObject } from '../lib/json.ts';
import type { Vendor } from '../upstream/vendor.ts';
import { type Column, textTable } from './tables.ts';

/** The result of one vendor: a comparison, or the reason why there is none. */
export interface Compared {
  readonly vendor: Vendor;
  readonly comparison?: Comparison;
  readonly failure?: string;
}

interface Row {
  readonly state: 'new' | 'gone' | 'ends';
  readonly id: string;
  readonly listed: Listed | undefined;
  readonly remark: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'state', text: ({ state }) => state },
  { title: 'model', text: ({ id }) => id },
  { title: 'released', text: ({ listed }) => toDay(listed?.created) ?? '-' },
  { title: 'shutdown', text: ({ listed }) => listed?.shutdown ?? '-' },
  { title: 'remark', text: ({ remark }) => remark },
];

/** A table of models that differ or will be shut down, then one line a vendor. */
export function syncAsText(results: readonly Compared[]): string {
  const compared = results.flatMap(({ vendor, comparison }) => (comparison ? [{ vendor, comparison }] : []));
  const rows = compared.flatMap(({ comparison }) => toRows(comparison));
  const lines = compared.map(({ vendor, comparison }) => summary(vendor, comparison));
  return [...(rows.length > 0 ? [textTable(COLUMNS, rows), ''] : []), ...lines].join('\n');
}

function toRows({ fresh, gone, ending }: Comparison): readonly Row[] {
  return [
    ...fresh.map(({ id, listed, undated }): Row => {
      const dated = undated === undefined ? [] : [`dated name of ${undated.id}`];
      return { state: 'new', id, listed, remark: [...dated, ...formatDeprecation(listed)].join('; ') };
    }),
    ...gone.map(
      ({ model, listed }): Row => ({
        state: 'gone',
        id: model.id,
        listed,
        remark: listed === undefined ? 'not listed' : 'retired',
      }),
    ),
    ...ending.map(
      ({ model, listed }): Row => ({
        state: 'ends',
        id: model.id,
        listed,
        remark: formatDeprecation(listed).join(''),
      }),
    ),
  ];
}

function formatDeprecation({ deprecated }: Listed): readonly string[] {
  if (deprecated === undefined) return [];
  return [deprecated === true ? 'deprecated' : `deprecated ${deprecated}`];
}

function summary(vendor: Vendor, { listed, known, fresh, gone, ending, apart }: Comparison): string {
  const counts = `${listed} listed, ${known.length} in the catalog, ${fresh.length} new, ${gone.length} gone, ${ending.length} to end`;
  return `${vendor.name}: ${counts}${formatLeftOut(apart)}`;
}

function formatLeftOut(apart: Comparison['apart']): string {
  if (apart.length === 0) return '';
  const kinds = Map.groupBy(apart, ({ kind }) => kind);
  const counts = Array.from(kinds, ([kind, models]) => `${models.length} ${kind}`);
  return `; ${apart.length} left out (${counts.join(', ')})`;
}

/** All results, including the models that were left out. */
export function syncAsJson(results: readonly Compared[]): string {
  const inStep = results.every(
    ({ comparison }) => comparison?.fresh.length === 0 && comparison.gone.length === 0,
  );
  return JSON.stringify({ in_step: inStep, vendors: results.map(toJson) }, undefined, 2);
}

function toJson({ vendor, comparison, failure }: Compared): JsonObject {
  if (comparison === undefined) return { vendor: vendor.name, error: failure };
  const { listed, known, fresh, gone, ending, apart } = comparison;
  return {
    vendor: vendor.name,
    listed,
    known: known.map(({ id }) => id),
    new: fresh.map(({ id, listed, undated }) =>
      compact({ id, ...getDates(listed), name: listed.name, dated_name_of: undated?.id }),
    ),
    gone: gone.map(({ model, listed }) =>
      compact({ id: model.id, ...(listed && getDates(listed)), retired: listed !== undefined }),
    ),
    ending: ending.map(({ model, listed }) => compact({ id: model.id, ...getDates(listed) })),
    left_out: apart.map(({ name, kind }) => ({ name, kind })),
  };
}

function getDates({ created, shutdown, deprecated }: Listed): JsonObject {
  return { released: toDay(created), shutdown, deprecated };
}

/** The day of a time in Unix seconds, as YYYY-MM-DD; undefined if there is no time, or it lies beyond the year 9999. */
function toDay(seconds: number | undefined): string | undefined {
  if (seconds === undefined || seconds > 253_402_300_799) return undefined;
  return formatDay(seconds * 1000);
}
