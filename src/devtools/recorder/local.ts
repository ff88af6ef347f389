/** Whether a request comes from a program on this machine, and not from a page of the web in a browser on it. */

import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../upstream/net/loopback.ts';

/**
 * A page can have a browser send a POST to any port of this machine, and can have its own name resolve to 127.0.0.1
 * (DNS rebinding); but it cannot choose the `Origin` and the `Host` of what is sent.
 */
export function isLocal({ host = '', origin }: IncomingHttpHeaders): boolean {
  return isHere(`http://${host}`) && (origin === undefined || isHere(origin));
}

function isHere(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
