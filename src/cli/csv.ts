/** Comma-separated values (RFC 4180), lines ended by a bare line feed as command lines have them. */

/**
 * The rows as text; a cell with a comma, a quote or a line break is quoted. A text that a spreadsheet would take for a
 * formula gets a quote before it: who chooses a tag must not choose what runs where the report is opened.
 */
export function csv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => row.map(cell).join(',')).join('\n');
}

/** How formulas begin, also in full-width characters, and what is left out before them (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

function cell(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
