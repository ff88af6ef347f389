/** This machine's names for itself, and the addresses that stand for all of its interfaces. */

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** Whether a host, of a URL or to listen on, is this machine's name for itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Whether a host to listen on means all addresses of this machine. It is not an address to connect to; clients use the
 * machine's own name.
 */
export function isEveryAddress(host: string): boolean {
  return /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
}
