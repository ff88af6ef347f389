/** Tables for a terminal. */

export interface Column<T> {
  readonly title: string;
  /** Figures stand to the right. */
  readonly right?: boolean;
  text(row: T): string;
}

/** The rows below the titles, each column as wide as it must be. */
export function textTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = columns.map(({ title, text }) => [title, ...rows.map(text)]);
  const widths = cells.map((column) => column.reduce((width, cell) => Math.max(width, cell.length), 0));
  return Array.from({ length: rows.length + 1 }, (_, line) =>
    columns
      .map(({ right }, index) => {
        const cell = cells[index]?.[line] ?? '';
        const width = widths[index] ?? 0;
        return right ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  ).join('\n');
}
