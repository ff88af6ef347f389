/** Content that is stored at one vendor, under an id that means nothing to others. */

import type { MediaSource } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';

/** A file by its id in a vendor's store. */
export type FileSource = Extract<MediaSource, { kind: 'file' }>;

/**
 * The id of a file.
 * @param stores the formats whose vendors' stores the model can read.
 * @throws GatewayError `invalid-request` if the file is in another vendor's store.
 */
export function getStoredId({ id, format }: FileSource, stores: readonly string[]): string {
  if (stores.includes(format)) return id;
  throw invalid(
    "This model cannot read a file from another vendor's file store; send the file's data instead.",
    'turns',
  );
}
