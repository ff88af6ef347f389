/** What the kernel holds between two sockets of this machine. */

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * The bytes that a socket has sent and its peer has not read: both queues of /proc/net/tcp (proc(5)), of a connection over
 * IPv4. A loopback's queues hold megabytes, so what has left a socket is not read for long.
 */
export function bytesInKernel({ localPort, remotePort }: Socket): number {
  if (localPort === undefined || remotePort === undefined) return 0;
  const [here, there] = [addressEnd(localPort), addressEnd(remotePort)];
  let queued = 0;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)) {
    const [, local, remote, , queues = ''] = line.trim().split(/\s+/);
    const [sent, received] = queues.split(':').map((digits) => Number.parseInt(digits, 16));
    if (local?.endsWith(here) && remote?.endsWith(there)) queued += sent ?? 0;
    if (local?.endsWith(there) && remote?.endsWith(here)) queued += received ?? 0;
  }
  return queued;
}

/** A port as the end of an address in that file. */
function addressEnd(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}
