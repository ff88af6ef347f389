/** Tells whether a request comes from a program on this machine, and not from a web page in a browser on it. */

import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../upstream/net/loopback.ts';

/**
 * A web page can make a browser send a POST to any port of this machine, and can make its own name resolve to 127.0.0.1
 * (DNS rebinding). But it cannot choose the `Origin` and the `Host` that the browser sends.
 * @returns whether both headers name this machine; a missing `Origin` is allowed
 */
export function isLocal({ host = '', origin }: IncomingHttpHeaders): boolean {
  return isHere(`http://${host}`) && (origin === undefined || isHere(origin));
}

function isHere(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
