/**
 * The types of a dialogue, independent of any format. An answer also keeps its format's own items, since reasoning and
 * signatures must go back as they came, and only in the same format.
 *
 * @typedef {object} Call
 * @property {string} id
 * @property {string} name
 * @property {string} arguments JSON text, perhaps cut off
 * @property {string} [result] the tool's result; absent until the user gives one
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
 * @property {{ format: string, model: string, value: readonly any[] }} [kept] the answer as the items that
 *   `format` sends back; absent if the answer failed
 *
 * @typedef {UserTurn | AssistantTurn} Turn
 *
 * @typedef {object} Thinking how a model accepts its reasoning setting, by the catalog
 * @property {readonly string[]} kinds which of `effort` and `budget` it accepts
 * @property {readonly string[]} efforts its effort levels, from least to most
 * @property {{ min: number, max: number }} [budget] bounds of a token budget
 * @property {boolean} canDisable whether the model can answer without reasoning
 *
 * @typedef {object} Settings
 * @property {string} model
 * @property {Thinking} [thinking] absent if the model does not reason
 * @property {number} maxTokens the limit of the answer
 * @property {number} mostTokens the most that the model can write in one answer
 * @property {number | undefined} temperature undefined for the model's default
 * @property {string} effort an effort level; empty for the model's default
 * @property {string} system the system prompt; empty for none
 * @property {boolean} tools whether the request offers the example tools
 *
 * @typedef {object} Usage tokens
 * @property {number} input all input tokens, cached ones included
 * @property {number} cacheRead
 * @property {number} cacheWrite
 * @property {number} output all output tokens, reasoning included
 *
 * @typedef {(
 *   | { text: string }
 *   | { thinking: string }
 *   | { call: { id: string, name: string } }
 *   | { arguments: string, at: number }
 *   | { usage: Usage }
 *   | { finish: string }
 *   | { error: string }
 * )} Update what an event of a stream means; `at` is the index of a call in its turn
 *
 * @typedef {object} Reader reads one stream
 * @property {(event: any) => Update[]} read what one event means
 * @property {() => readonly any[]} kept the answer as the items that the format sends back
 *
 * @typedef {object} WireFormat
 * @property {string} name
 * @property {(settings: Settings) => string} path of the endpoint, with its query
 * @property {(key: string) => Record<string, string>} headers that carry the API key
 * @property {(turns: readonly Turn[], settings: Settings) => Record<string, unknown>} body of a
 *   streaming request
 * @property {() => Reader} reader
 */
