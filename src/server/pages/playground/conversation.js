/** The conversation: its turns, the answer that is running, and the request that was sent last. */

import { streamAnswer } from './answer.js';
import { followEnd } from './follow-end.js';
import { getFormat } from './format-choice.js';
import { startMeter } from './meter.js';
import { announce, page } from './page.js';
import { clearPrompt } from './prompt-box.js';
import { readSettings } from './settings-panel.js';
import { showAssistant, showUser } from './turn-view.js';
import { showWelcome } from './welcome.js';

/** @import { ModelRequest } from './answer.js' */
/** @import { Turn } from './dialogue.js' */
/** @import { ModelChoice } from './model-choice.js' */

/**
 * An empty conversation, which is shown in the log of the page.
 * @param {ModelChoice} models
 */
export function createConversation(models) {
  /** @type {Turn[]} */
  let turns = [];
  /** @type {AbortController | undefined} */
  let running;
  /** @type {ModelRequest | undefined} */
  let lastRequest;

  /**
   * @param {readonly Turn[]} dialogue
   * @returns {ModelRequest}
   */
  const createRequest = (dialogue) => {
    const format = getFormat();
    const settings = readSettings(models);
    return { format, settings, body: format.body(dialogue, settings) };
  };

  /** @param {string} [problem] shown in place of the introduction */
  const welcome = (problem) => {
    if (turns.length === 0) showWelcome(page.log, send, problem);
  };

  /** @param {string} text */
  const send = (text) => {
    if (running || !text.trim()) return;
    if (turns.length === 0) page.log.replaceChildren();
    turns.push({ role: 'user', text });
    showUser(page.log, text);
    clearPrompt();
    void answer();
  };

  /** Lets the model answer the dialogue as it stands. */
  const answer = async () => {
    const dialogue = [...turns];
    const request = createRequest(dialogue);
    lastRequest = request;
    // The dialogue has moved past these places: they accept no tool results and no request for another answer.
    for (const passed of page.log.querySelectorAll('form, .again')) passed.remove();
    const view = showAssistant(page.log, `${request.settings.model} · ${request.format.name}`);
    const meter = startMeter();
    const model = models.findModel(request.settings.model);
    running = new AbortController();
    showBusy(true);
    view.article.scrollIntoView({ block: 'end' });
    const { signal } = running;
    const turn = await streamAnswer(request, { view, meter, model, signal }).finally(() => {
      running = undefined;
      showBusy(false);
    });
    meter.end();
    if (turn.text || turn.calls.length > 0) turns.push(turn);
    followEnd(page.log, () => {
      view.end(turn.text, () => {
        turns = dialogue;
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
  };

  return {
    welcome,
    /** Sends a message of the user, unless it is blank or an answer is running. */
    send,
    /** Stops the answer that is running, if there is one. */
    stop() {
      running?.abort();
    },
    /** Starts over without any turns. */
    restart() {
      turns = [];
      lastRequest = undefined;
      welcome();
      page.prompt.focus();
    },
    /**
     * The request that the page would send now. If the prompt is empty, it is the request that was sent last.
     * @returns {ModelRequest}
     */
    getRequest() {
      const text = page.prompt.value;
      if (!text.trim() && lastRequest) return lastRequest;
      return createRequest([...turns, { role: 'user', text: text.trim() ? text : 'Hello!' }]);
    },
  };
}

/** @param {boolean} busy whether an answer is running */
function showBusy(busy) {
  page.send.hidden = busy;
  page.stop.hidden = !busy;
  page.newChat.disabled = busy;
  if (busy) announce('The model is answering.');
}
