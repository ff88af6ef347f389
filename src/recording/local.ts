/** Whether a request comes from a program on this machine, and not from a page of the web in a browser on it. */

import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A page can have a browser send a POST to any port of this machine, and can have its own name resolve to 127.0.0.1
 * (DNS rebinding); but it cannot choose the `Origin` and the `Host` of what is sent.
 */
export function isLocal({ host = '', origin }: IncomingHttpHeaders): boolean {
  return isLoopback(`http://${host}`) && (origin === undefined || isLoopback(origin));
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}
