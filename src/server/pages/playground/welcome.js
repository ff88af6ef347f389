/** What an empty conversation shows: a short introduction, and example prompts to click. */

const EXAMPLES = [
  'Explain server-sent events in three sentences.',
  'Write a haiku about gateways, then a table of four fruits and their colours.',
  'What is the weather in Lisbon?',
];

/**
 * @param {HTMLElement} log
 * @param {(example: string) => void} onExample receives the example that the user clicks
 * @param {string} [problem] shown in place of the introduction
 */
export function showWelcome(log, onExample, problem) {
  const box = document.createElement('section');
  box.className = 'welcome';
  const head = document.createElement('h2');
  head.textContent = 'Ask any model, in any format';
  const text = document.createElement('p');
  text.textContent = problem ?? 'Change the model or the format at any time: the conversation goes on.';
  const list = document.createElement('ul');
  for (const example of EXAMPLES) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = example;
    button.addEventListener('click', () => onExample(example));
    const item = document.createElement('li');
    item.append(button);
    list.append(item);
  }
  box.append(head, text, list);
  log.replaceChildren(box);
}
