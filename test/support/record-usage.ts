/** The recorder with its batch encoder, as the accounting worker has it, without a thread between them. */

import { type BatchOptions, batchRows } from '../../src/accounting/usage/batches.ts';
import type { Recorder } from '../../src/accounting/usage/exchange-record.ts';
import { type RecorderOptions, UsageRecorder } from '../../src/accounting/usage/recorder.ts';
import type { Store } from '../../src/store/store.ts';

export type UsageOptions = BatchOptions & RecorderOptions;

export function recordUsage(
  store: Store,
  options: UsageOptions,
): Pick<UsageRecorder, 'dropped' | 'waiting' | 'close'> & { readonly record: Recorder } {
  const recorder = new UsageRecorder(store, options);
  const batches = batchRows(options, (batch) => recorder.write(batch));
  return {
    record: batches.record,
    dropped: () => recorder.dropped(),
    waiting: () => recorder.waiting(),
    close(milliseconds) {
      batches.flush();
      return recorder.close(milliseconds);
    },
  };
}
