/** Tables as CSV files (RFC 4180), made in the page. */

/** How formulas begin, also in full-width characters and after a line break (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;

/**
 * The text of a CSV file. A text that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function toCsv(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const cell = (value: string | number | null): string => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const text = FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
