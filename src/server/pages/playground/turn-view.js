/** The elements that show the turns of a conversation. */

import { copyButton } from './clipboard.js';
import { markdownView } from './markdown.js';

/** @import { Call, Update } from './dialogue.js' */

/**
 * Adds a message of the user to the log.
 * @param {HTMLElement} log
 * @param {string} text
 */
export function showUser(log, text) {
  const article = element('article', 'user');
  article.setAttribute('aria-label', 'You');
  article.dir = 'auto';
  article.textContent = text;
  log.append(article);
}

/** @typedef {ReturnType<typeof showAssistant>} AssistantView */

/**
 * Adds an empty answer to the log. The functions that it returns fill the answer as it streams in.
 * @param {HTMLElement} log
 * @param {string} by the model and the format
 */
export function showAssistant(log, by) {
  const article = element('article', 'assistant');
  article.setAttribute('aria-label', by);
  const head = element('div', 'by');
  head.textContent = by;
  const body = element('div', 'waiting');
  const meter = element('p', 'meter');
  article.append(head, body, meter);
  log.append(article);

  /** @type {((text: string) => void) | undefined} */
  let addText;
  /** @type {HTMLElement | undefined} */
  let thoughts;
  /** @type {HTMLElement[]} */
  const callTexts = [];

  return {
    article,
    /** @param {Update} update */
    add(update) {
      if ('thinking' in update) {
        addText = undefined;
        thoughts ??= openThoughts(body);
        thoughts.append(update.thinking);
      } else if ('text' in update) {
        thoughts = undefined;
        if (!addText) {
          const view = element('div', 'markdown');
          body.append(view);
          addText = markdownView(view);
        }
        addText(update.text);
      } else if ('call' in update) {
        thoughts = undefined;
        addText = undefined;
        callTexts.push(openCall(body, update.call.name));
      } else if ('arguments' in update) callTexts[update.at]?.append(update.arguments);
    },
    /** @param {string} message */
    fail(message) {
      const line = element('p', 'error');
      line.setAttribute('role', 'alert');
      line.textContent = message;
      body.append(line);
    },
    /** @param {readonly string[]} lines */
    meter(lines) {
      meter.replaceChildren(...lines.map((line) => Object.assign(element('span'), { textContent: line })));
    },
    /**
     * Ends the answer: it can be copied, or replaced by another one.
     * @param {string} text the whole text of the answer
     * @param {() => void} onAgain the user asks for another answer in place of this one
     */
    end(text, onAgain) {
      body.classList.remove('waiting');
      const actions = element('div', 'after');
      if (text) actions.append(copyButton('the answer', () => text));
      const again = document.createElement('button');
      again.type = 'button';
      again.className = 'again';
      again.textContent = 'Ask again';
      again.addEventListener('click', onAgain);
      actions.append(again);
      article.append(actions);
    },
    /**
     * Asks the user for the results of tool calls.
     * @param {readonly Call[]} calls
     * @param {(results: readonly string[]) => void} onResults
     */
    askResults(calls, onResults) {
      const form = document.createElement('form');
      form.className = 'call';
      const inputs = calls.map(({ name }) => {
        const label = document.createElement('label');
        const input = document.createElement('input');
        input.value = name === 'get_time' ? '{"time":"14:05"}' : '{"temperature":18,"sky":"clear"}';
        label.append(`Result of ${name}`, input);
        form.append(label);
        return input;
      });
      const button = document.createElement('button');
      button.textContent = 'Send results';
      form.append(button);
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        button.disabled = true;
        onResults(inputs.map((input) => input.value));
      });
      body.append(form);
    },
  };
}

/** @param {HTMLElement} body */
function openThoughts(body) {
  const details = document.createElement('details');
  details.className = 'thinking';
  details.open = true;
  const summary = document.createElement('summary');
  summary.textContent = 'Thinking';
  const text = element('div');
  text.dir = 'auto';
  details.append(summary, text);
  body.append(details);
  return text;
}

/**
 * @param {HTMLElement} body
 * @param {string} name
 */
function openCall(body, name) {
  const box = element('div', 'call');
  const head = document.createElement('h3');
  head.textContent = `${name}()`;
  const text = document.createElement('pre');
  box.append(head, text);
  body.append(box);
  return text;
}

/**
 * @param {string} name
 * @param {string} [className]
 */
function element(name, className = '') {
  const made = document.createElement(name);
  made.className = className;
  return made;
}
