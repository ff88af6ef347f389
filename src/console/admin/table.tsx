/** A table of figures, which can be sorted by each column and saved as CSV. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toCsv } from './csv.ts';

export interface Column<Row> {
  readonly name: string;
  /** What is sorted by, and written to a file. */
  value(row: Row): string | number | null;
  /** What is shown; absent: the value. */
  show?(row: Row): ComponentChildren;
}

export function Table<Row>({
  label,
  file,
  columns,
  rows,
  rowKey,
  none = 'Nothing yet.',
}: {
  label: string;
  /** The name of its CSV file; absent if there is none. */
  file?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What an empty table says. */
  none?: string;
}) {
  const [sorted, setSorted] = useState<{ at: number; isDown: boolean } | undefined>();
  const column = sorted && columns[sorted.at];
  const shown = column
    ? rows.toSorted((a, b) => compare(column.value(a), column.value(b), sorted.isDown))
    : rows;
  return (
    <>
      <div class="table-scroll" role="region" aria-label={label} tabIndex={0}>
        <table class="figures">
          <thead>
            <tr>
              {columns.map(({ name }, at) =>
                name === '' ? (
                  <td key="" />
                ) : (
                  <th
                    key={name}
                    scope="col"
                    aria-sort={sorted?.at === at ? (sorted.isDown ? 'descending' : 'ascending') : 'none'}
                  >
                    <button
                      type="button"
                      class="quiet"
                      onClick={() => setSorted({ at, isDown: sorted?.at === at ? !sorted.isDown : true })}
                    >
                      {name}
                      {sorted?.at === at && (sorted.isDown ? ' ↓' : ' ↑')}
                    </button>
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map((each) => {
                  const value = each.value(row);
                  return (
                    <td key={each.name} class={typeof value === 'number' ? 'number' : ''}>
                      {each.show ? each.show(row) : value}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="none">{none}</p>}
      </div>
      {file && rows.length > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            const named = columns.filter(({ name }) => name !== '');
            saveFile(
              `${file}.csv`,
              toCsv(
                named.map(({ name }) => name),
                shown.map((row) => named.map((each) => each.value(row))),
              ),
            );
          }}
        >
          Save as CSV
        </button>
      )}
    </>
  );
}

function compare(a: string | number | null, b: string | number | null, isDown: boolean): number {
  const [first, second] = isDown ? [b, a] : [a, b];
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  return String(first ?? '').localeCompare(String(second ?? ''));
}

/** Offers a text as a file to save. */
function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
