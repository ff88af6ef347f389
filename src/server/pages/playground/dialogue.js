/**
 * A dialogue in no format's words. What a format's own answer was is kept beside it, since thoughts and signatures
 * must go back as they came, and only into the same format.
 *
 * @typedef {object} Call
 * @property {string} id
 * @property {string} name
 * @property {string} arguments JSON text
 * @property {string} [result] what the tool said; absent while nobody answered
 *
 * @typedef {object} UserTurn
 * @property {'user'} role
 * @property {string} text
 *
 * @typedef {object} AssistantTurn
 * @property {'assistant'} role
 * @property {string} model
 * @property {string} text
 * @property {string} thinking
 * @property {Call[]} calls
 * @property {{ format: string, model: string, value: any }} [kept]
 *
 * @typedef {UserTurn | AssistantTurn} Turn
 *
 * @typedef {object} Thinking what the catalog knows of how a model thinks
 * @property {readonly string[]} kinds by which of `effort` and `budget` it is told how much
 * @property {readonly string[]} efforts its words, from least to most
 * @property {{ min: number, max: number }} [budget] tokens
 * @property {boolean} canDisable
 *
 * @typedef {object} Settings
 * @property {string} model
 * @property {Thinking} [thinking] how the model is told to think; absent where it does not
 * @property {number} maxTokens of the answer
 * @property {number} mostTokens that the model can write in one answer
 * @property {number | undefined} temperature
 * @property {string} effort
 * @property {string} system
 * @property {boolean} tools
 *
 * @typedef {object} Usage
 * @property {number} input
 * @property {number} cacheRead
 * @property {number} cacheWrite
 * @property {number} output
 *
 * @typedef {(
 *   | { text: string }
 *   | { thinking: string }
 *   | { call: { id: string, name: string } }
 *   | { arguments: string, at: number }
 *   | { usage: Usage }
 *   | { finish: string }
 *   | { error: string }
 * )} Update what an event of a stream means
 *
 * @typedef {object} Reader reads one stream
 * @property {(event: any) => Update[]} read
 * @property {() => any} kept the answer as the format itself would send it back
 *
 * @typedef {object} WireFormat
 * @property {string} name
 * @property {(settings: Settings) => string} path
 * @property {(key: string) => Record<string, string>} headers
 * @property {(turns: readonly Turn[], settings: Settings) => Record<string, unknown>} body
 * @property {() => Reader} reader
 */

/** @type {readonly { name: string, description: string, parameters: Record<string, unknown> }[]} */
export const EXAMPLE_TOOLS = [
  {
    name: 'get_weather',
    description: 'The weather in a city now.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city'],
    },
  },
  {
    name: 'get_time',
    description: 'The local time in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

/**
 * What of an answer may go back in a format's own words.
 * @param {AssistantTurn} turn
 * @param {string} format
 * @param {string} model
 */
export function keptFor(turn, format, model) {
  return turn.kept?.format === format && turn.kept.model === model ? turn.kept.value : undefined;
}

/** @param {string} text JSON text, perhaps broken off */
export function parseArguments(text) {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return {};
  }
}
