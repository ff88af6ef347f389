import { keptIn } from './kept.js';

/**
 * Follows the browser's preference for light or dark until `button` is pressed. The choice is kept for every page.
 * @param {HTMLButtonElement} button
 */
export function followTheme(button) {
  const browser = keptIn(() => localStorage);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const paint = () => {
    root.dataset['theme'] = browser.get('theme') ?? (dark.matches ? 'dark' : 'light');
  };
  paint();
  dark.addEventListener('change', paint);
  button.addEventListener('click', () => {
    root.dataset['theme'] = root.dataset['theme'] === 'dark' ? 'light' : 'dark';
    browser.set('theme', root.dataset['theme']);
  });
}
