/** Reports of something that anybody can cause as often as they like, so that it cannot fill the log. */

/** The minute that reports are counted in, in milliseconds. */
const PERIOD = 60_000;

/**
 * Reports the first events of a minute at once, and the others together at its end.
 * @param report receives the number of events since the report before.
 * @param max how many are reported at once.
 * @returns the function to call with each event.
 */
export function reportSparingly(report: (events: number) => void, max = 1): () => void {
  let reported = 0;
  let waiting = 0;
  const send = (): void => {
    report(waiting);
    waiting = 0;
    reported += 1;
    if (reported === 1) setTimeout(endMinute, PERIOD).unref();
  };
  const endMinute = (): void => {
    reported = 0;
    if (waiting > 0) send();
  };
  return () => {
    waiting += 1;
    if (reported < max) send();
  };
}
