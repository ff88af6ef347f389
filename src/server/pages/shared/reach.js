/**
 * What the gateway answers. What browsers say of a server that they do not reach, or no longer ("Failed to fetch", "Load
 * failed"), is no help to whoever reads it.
 */

import { ROOT } from './root.js';

/**
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<Response>}
 */
export async function reach(path, init) {
  try {
    return await fetch(ROOT + path, init);
  } catch (error) {
    throw new Error('The gateway cannot be reached.', { cause: error });
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body of such an answer
 * @returns {AsyncGenerator<Uint8Array>} its bytes
 */
export async function* bytesOf(body) {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw new Error('The connection to the gateway broke off.', { cause: error });
  }
}
