/** CPU and memory of processes, by proc(5): of a process and of all that it has started. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const threadsOf = (pid: number): readonly string[] => listProc(`${pid}/task`);

/** A process and all that it has started, and they in turn. */
export function treeOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    readProc(`${pid}/task/${thread}/children`).split(' ').map(Number),
  );
  return [pid, ...children.filter((child) => child > 0).flatMap(treeOf)];
}

/**
 * CPU time that a process has used with all its threads, in microseconds (Linux, "Scheduler Statistics":
 * schedstat's first field is nanoseconds on a CPU), and that of the processes it has started.
 */
export function cpuOf(pid: number): number {
  let nanoseconds = 0;
  for (const process of treeOf(pid)) {
    for (const thread of threadsOf(process)) nanoseconds += nanosecondsOf(process, thread);
  }
  return nanoseconds / 1000;
}

/** The same of its main thread alone, whose id is that of the process. */
export function mainCpuOf(pid: number): number {
  return nanosecondsOf(pid, String(pid)) / 1000;
}

function nanosecondsOf(pid: number, thread: string): number {
  return Number(readProc(`${pid}/task/${thread}/schedstat`).split(' ')[0]);
}

/**
 * Memory now and at its peak, in bytes, of a process and of those it has started. What processes share counts
 * for each of them.
 */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const sum = { now: 0, peak: 0 };
  for (const process of treeOf(pid)) {
    const status = readProc(`${process}/status`);
    const field = (name: string): number =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
    sum.now += field('VmRSS');
    sum.peak += field('VmHWM');
  }
  return sum;
}

/** Resets the peaks of a process and of those it has started (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  for (const process of treeOf(pid)) {
    if (existsSync(`/proc/${process}/clear_refs`)) writeFileSync(`/proc/${process}/clear_refs`, '5');
  }
}

function readProc(file: string): string {
  try {
    return readFileSync(join('/proc', file), 'utf8');
  } catch {
    return '';
  }
}

function listProc(folder: string): readonly string[] {
  try {
    return readdirSync(join('/proc', folder));
  } catch {
    return [];
  }
}
