/** Buttons that copy text to the clipboard. */

/** Milliseconds for which a button confirms the copy. */
const CONFIRMED = 1_500;

/**
 * Makes a button copy a text, and confirm it.
 * @param {HTMLButtonElement} button
 * @param {() => string} text is called on each click
 */
export function copies(button, text) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await toClipboard(text());
    button.focus();
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = label;
    }, CONFIRMED);
  });
}

/**
 * Creates a button that copies a text.
 * @param {string} what the name of the text, for people who use a screen reader
 * @param {() => string} text is called on each click
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
  // A page over plain HTTP from another machine has no `navigator.clipboard` (W3C Clipboard API, "Secure Contexts"). It
  // can still copy a selection.
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
