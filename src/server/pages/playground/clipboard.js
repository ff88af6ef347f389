/** Buttons that copy. */

/** Milliseconds for which a button says that it has. */
const TOLD = 1_500;

/**
 * Has a button copy what `text` gives, and say so.
 * @param {HTMLButtonElement} button
 * @param {() => string} text
 */
export function copies(button, text) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await toClipboard(text());
    button.focus();
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = label;
    }, TOLD);
  });
}

/**
 * A button that does.
 * @param {string} what is copied, for those who do not see where it stands
 * @param {() => string} text
 */
export function copyButton(what, text) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${what}`);
  copies(button, text);
  return button;
}

/** @param {string} text */
async function toClipboard(text) {
  // A page by plain HTTP from another machine has no clipboard but the one that a selection is copied to.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
