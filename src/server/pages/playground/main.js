/** The playground: a chat with any model in any of the four formats, by this gateway. */

import { ask, listModels } from './ask.js';
import { copies } from './clipboard.js';
import { find } from './find.js';
import { chatCompletions } from './formats/chat-completions.js';
import { generateContent } from './formats/generate-content.js';
import { messages } from './formats/messages.js';
import { responses } from './formats/responses.js';
import { givenKey } from './given-key.js';
import { keptIn } from './kept.js';
import { startMeter } from './meter.js';
import { ROOT } from './root.js';
import { snippet } from './snippet.js';
import { followTheme } from './theme.js';
import { effortsOf, UNKNOWN } from './thinking.js';
import { showAssistant, showUser } from './turn-view.js';

/** @import { AssistantTurn, Settings, Turn, Update, WireFormat } from './dialogue.js' */
/** @import { Model } from './ask.js' */

const FORMATS = [chatCompletions, responses, messages, generateContent];
const EXAMPLES = [
  'Explain server-sent events in three sentences.',
  'Write a haiku about gateways, then a table of four fruits and their colours.',
  'What is the weather in Lisbon?',
];

const NO_MODEL = 'vendor/model';

/** What is taken for true of a model that the list does not have. */
const UNLISTED = { thinking: UNKNOWN, sampling: true, maxOutputTokens: Number.POSITIVE_INFINITY };

const page = {
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
  fresh: find('new', HTMLButtonElement),
  log: find('log', HTMLElement),
  status: find('status', HTMLElement),
  form: find('form', HTMLFormElement),
  prompt: find('prompt', HTMLTextAreaElement),
  send: find('send', HTMLButtonElement),
  stop: find('stop', HTMLButtonElement),
  snippet: find('snippet', HTMLSelectElement),
  copy: find('copy', HTMLButtonElement),
};

const tab = keptIn(() => sessionStorage);

/** @type {Turn[]} */
let turns = [];
/** @type {readonly Model[]} */
let catalog = [];
/** The model that was chosen before its field was last gone to. */
let before = '';
/** @type {AbortController | undefined} */
let running;
/** The last request that was sent. @type {{ wire: WireFormat, chosen: Settings, body: Record<string, unknown> } | undefined} */
let sent;

/** @returns {Settings} */
function settings() {
  const model = chosenModel();
  const { valueAsNumber: temperature } = page.temperature;
  const { thinking, maxOutputTokens: mostTokens } = known(model) ?? UNLISTED;
  return {
    model,
    ...(thinking && { thinking }),
    maxTokens: Math.min(page.maxTokens.valueAsNumber || 4096, mostTokens),
    mostTokens,
    temperature: page.temperature.disabled || Number.isNaN(temperature) ? undefined : temperature,
    effort: page.effort.value,
    system: page.system.value.trim(),
    tools: page.tools.checked,
  };
}

function chosenModel() {
  return page.model.value.trim() || before;
}

/** @param {string} model */
function known(model) {
  const asked = model.toLowerCase();
  return catalog.find(
    ({ id, aliases }) => id === asked || aliases.some((alias) => alias.toLowerCase() === asked),
  );
}

/** @returns {WireFormat} */
function format() {
  return FORMATS.find(({ name }) => name === page.format.value) ?? chatCompletions;
}

/** Generate-content may serve google's models only. */
function offerFormats() {
  const chosen = page.format.value;
  const model = chosenModel();
  const isReached = known(model)?.generateContent ?? /^google\//i.test(model);
  const offered = FORMATS.filter((one) => isReached || one !== generateContent);
  page.format.replaceChildren(...offered.map(({ name }) => new Option(name)));
  page.format.value = offered.some(({ name }) => name === chosen) ? chosen : chatCompletions.name;
}

