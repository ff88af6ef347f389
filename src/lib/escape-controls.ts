/**
 * Text for a terminal. What a caller or a vendor wrote may be in it, and control characters, with which it could steer
 * the terminal, are escaped as in JSON.
 */

/** One line: line breaks are escaped too. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Lines: their line breaks stay. */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}
