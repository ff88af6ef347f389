/** The dashboard: requests, tokens, cost and latency, by model and by key, updated every few seconds. */

import { givenKey } from './given-key.js';
import { measures } from './measures.js';
import { page } from './page.js';
import { createRefresher } from './refresh.js';
import { followTheme } from './theme.js';

const { draw, refresh, refreshIfVisible, getKeptKey } = createRefresher();

page.measure.replaceChildren(...measures.map(({ name, label }) => new Option(label, name)));
page.settings.addEventListener('submit', (event) => {
  event.preventDefault();
  void refresh();
});
page.key.addEventListener('change', () => void refresh());
page.range.addEventListener('change', () => void refresh());
page.measure.addEventListener('change', draw);
document.addEventListener('visibilitychange', refreshIfVisible);
window.addEventListener('resize', draw);

followTheme(page.theme);
page.key.value = givenKey() ?? getKeptKey();
if (!page.key.value) page.key.focus();
void refresh();
