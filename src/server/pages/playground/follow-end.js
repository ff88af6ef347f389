/** How near the end of a log counts as its end, in CSS pixels. */
const NEAR = 80;

/**
 * Changes a log. If the reader is at the end of it, the log scrolls along; if the reader has scrolled up, it stays.
 * @param {HTMLElement} log
 * @param {() => void} change
 */
export function followEnd(log, change) {
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  change();
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}