/** Offers what the chosen model takes: its words for thinking, and a temperature only where it has one. */
function offerSettings() {
  const { thinking, sampling } = known(chosenModel()) ?? UNLISTED;
  const { value } = page.effort;
  const efforts = effortsOf(thinking);
  page.effort.replaceChildren(
    new Option('model default', ''),
    ...efforts.map((effort) => new Option(effort, effort)),
  );
  page.effort.value = efforts.includes(value) ? value : '';
  page.effort.disabled = efforts.length === 0;
  page.temperature.disabled = !sampling;
  page.temperature.placeholder = sampling ? 'model default' : 'not taken';
}

function offer() {
  offerFormats();
  offerSettings();
}

async function loadModels() {
  const key = page.key.value.trim();
  tab.set('key', key);
  if (!key) return openSettings(true);
  try {
    catalog = await listModels(key);
    page.models.replaceChildren(
      ...catalog.map(({ id, name }) =>
        Object.assign(document.createElement('option'), { value: id, label: name }),
      ),
    );
    if (!chosenModel()) page.model.value = catalog[0]?.id ?? '';
    offer();
    welcome();
    say(`${catalog.length} models`);
  } catch (error) {
    openSettings(true);
    say(messageOf(error));
    welcome(messageOf(error));
  }
}

/** @param {boolean} open */
function openSettings(open) {
  page.settings.hidden = !open;
  page.settingsToggle.setAttribute('aria-expanded', String(open));
}

/** @param {string} text said to those who do not see the page */
function say(text) {
  page.status.textContent = text;
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {string} [problem] */
function welcome(problem) {
  if (turns.length > 0) return;
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
    button.addEventListener('click', () => send(example));
    const item = document.createElement('li');
    item.append(button);
    list.append(item);
  }
  box.append(head, text, list);
  page.log.replaceChildren(box);
}

/** @param {string} text */
function send(text) {
  if (running || !text.trim()) return;
  if (turns.length === 0) page.log.replaceChildren();
  turns.push({ role: 'user', text });
  showUser(page.log, text);
  page.prompt.value = '';
  grow();
  void answer();
}

/** Lets the model answer the dialogue as it stands. */
async function answer() {
  const wire = format();
  const chosen = settings();
  const asked = [...turns];
  const body = wire.body(asked, chosen);
  sent = { wire, chosen, body };
  // The dialogue has passed these places: no tool answers there any more, and no other answer is had.
  for (const passed of page.log.querySelectorAll('form, .again')) passed.remove();
  const view = showAssistant(page.log, `${chosen.model} · ${wire.name}`);
  const meter = startMeter();
  const model = known(chosen.model);
  /** @type {AssistantTurn} */
  const turn = { role: 'assistant', model: chosen.model, text: '', thinking: '', calls: [] };
  /** @type {Update[]} */
  const waiting = [];
  let frame = 0;
  const show = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    following(() => {
      for (const update of waiting.splice(0)) view.add(update);
      view.meter(meter.lines(model));
    });
  };
  running = new AbortController();
  busy(true);
  view.article.scrollIntoView({ block: 'end' });
  try {
    const kept = await ask(
      wire,
      wire.path(chosen),
      body,
      page.key.value.trim(),
      running.signal,
      (updates) => {
        for (const update of updates) {
          // Whatever follows in the stream, the answer has failed, and is not to go back as one that is whole.
          if ('error' in update) throw new Error(update.error);
          if ('usage' in update) meter.usage(update.usage);
          else if ('finish' in update) meter.finish(update.finish);
          else meter.token();
          note(turn, update);
          gather(waiting, update);
        }
        // A fast model says thousands of words a second: laid out one by one, they would leave the page no time.
        frame ||= requestAnimationFrame(show);
      },
    );
    show();
    turn.kept = { format: wire.name, model: chosen.model, value: kept };
    say('The answer is complete.');
  } catch (error) {
    const stopped = running.signal.aborted;
    show();
    following(() => view.fail(stopped ? 'Stopped.' : messageOf(error)));
    say(stopped ? 'Stopped.' : `Failed: ${messageOf(error)}`);
    turn.calls = [];
  } finally {
    running = undefined;
    busy(false);
  }
  meter.end();
  if (turn.text || turn.calls.length > 0) turns.push(turn);
  following(() => {
    view.end(turn.text, () => {
      turns = asked;
      view.article.remove();
      void answer();
    });
    view.meter(meter.lines(model));
    if (turn.calls.length === 0) return;
    view.askResults(turn.calls, (results) => {
      for (const [at, call] of turn.calls.entries()) call.result = results[at] ?? '';
      void answer();
    });
  });
  page.prompt.focus();
}

