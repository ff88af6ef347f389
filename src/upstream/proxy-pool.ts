/** The connections to a proxy, on which it is asked for tunnels (CONNECT; RFC 9110, 9.3.6). */

import { type Dispatcher, Pool } from 'undici';
import { errorCode } from '../lib/error-code.ts';

class TunnelError extends Error {
  /** Tells operators that it is the proxy, and why: `PROXY_407` asks for credentials. */
  readonly code: string;

  constructor(reason: number | string, options?: ErrorOptions) {
    super('The proxy gives no tunnel.', options);
    this.code = `PROXY_${reason}`;
  }
}

/** The codes of a proxy that cannot be reached. A vendor that is reached directly fails with the same. */
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** What undici's Pool takes for a tunnel. */
type ConnectOptions = Parameters<Pool['connect']>[0];

/** undici's ProxyAgent would wait for an answer for five minutes, and tell its status only in a message. */
export class ProxyPool extends Pool {
  /** @param timeout milliseconds for the answer of the proxy. It may only come when the proxy is connected to the vendor. */
  constructor(url: string | URL, options: Pool.Options, timeout: number) {
    super(url, { ...options, headersTimeout: timeout });
  }

  override async connect(options: ConnectOptions): Promise<Dispatcher.ConnectData> {
    const answer = await super.connect(options).catch((error: unknown) => {
      const code = errorCode(error);
      throw code !== undefined && UNREACHED.has(code) ? new TunnelError(code, { cause: error }) : error;
    });
    const { statusCode, socket } = answer;
    if (statusCode === 200) return answer;
    // The proxy may reset a connection of which it wants no more.
    socket.on('error', () => {}).destroy();
    throw new TunnelError(statusCode);
  }
}
