/** What this machine calls itself, and all of its addresses at once. */

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** Whether a host, of a URL or to listen on, is this machine's name for itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Whether a host to listen on is every address of this machine: none of them to ask, but its own name is answered. */
export function isEveryAddress(host: string): boolean {
  return /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
}
