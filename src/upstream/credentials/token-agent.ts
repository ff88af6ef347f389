/** Connections to the services that issue tokens, including those inside a cloud that vendors are never asked at. */

import { Agent, type Dispatcher, fetch, type RequestInit, type Response } from 'undici';
import { connectTimeouts, openProxied, type VendorProxy } from '../agent.ts';

/** Milliseconds to make a connection. */
const CONNECT = 10_000;

/** The longest answer, in bytes. Tokens, with a hundred groups in them too, have a few KB, and keys some hundred. */
const MAX_ANSWER = 1024 * 1024;

/**
 * Runs `use` with an agent for one token. The agent is closed afterwards, or when nobody waits for the token any more:
 * tokens are fetched so seldom that it need not be kept.
 */
export async function withTokenAgent<T>(
  proxy: VendorProxy | undefined,
  signal: AbortSignal,
  use: (agent: Dispatcher) => Promise<T>,
): Promise<T> {
  // Metadata services inside a cloud speak http and are reached directly.
  const agent =
    proxy === undefined
      ? new Agent({ connect: connectTimeouts(CONNECT), maxResponseSize: MAX_ANSWER })
      : openProxied(proxy, CONNECT, { maxResponseSize: MAX_ANSWER });
  const leave = (): void => void agent.destroy();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await use(agent);
  } finally {
    signal.removeEventListener('abort', leave);
    await agent.destroy();
  }
}

/** undici's fetch through `agent`. @throws what undici throws. */
export function fetchBy(agent: Dispatcher, url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, dispatcher: agent });
}
