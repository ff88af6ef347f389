/** One request to the gateway, and its answer as it streams in. */

import { reach, readBytes } from './reach.js';
import { readEvents } from './sse.js';

/** @import { Thinking, Update, WireFormat } from './dialogue.js' */

/**
 * US dollars per million tokens.
 * @typedef {{ input: number, output: number, cacheRead?: number, cacheWrite?: number }} Rates
 */

/**
 * @typedef {object} Model a model of the catalog
 * @property {string} id
 * @property {string} name
 * @property {readonly string[]} aliases other ids of the model
 * @property {boolean} simulated whether the sandbox plays the model, so that it costs nothing
 * @property {Thinking} [thinking] how the model accepts its reasoning setting; absent if it does not reason
 * @property {boolean} sampling whether the model takes a temperature
 * @property {number} maxOutputTokens
 * @property {boolean} generateContent whether the gateway serves the model in that format
 * @property {Rates & { long?: Rates & { above: number } }} prices `long` holds for more than `above` input tokens
 */

/**
 * Lists the models that a key may use, with their prices.
 * @param {string} key
 * @returns {Promise<readonly Model[]>}
 * @throws Error if the gateway cannot be reached or rejects the key
 */
export async function listModels(key) {
  const response = await reach('/playground/models.json', {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(await readError(response));
  return (await response.json()).models;
}

/**
 * Sends a request, and reads its stream to the end.
 * @param {Pick<WireFormat, 'headers' | 'reader'>} format
 * @param {string} path of the endpoint, with its query
 * @param {Record<string, unknown>} body
 * @param {string} key
 * @param {AbortSignal} signal
 * @param {(updates: readonly Update[]) => void} onUpdates receives what each event means
 * @returns {Promise<readonly any[]>} the answer as the items that the format sends back
 * @throws Error if the gateway cannot be reached or answers with an error, and whatever `onUpdates` throws
 */
export async function ask(format, path, body, key, signal, onUpdates) {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...format.headers(key) },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || !response.body) throw new Error(await readError(response));
  const reader = format.reader();
  for await (const data of readEvents(readBytes(response.body))) {
    if (data !== '[DONE]') onUpdates(reader.read(JSON.parse(data)));
  }
  return reader.kept();
}

/** @param {Response} response */
async function readError(response) {
  const text = await response.text();
  try {
    return `${response.status}: ${JSON.parse(text).error.message}`;
  } catch {
    return `${response.status}: ${text.slice(0, 300) || response.statusText}`;
  }
}