/**
 * Adds an update to those that wait to be shown; words in a row are one.
 * @param {Update[]} waiting
 * @param {Update} update
 */
function gather(waiting, update) {
  const last = waiting.at(-1);
  if (last && 'text' in last && 'text' in update) last.text += update.text;
  else if (last && 'thinking' in last && 'thinking' in update) last.thinking += update.thinking;
  else waiting.push({ ...update });
}

/**
 * @param {AssistantTurn} turn
 * @param {Update} update
 */
function note(turn, update) {
  if ('text' in update) turn.text += update.text;
  else if ('thinking' in update) turn.thinking += update.thinking;
  else if ('call' in update) turn.calls.push({ ...update.call, arguments: '' });
  else if ('arguments' in update) {
    const call = turn.calls[update.at];
    if (call) call.arguments += update.arguments;
  }
}

/**
 * Changes the log. Only where the reader looks at its newest line does the page follow.
 * @param {() => void} change
 */
function following(change) {
  const isAtEnd = page.log.scrollHeight - page.log.scrollTop - page.log.clientHeight < 80;
  change();
  if (isAtEnd) page.log.scrollTop = page.log.scrollHeight;
}

/** @param {boolean} yes */
function busy(yes) {
  page.send.hidden = yes;
  page.stop.hidden = !yes;
  page.fresh.disabled = yes;
  if (yes) say('The model is answering.');
}

function grow() {
  page.prompt.rows = Math.min(10, page.prompt.value.split('\n').length);
}

page.form.addEventListener('submit', (event) => {
  event.preventDefault();
  send(page.prompt.value);
});
page.prompt.addEventListener('input', grow);
page.prompt.addEventListener('keydown', (event) => {
  // Safari ends a composition before the Enter that ended it: keyCode is what tells (UI Events, 6.3.4).
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  send(page.prompt.value);
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') running?.abort();
});
page.stop.addEventListener('click', () => running?.abort());
page.fresh.addEventListener('click', () => {
  turns = [];
  sent = undefined;
  welcome();
  page.prompt.focus();
});
page.settingsToggle.addEventListener('click', () => openSettings(page.settings.hidden === true));
page.key.addEventListener('change', loadModels);
page.model.addEventListener('change', offer);
// Of a list, browsers offer what the words in its field are part of: with a model in it, that is this one alone. So the
// field is empty while it is used, and has its model again where no other was chosen.
page.model.addEventListener('focus', () => {
  before = chosenModel();
  page.model.placeholder = before || NO_MODEL;
  page.model.value = '';
});
page.model.addEventListener('blur', () => {
  page.model.value = chosenModel();
  page.model.placeholder = NO_MODEL;
});
copies(page.copy, () => {
  const { wire, chosen, body } = requestToCopy();
  say('Copied.');
  return snippet(page.snippet.value, wire, chosen, body, ROOT);
});

/** The request that sending would send now; where nothing is written, the one that was sent last. */
function requestToCopy() {
  const text = page.prompt.value;
  if (!text.trim() && sent) return sent;
  const chosen = settings();
  const wire = format();
  return {
    wire,
    chosen,
    body: wire.body([...turns, { role: 'user', text: text.trim() ? text : 'Hello!' }], chosen),
  };
}

followTheme(page.theme);
page.key.value = givenKey() ?? tab.get('key') ?? '';
offer();
welcome();
void loadModels();
(page.key.value ? page.prompt : page.key).focus();
