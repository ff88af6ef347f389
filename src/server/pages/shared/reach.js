/**
 * Requests to the gateway, with plain errors. The errors of browsers for a server that is unreachable or has gone
 * ("Failed to fetch", "Load failed") do not help the reader.
 */

import { ROOT } from './root.js';

/**
 * Sends a request to the gateway.
 * @param {string} path below the gateway's address
 * @param {RequestInit} init
 * @returns {Promise<Response>}
 * @throws Error if the gateway cannot be reached
 */
export async function reach(path, init) {
  try {
    return await fetch(ROOT + path, init);
  } catch (error) {
    throw new Error('The gateway cannot be reached.', { cause: error });
  }
}

/**
 * Reads the body of an answer.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<Uint8Array>} its bytes
 * @throws Error if the connection breaks off
 */
export async function* readBytes(body) {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw new Error('The connection to the gateway broke off.', { cause: error });
  }
}
