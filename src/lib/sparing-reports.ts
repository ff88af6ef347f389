/** Reports of something that anybody can cause as often as they like, so that it cannot fill the log. */

/** The minute that reports are counted in, in milliseconds. */
const PERIOD = 60_000;

/**
 * Reports the first events of a minute at once, and the others together at its end.
 * @param report receives the number of events since the report before.
 * @param most how many are reported at once.
 * @returns the function to call with each event.
 */
export function reportSparingly(report: (events: number) => void, most = 1): () => void {
  let said = 0;
  let unsaid = 0;
  const say = (): void => {
    report(unsaid);
    unsaid = 0;
    said += 1;
    if (said === 1) setTimeout(endMinute, PERIOD).unref();
  };
  const endMinute = (): void => {
    said = 0;
    if (unsaid > 0) say();
  };
  return () => {
    unsaid += 1;
    if (said < most) say();
  };
}
