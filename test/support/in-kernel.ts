/** What the kernel holds between two sockets of this machine. */

import type { Socket } from 'node:net';
import { tcpSockets } from './process-tree.ts';

/**
 * The bytes that a socket has sent over IPv4 and its peer has not read: the queues of both. They hold megabytes between
 * sockets of one machine, so what has left a socket need not be read for long.
 */
export function bytesInKernel({ localPort, remotePort }: Socket): number {
  if (localPort === undefined || remotePort === undefined) return 0;
  const [here, there] = [addressEnd(localPort), addressEnd(remotePort)];
  let queued = 0;
  for (const [, local, remote, , queues = ''] of tcpSockets(process.pid)) {
    const [sent, received] = queues.split(':').map((digits) => Number.parseInt(digits, 16));
    if (local?.endsWith(here) && remote?.endsWith(there)) queued += sent ?? 0;
    if (local?.endsWith(there) && remote?.endsWith(here)) queued += received ?? 0;
  }
  return queued;
}

/** How many connections of this process to a port over IPv4 are sent and not accepted (SYN_SENT is 02, proc(5)). */
export function countOpening(port: number): number {
  const there = addressEnd(port);
  return tcpSockets(process.pid).filter(([, , remote, state]) => remote?.endsWith(there) && state === '02')
    .length;
}

/** A port as the end of an address in that file. */
function addressEnd(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether the other side of a connection over IPv4 is waiting to probe it: its timer is that of keep-alive (02, proc(5)). */
export function hasProbes({ localPort, remotePort }: Socket): boolean {
  if (localPort === undefined || remotePort === undefined) return false;
  const [here, there] = [addressEnd(localPort), addressEnd(remotePort)];
  return tcpSockets(process.pid).some(
    ([, local, remote, , , timer]) =>
      local?.endsWith(there) && remote?.endsWith(here) && timer?.startsWith('02:'),
  );
}
