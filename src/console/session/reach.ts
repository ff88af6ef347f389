/**
 * Requests to the gateway, with plain errors. The errors of browsers for a server that is unreachable or has gone
 * ("Failed to fetch", "Load failed") do not help the reader.
 */

import { parseJson, textAt } from '../formats/json.ts';
import { ROOT } from './root.ts';

/** An error response of the gateway, with its HTTP status. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Sends a request to the gateway.
 * @param path below the gateway's address
 * @throws Refused for a key that no header can carry, and Error if the gateway cannot be reached
 */
export async function reach(path: string, init: RequestInit = {}): Promise<Response> {
  if (!isSendable(init)) throw new Refused(401, NO_KEY);
  try {
    return await fetch(ROOT + path, init);
  } catch (error) {
    throw new Error('The gateway cannot be reached.', { cause: error });
  }
}

/** A key that was copied from a text may have the quotation marks around it, or a space of no width in it. */
const NO_KEY = 'This key has a character that no key has, such as “ or an invisible one. Enter it again.';

/** Whether the headers can be sent: `fetch` throws for them what it also throws for a server that it cannot reach. */
function isSendable({ headers }: RequestInit): boolean {
  try {
    return new Headers(headers) !== undefined;
  } catch {
    return false;
  }
}

/** What is said of a body that ends too early. */
export const BROKEN_OFF = 'The connection to the gateway broke off.';

/** The error in a response of any of the gateway's APIs. */
export async function readRefusal(response: Response): Promise<Refused> {
  const text = await response.text();
  const said = textAt(parseJson(text), 'error', 'message') || text.slice(0, 300) || response.statusText;
  return new Refused(response.status, `${response.status}: ${said}`);
}

/**
 * The bytes of a body.
 * @throws Error if the connection breaks off
 */
export async function* readBytes(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw new Error(BROKEN_OFF, { cause: error });
  } finally {
    // The reader of a stream that ended or failed has nothing to cancel.
    reader.cancel().catch(() => undefined);
  }
}

/** The words of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
