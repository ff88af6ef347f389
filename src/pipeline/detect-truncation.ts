/**
 * Watches the end of a native stream. If the stream breaks off or simply stops, its last bytes are the format's own
 * error event. If the vendor itself ends the stream with an error, the ledger notes that.
 */

import type { Ledger } from '../accounting/usage/ledger.ts';
import type { Format } from '../formats/format.ts';
import { type GatewayError, isVendors } from '../lib/errors.ts';
import type { Sink } from '../streams/step.ts';
import { EndWatch } from '../translate/watch-end.ts';
import type { AnswerObserver } from '../upstream/send.ts';
import { endWithError } from './late-error.ts';

/** The step that watches a native event stream and passes its bytes on unchanged. */
export class TruncationWatch implements AnswerObserver {
  readonly #watch: EndWatch;
  readonly #ledger: Ledger;
  readonly #secret: string;

  /**
   * @param ledger notes the failure that the stream ends with.
   * @param secret what that failure must not show.
   */
  constructor(format: Format, ledger: Ledger, secret: string) {
    this.#watch = new EndWatch(format);
    this.#ledger = ledger;
    this.#secret = secret;
  }

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.#watch.transform(bytes, out);
  }

  flush(): void {
    this.#watch.flush();
  }

  fail(error: GatewayError, out: Sink<Uint8Array>): void {
    this.#watch.fail(error, out, (late, render, events) =>
      endWithError(this.#ledger, late, this.#secret, render, events),
    );
  }

  hasFailed(): boolean {
    const fault = this.#watch.failure()?.fault;
    if (fault === undefined) return false;
    this.#ledger.fault = fault;
    return isVendors(fault);
  }
}
