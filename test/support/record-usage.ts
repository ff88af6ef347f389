/** The recorder with its batch encoder, as the accounting worker has it, without a thread between them. */

import { type BatchOptions, batchRows } from '../../src/accounting/usage/batches.ts';
import type { Recorder } from '../../src/accounting/usage/exchange-record.ts';
import {
  type RecorderOptions,
  type UsageRecorder,
  openUsageRecorder as writeBatches,
} from '../../src/accounting/usage/recorder.ts';
import type { Store } from '../../src/store/store.ts';

export type UsageOptions = BatchOptions & RecorderOptions;

export function recordUsage(
  store: Store,
  options: UsageOptions,
): Omit<UsageRecorder, 'write'> & { readonly record: Recorder } {
  const { write, dropped, waiting, close } = writeBatches(store, options);
  const batches = batchRows(options, write);
  return {
    record: batches.record,
    dropped,
    waiting,
    close(milliseconds) {
      batches.flush();
      return close(milliseconds);
    },
  };
}
