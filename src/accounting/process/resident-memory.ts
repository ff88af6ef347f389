/**
 * What the process has of the machine's memory, in bytes. Node reads it from a file, for which there may be no descriptor
 * left: then it is not known for once.
 */
export function residentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
