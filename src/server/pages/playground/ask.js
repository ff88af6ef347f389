/** One request to the gateway, and its answer as it comes. */

import { bytesOf, reach } from './reach.js';
import { readEvents } from './sse.js';

/** @import { Thinking, Update, WireFormat } from './dialogue.js' */

/** @typedef {{ input: number, output: number, cacheRead?: number, cacheWrite?: number }} Rates */

/**
 * @typedef {object} Model
 * @property {string} id
 * @property {string} name
 * @property {readonly string[]} aliases other ids of it
 * @property {boolean} simulated whether the sandbox plays it, so that it costs nothing
 * @property {Thinking} [thinking] how it is told to think; absent where it does not
 * @property {boolean} sampling whether it takes a temperature
 * @property {number} maxOutputTokens
 * @property {boolean} generateContent whether it is reached in that format
 * @property {Rates & { long?: Rates & { above: number } }} prices
 */

/**
 * The models the key may use, with their prices.
 * @param {string} key
 * @returns {Promise<readonly Model[]>}
 */
export async function listModels(key) {
  const response = await reach('/playground/models.json', {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(await errorMessage(response));
  return (await response.json()).models;
}

/**
 * @param {Pick<WireFormat, 'headers' | 'reader'>} format
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @param {string} key
 * @param {AbortSignal} signal
 * @param {(updates: readonly Update[]) => void} onUpdates
 * @returns {Promise<unknown>} the answer in the format's own words
 */
export async function ask(format, path, body, key, signal, onUpdates) {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...format.headers(key) },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || !response.body) throw new Error(await errorMessage(response));
  const reader = format.reader();
  for await (const data of readEvents(bytesOf(response.body))) {
    if (data !== '[DONE]') onUpdates(reader.read(JSON.parse(data)));
  }
  return reader.kept();
}

/** @param {Response} response */
async function errorMessage(response) {
  const text = await response.text();
  try {
    return `${response.status}: ${JSON.parse(text).error.message}`;
  } catch {
    return `${response.status}: ${text.slice(0, 300) || response.statusText}`;
  }
}
