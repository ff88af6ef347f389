/** Hosts that no other machine reaches. */

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** Whether a host, of a URL or to listen on, is this machine's name for itself. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
