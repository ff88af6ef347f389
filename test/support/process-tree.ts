/** Processes as Linux shows them in /proc: which process started which, and which listen. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The processes that a process has started, without itself. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid);
}

function parentOf(pid: number): number {
  try {
    return Number(readStat(pid)[1]);
  } catch {
    return 0; // it has just ended
  }
}

/** The fields of /proc/pid/stat that follow the process's name; the first is its state (proc(5)). @throws Error if the process has ended. */
export function readStat(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

/** Whether a process exists. */
export const runs = (pid: number): boolean => parentOf(pid) !== 0;

/** The fields of each socket of TCP over IPv4 that a process can see, as /proc/net/tcp has them (proc(5)). */
export function tcpSockets(pid: number): readonly (readonly string[])[] {
  const [, ...lines] = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/));
}

/** How many sockets a process listens on (state 0A). */
export function listening(pid: number): number {
  const inodes = new Set(
    tcpSockets(pid)
      .filter((fields) => fields[3] === '0A')
      .map((fields) => fields[9]),
  );
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return inodes.has(/^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1]);
    } catch {
      return false; // closed between the two reads
    }
  }).length;
}
