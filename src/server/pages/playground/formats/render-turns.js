/** How a dialogue becomes the list of items that a request sends: messages, contents or input items. */

/** @import { AssistantTurn, Call, Turn } from '../dialogue.js' */

/**
 * The items of one format.
 * @typedef {object} ItemRenderer
 * @property {(text: string) => unknown} user the item of a user turn
 * @property {(turn: AssistantTurn) => readonly unknown[]} assistant the items of an answer
 * @property {(calls: readonly Call[], kept: readonly any[] | undefined) => readonly unknown[]} results the items that
 *   answer the calls of one turn; `kept` holds the items of the calls if they go back as they came
 */

/**
 * Renders a dialogue. An answer goes back as it came if the same model gave it in the same format. Otherwise it is
 * rendered from its text and its calls.
 * @param {readonly Turn[]} turns
 * @param {string} format name of the format
 * @param {string} model id of the model that the request asks
 * @param {ItemRenderer} renderer
 * @returns {unknown[]}
 */
export function renderTurns(turns, format, model, renderer) {
  return turns.flatMap((turn) => {
    if (turn.role === 'user') return [renderer.user(turn.text)];
    const kept = turn.kept?.format === format && turn.kept.model === model ? turn.kept.value : undefined;
    const results = turn.calls.length > 0 ? renderer.results(turn.calls, kept) : [];
    return [...(kept ?? renderer.assistant(turn)), ...results];
  });
}

/**
 * @param {string} text JSON text, perhaps cut off
 * @returns {any} its value, or an empty object if it is not valid JSON
 */
export function parseArguments(text) {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return {};
  }
}
