/** Tables as text for a terminal, and as CSV. */

/** A column of a text table. */
export interface Column<T> {
  readonly title: string;
  /** Whether the cells are aligned to the right, as numbers are. */
  readonly right?: boolean;
  text(row: T): string;
}

/** A line of titles and one line a row; each column is as wide as its widest cell. */
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

/**
 * Rows as comma-separated values (RFC 4180), except that lines end in a bare line feed, as is usual on a command line. A
 * cell with a comma, a quote or a line break is quoted. A text that a spreadsheet would run as a formula gets a leading
 * quote: callers choose tags, and must not choose what runs where a report is opened.
 */
export function csv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => row.map(csvCell).join(',')).join('\n');
}

/** How formulas begin, also in full-width characters and after white space that spreadsheets ignore (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

function csvCell(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
