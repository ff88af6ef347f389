/**
 * A table of figures, which can be sorted by each column and saved as CSV. Its last column stays in sight if it has the
 * buttons of the rows.
 */

import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { toCsv } from './csv.ts';

/** Rows that are shown at first, and how many more each time. A browser takes a second to build 1,000 rows of keys. */
const MAX_ROWS = 200;

export interface Column<Row> {
  /** Empty for the buttons of a row. */
  readonly name: string;
  /** What is sorted by, and written to a file. */
  value(row: Row): string | number | null;
  /** What is shown; absent: the value. */
  show?(row: Row): ComponentChildren;
  /**
   * Whether it is shown below a row that was opened instead of in a column, for which there is no room: on phones alone,
   * or always.
   */
  readonly isDetail?: boolean | 'on phones';
}

/** A column of numbers. @param write how a number is shown; one that is null is a dash */
export function numberColumn<Row>(
  name: string,
  value: (row: Row) => number | null,
  write: (value: number) => string,
  isDetail: Column<Row>['isDetail'] = false,
): Column<Row> {
  const show = (row: Row): string => {
    const number = value(row);
    return number === null ? '–' : write(number);
  };
  return { name, value, show, isDetail };
}

/**
 * The column of the buttons of a row.
 * @param getName returns the name of a row, which screen readers say with each button
 * @param listActions returns what each button does, by its text; false if a row has none
 */
export function actionsColumn<Row>(
  getName: (row: Row) => string,
  listActions: (row: Row) => Readonly<Record<string, () => void>> | false,
): Column<Row> {
  return {
    name: '',
    isDetail: 'on phones',
    value: () => null,
    show(row) {
      const actions = listActions(row);
      return (
        actions && (
          <span class="row-actions">
            {Object.entries(actions).map(([name, act]) => (
              <button
                key={name}
                type="button"
                class="quiet"
                aria-label={`${name} ${getName(row)}`}
                onClick={act}
              >
                {name}
              </button>
            ))}
          </span>
        )
      );
    },
  };
}

export function Table<Row>({
  label,
  file,
  columns,
  rows,
  rowKey,
  none = 'Nothing yet.',
  isDense = false,
}: {
  label: string;
  /** The name of its CSV file; absent if there is none. */
  file?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What an empty table says. */
  none?: string;
  /** Whether it has many columns, and less room for each. */
  isDense?: boolean;
}) {
  const [sorted, setSorted] = useState<{ at: number; isDown: boolean } | undefined>();
  const [most, setMost] = useState(MAX_ROWS);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const region = useRef<HTMLDivElement>(null);
  const onFocusIn = useKeptFocus(region);
  const isPhone = useIsPhone();
  const isBelow = ({ isDetail = false }: Column<Row>): boolean =>
    isDetail === 'on phones' ? isPhone : isDetail;
  const details = columns.filter(isBelow);
  const inColumns = columns.filter((each) => !isBelow(each));
  const column = sorted && inColumns[sorted.at];
  const ordered = column
    ? rows.toSorted((a, b) => compare(column.value(a), column.value(b), sorted.isDown))
    : rows;
  return (
    <>
      <div
        class="table-scroll"
        role="region"
        aria-label={label}
        tabIndex={0}
        ref={region}
        onFocusIn={onFocusIn}
      >
        <table class={isDense ? 'figures dense' : 'figures'}>
          <thead>
            <tr>
              {inColumns.map(({ name }, at) =>
                name === '' ? (
                  <td key="" class="pinned" />
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
              {details.length > 0 && <td class="pinned" />}
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, most).map((row) => {
              const key = rowKey(row);
              const isOpen = opened.has(key);
              return (
                <Fragment key={key}>
                  <tr class={isOpen ? 'opened' : ''}>
                    {inColumns.map((each) => (
                      <td key={each.name} class={cellClass(each, row)}>
                        {show(each, row)}
                      </td>
                    ))}
                    {details.length > 0 && (
                      <td class="pinned">
                        <button
                          type="button"
                          class="quiet"
                          aria-expanded={isOpen}
                          aria-label={`${isOpen ? 'Less' : 'More'} about ${inColumns[0]?.value(row) ?? key}`}
                          onClick={() => setOpened(opened.symmetricDifference(new Set([key])))}
                        >
                          {isOpen ? 'Less' : 'More'}
                        </button>
                      </td>
                    )}
                  </tr>
                  {isOpen && (
                    <tr class="row-details">
                      <td colSpan={inColumns.length + 1}>
                        <dl>
                          {details
                            .filter(({ name }) => name !== '')
                            .map((each) => (
                              <div key={each.name}>
                                <dt>{each.name}</dt>
                                <dd>{show(each, row) ?? '–'}</dd>
                              </div>
                            ))}
                        </dl>
                        {details.filter(({ name }) => name === '').map((each) => show(each, row))}
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
        {rows.length === 0 && <p class="none">{none}</p>}
      </div>
      {rows.length > most && (
        <p class="none">
          {most} of {rows.length} rows{' '}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setMost(most + MAX_ROWS);
              // The button goes away with the last row.
              if (rows.length <= most + MAX_ROWS) region.current?.focus({ preventScroll: true });
            }}
          >
            Show more
          </button>
        </p>
      )}
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
                ordered.map((row) => named.map((each) => each.value(row))),
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

/**
 * Keeps the focus in a region when the row that has it goes away, as a key does that was revoked: whoever uses the keyboard
 * would begin again at the top of the page.
 * @returns what follows the focus
 */
function useKeptFocus(region: { readonly current: HTMLElement | null }): (event: FocusEvent) => void {
  const last = useRef<EventTarget | null>(null);
  useLayoutEffect(() => {
    if (!(last.current instanceof Element) || last.current.isConnected) return;
    last.current = null;
    if (document.activeElement === document.body) region.current?.focus({ preventScroll: true });
  });
  return ({ target }) => {
    last.current = target;
  };
}

/** Whether the page is as narrow as on a phone. The style sheets have the same bound. */
function useIsPhone(): boolean {
  const narrow = useMemo(() => matchMedia('(max-width: 760px)'), []);
  const [isPhone, setPhone] = useState(narrow.matches);
  useEffect(() => {
    const follow = (): void => setPhone(narrow.matches);
    narrow.addEventListener('change', follow);
    return () => narrow.removeEventListener('change', follow);
  }, [narrow]);
  return isPhone;
}

function show<Row>(column: Column<Row>, row: Row): ComponentChildren {
  return column.show ? column.show(row) : column.value(row);
}

function cellClass<Row>({ name, value }: Column<Row>, row: Row): string {
  if (name === '') return 'pinned';
  return typeof value(row) === 'number' ? 'number' : '';
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
