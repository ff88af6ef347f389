/** The elements of the page that its scripts read and write, and its status line. */

import { find } from './find.js';

export const page = {
  settings: find('settings', HTMLFormElement),
  range: find('range', HTMLSelectElement),
  measure: find('measure', HTMLSelectElement),
  key: find('key', HTMLInputElement),
  theme: find('theme', HTMLButtonElement),
  status: find('status', HTMLElement),
  main: find('main', HTMLElement),
  tiles: find('tiles', HTMLElement),
  live: find('live', HTMLElement),
  liveNow: find('live-now', HTMLElement),
  days: find('days', HTMLElement),
  legend: find('legend', HTMLElement),
  models: find('models', HTMLElement),
  keys: find('keys', HTMLElement),
  groupsCard: find('of-groups', HTMLElement),
  groups: find('groups', HTMLElement),
  table: find('table', HTMLElement),
};

/**
 * Shows a message in the status line.
 * @param {string} text an empty one clears the line
 */
export function showStatus(text) {
  page.status.textContent = text;
}

/**
 * A chart is as wide as the element that holds it, so that its letters are as large as all others on the page. A hidden
 * element has no width.
 * @param {HTMLElement} host
 * @returns {number} the width of the chart, in CSS pixels
 */
export function getChartWidth(host) {
  return Math.max(280, host.clientWidth);
}
