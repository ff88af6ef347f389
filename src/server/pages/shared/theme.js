import { keptIn } from './kept.js';

/**
 * Light or dark: what the browser prefers, until `button` is pressed; the choice is kept for every page.
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
