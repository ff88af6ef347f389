/**
 * Watches the end of a native stream. If the stream breaks off or simply stops, its last bytes are the format's own
 * error event. If the vendor itself ends the stream with an error, the ledger notes that.
 */

import type { Ledger } from '../accounting/usage/ledger.ts';
import type { Format } from '../formats/format.ts';
import { isVendors } from '../lib/errors.ts';
import { watchEnd } from '../translate/watch-end.ts';
import { isEventStream } from '../upstream/headers.ts';
import type { AnswerObserver, UpstreamHead } from '../upstream/send.ts';
import { endWithError } from './late-error.ts';

/**
 * Makes the step that watches a native stream and passes its bytes on unchanged.
 * @param ledger notes the failure that the stream ends with.
 * @param secret what that failure must not show.
 * @returns undefined if the answer is not an event stream.
 */
export function detectTruncation(
  format: Format,
  { status, headers }: UpstreamHead,
  ledger: Ledger,
  secret: string,
): (AnswerObserver & Required<Pick<AnswerObserver, 'fail' | 'hasFailed'>>) | undefined {
  if (status !== 200 || !isEventStream(headers)) return undefined;
  const watch = watchEnd(format);
  return {
    transform: (bytes, out) => watch.transform(bytes, out),
    flush: () => watch.flush(),
    fail: (error, out) =>
      watch.fail(error, out, (late, render, events) => endWithError(ledger, late, secret, render, events)),
    hasFailed() {
      const fault = watch.failure()?.fault;
      if (fault === undefined) return false;
      ledger.fault = fault;
      return isVendors(fault);
    },
  };
}
