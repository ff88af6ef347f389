/** The connections to where tokens are had: those of a cloud inside it, too, which no vendor is asked at. */

import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit, type Response } from 'undici';
import { LOOPBACK, type VendorProxy } from '../agent.ts';

/** For one token, and closed after it, or when nobody waits for it any more: they are had so seldom. */
export async function withTokenAgent<T>(
  proxy: VendorProxy | undefined,
  signal: AbortSignal,
  use: (agent: Dispatcher) => Promise<T>,
): Promise<T> {
  // A cloud tells its own machines by http, and what is there is reached directly.
  const agent =
    proxy === undefined
      ? new Agent()
      : new EnvHttpProxyAgent({
          httpsProxy: proxy.url,
          httpProxy: '',
          noProxy: `${LOOPBACK} ${proxy.except}`,
        });
  const leave = (): void => void agent.destroy();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await use(agent);
  } finally {
    signal.removeEventListener('abort', leave);
    await agent.destroy();
  }
}

/** @throws what undici throws. */
export function fetchBy(agent: Dispatcher, url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, dispatcher: agent });
}
