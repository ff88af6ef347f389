/** Comma-separated values (RFC 4180), lines ended by a bare line feed as command lines have them. */

/** The rows as text; a cell with a comma, a quote or a line break is quoted. */
export function csv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => row.map(cell).join(',')).join('\n');
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
