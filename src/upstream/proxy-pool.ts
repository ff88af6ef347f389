/** The connections to a proxy, on which it is asked for tunnels (CONNECT; RFC 9110, 9.3.6). */

import { type Dispatcher, Pool } from 'undici';

/** A proxy's refusal of a tunnel. */
class TunnelRefusedError extends Error {
  /** Tells operators which refusal it is: `PROXY_407` asks for credentials. */
  readonly code: string;

  constructor(status: number) {
    super('The proxy refuses a tunnel.');
    this.code = `PROXY_${status}`;
  }
}

/** What undici's Pool takes for a tunnel. */
type ConnectOptions = Parameters<Pool['connect']>[0];

/** undici's ProxyAgent would wait for an answer for five minutes, and tell its status only in a message. */
export class ProxyPool extends Pool {
  /** @param timeout milliseconds for the answer of the proxy. It may only come when the proxy is connected to the vendor. */
  constructor(url: string | URL, options: Pool.Options, timeout: number) {
    super(url, { ...options, headersTimeout: timeout });
  }

  override async connect(options: ConnectOptions): Promise<Dispatcher.ConnectData> {
    const answer = await super.connect(options);
    const { statusCode, socket } = answer;
    if (statusCode === 200) return answer;
    // The proxy may reset a connection of which it wants no more.
    socket.on('error', () => {}).destroy();
    throw new TunnelRefusedError(statusCode);
  }
}
