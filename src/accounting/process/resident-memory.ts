/**
 * The resident memory of the process in bytes. Node reads it from a file; if no descriptor is left for that, it is
 * undefined.
 */
export function residentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
