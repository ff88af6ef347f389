/** One answer of a model: requested, recorded as a turn, and shown as it streams in. */

import { ask } from './ask.js';
import { followEnd } from './follow-end.js';
import { announce, page } from './page.js';

/** @import { Model } from './ask.js' */
/** @import { AssistantTurn, Settings, Update, WireFormat } from './dialogue.js' */
/** @import { Meter } from './meter.js' */
/** @import { AssistantView } from './turn-view.js' */

/** @typedef {{ format: WireFormat, settings: Settings, body: Record<string, unknown> }} ModelRequest */

/**
 * Sends a request, and fills `view` and `meter` with the answer. The view also shows an error, or that the user stopped
 * the answer.
 * @param {ModelRequest} request
 * @param {{ view: AssistantView, meter: Meter, model: Model | undefined, signal: AbortSignal }} options `model`
 *   gives the prices; `signal` stops the answer
 * @returns {Promise<AssistantTurn>} what arrived; a failed answer has no calls and nothing kept
 */
export async function streamAnswer({ format, settings, body }, { view, meter, model, signal }) {
  /** @type {AssistantTurn} */
  const turn = { role: 'assistant', model: settings.model, text: '', thinking: '', calls: [] };
  /** @type {Update[]} */
  const pending = [];
  let frame = 0;
  const show = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    followEnd(page.log, () => {
      for (const update of pending.splice(0)) view.add(update);
      view.meter(meter.lines(model));
    });
  };
  try {
    const kept = await ask(format, format.path(settings), body, page.key.value.trim(), signal, (updates) => {
      for (const update of updates) {
        // The answer has failed, whatever follows in the stream. It must not go back to the model as a complete one.
        if ('error' in update) throw new Error(update.error);
        if ('usage' in update) meter.usage(update.usage);
        else if ('finish' in update) meter.finish(update.finish);
        else meter.token();
        record(turn, update);
        queue(pending, update);
      }
      // A fast model sends thousands of words a second. A layout for each of them would leave the page no time.
      frame ||= requestAnimationFrame(show);
    });
    show();
    turn.kept = { format: format.name, model: settings.model, value: kept };
    announce('The answer is complete.');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    show();
    followEnd(page.log, () => view.fail(signal.aborted ? 'Stopped.' : message));
    announce(signal.aborted ? 'Stopped.' : `Failed: ${message}`);
    turn.calls = [];
  }
  return turn;
}

/**
 * Adds an update to the turn, which is what the next request sends back.
 * @param {AssistantTurn} turn
 * @param {Update} update
 */
function record(turn, update) {
  if ('text' in update) turn.text += update.text;
  else if ('thinking' in update) turn.thinking += update.thinking;
  else if ('call' in update) turn.calls.push({ ...update.call, arguments: '' });
  else if ('arguments' in update) {
    const call = turn.calls[update.at];
    if (call) call.arguments += update.arguments;
  }
}

/**
 * Adds an update to those that the next frame shows. Pieces of text in a row become one update.
 * @param {Update[]} pending
 * @param {Update} update
 */
function queue(pending, update) {
  const last = pending.at(-1);
  if (last && 'text' in last && 'text' in update) last.text += update.text;
  else if (last && 'thinking' in last && 'thinking' in update) last.thinking += update.thinking;
  else pending.push({ ...update });
}
