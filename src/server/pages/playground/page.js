/** The elements of the page that its scripts read and write, and its status line. */

import { find } from './find.js';

export const page = {
  model: find('model', HTMLInputElement),
  models: find('models', HTMLDataListElement),
  format: find('format', HTMLSelectElement),
  key: find('key', HTMLInputElement),
  maxTokens: find('max-tokens', HTMLInputElement),
  temperature: find('temperature', HTMLInputElement),
  effort: find('effort', HTMLSelectElement),
  system: find('system', HTMLTextAreaElement),
  tools: find('tools', HTMLInputElement),
  settings: find('settings', HTMLElement),
  settingsToggle: find('settings-toggle', HTMLButtonElement),
  theme: find('theme', HTMLButtonElement),
  newChat: find('new', HTMLButtonElement),
  log: find('log', HTMLElement),
  status: find('status', HTMLElement),
  form: find('form', HTMLFormElement),
  prompt: find('prompt', HTMLTextAreaElement),
  send: find('send', HTMLButtonElement),
  stop: find('stop', HTMLButtonElement),
  snippet: find('snippet', HTMLSelectElement),
  copy: find('copy', HTMLButtonElement),
};

/**
 * Announces a change to people who use a screen reader. The status line is not visible.
 * @param {string} text
 */
export function announce(text) {
  page.status.textContent = text;
}
