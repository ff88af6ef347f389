/** The reports of the dashboard: requested every few seconds, and forgotten with the key that opened them. */

import { drawDashboard } from './draw.js';
import { keptIn } from './kept.js';
import { createLiveRates } from './live-rates.js';
import { findMeasure } from './measures.js';
import { page, showStatus } from './page.js';
import { lastDays, Refused, readUsage } from './usage.js';

/** @import { Reports } from './draw.js' */

/** Milliseconds between two reports. */
const INTERVAL = 3_000;

/** @returns the functions that refresh the page and draw it */
export function createRefresher() {
  const tab = keptIn(() => sessionStorage);
  const rates = createLiveRates();
  /** @type {Reports | undefined} */
  let reports;
  /** The number of the latest refresh. The answers of an earlier one are out of date. */
  let latest = 0;
  /** @type {number | undefined} */
  let timer;

  const draw = () => {
    if (reports !== undefined) drawDashboard(reports, rates.get(), findMeasure(page.measure.value));
  };

  /** Without a valid key the page shows no figures, and keeps no key for a reload. */
  const forget = () => {
    tab.set('admin-key', '');
    reports = undefined;
    rates.clear();
    page.main.hidden = true;
  };

  const refresh = async () => {
    clearTimeout(timer);
    latest += 1;
    const current = latest;
    const key = page.key.value.trim();
    if (!key) {
      forget();
      return showStatus(
        'Enter the admin key: the value of GATEWAY_ADMIN_KEY, or admin.key in the configuration.',
      );
    }
    const days = lastDays(Number(page.range.value));
    const [from = '', to = ''] = [days[0], days.at(-1)];
    try {
      const [byModel, byKey, today] = await Promise.all([
        readUsage(key, { from, to, by: ['day', 'model'] }),
        readUsage(key, { from, to, by: ['group', 'key'] }),
        readUsage(key, { from: to, to, by: ['model'] }),
      ]);
      if (current !== latest) return;
      tab.set('admin-key', key);
      reports = { days, byModel, byKey };
      const now = rates.add(to, today.total);
      if (now !== undefined) page.liveNow.textContent = now;
      showStatus('');
      draw();
    } catch (error) {
      if (current !== latest) return;
      showStatus(error instanceof Error ? error.message : String(error));
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) return forget();
    }
    timer = setTimeout(refreshIfVisible, INTERVAL);
  };

  /** A page that is not visible requests nothing. */
  const refreshIfVisible = () => {
    if (!document.hidden) void refresh();
  };

  return {
    /** Draws the latest reports again, such as for another measure or another width. */
    draw,
    /** Requests new reports now, and every few seconds from then on. */
    refresh,
    refreshIfVisible,
    /** @returns {string} the key that the tab keeps, or an empty string */
    getKeptKey: () => tab.get('admin-key') ?? '',
  };
}
