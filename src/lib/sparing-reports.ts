/** Reports of something that anybody can cause as often as they like, so that it cannot fill the log. */

/** Milliseconds between two reports. */
const PERIOD = 60_000;

/**
 * Reports the first event at once, and those of each following minute together.
 * @param report receives the number of events since the report before.
 * @returns the function to call with each event.
 */
export function reportSparingly(report: (events: number) => void): () => void {
  let isQuiet = false;
  let unsaid = 0;
  const say = (): void => {
    isQuiet = unsaid > 0;
    if (!isQuiet) return;
    report(unsaid);
    unsaid = 0;
    setTimeout(say, PERIOD).unref();
  };
  return () => {
    unsaid += 1;
    if (!isQuiet) say();
  };
}
