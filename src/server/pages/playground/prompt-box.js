/** The box that the user writes a message in. */

import { page } from './page.js';

/** The box grows with its text up to this number of lines. */
const MOST_ROWS = 10;

/**
 * Takes over the box.
 * @param {(text: string) => void} onSend receives the text when the user sends it
 */
export function listenToPrompt(onSend) {
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    onSend(page.prompt.value);
  });
  page.prompt.addEventListener('input', fitPrompt);
  page.prompt.addEventListener('keydown', (event) => {
    // Safari ends a composition before it reports the Enter that ended it. Only keyCode tells that Enter apart
    // (UI Events, 6.3.4).
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    onSend(page.prompt.value);
  });
}

export function clearPrompt() {
  page.prompt.value = '';
  fitPrompt();
}

function fitPrompt() {
  page.prompt.rows = Math.min(MOST_ROWS, page.prompt.value.split('\n').length);
}
