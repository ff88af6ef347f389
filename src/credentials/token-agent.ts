/** The connections to where tokens are had: those of a cloud inside it, too, which no vendor is asked at. */

import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit, type Response } from 'undici';
import { LOOPBACK, type VendorProxy } from '../vendors/agent.ts';

/** For one token, and closed after it: they are had so seldom. */
export async function withTokenAgent<T>(
  proxy: VendorProxy | undefined,
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
  try {
    return await use(agent);
  } finally {
    await agent.destroy();
  }
}

/** @throws what undici throws. */
export function fetchBy(agent: Dispatcher, url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, dispatcher: agent });
}
