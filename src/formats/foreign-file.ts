/** What is stored at a vendor, and named by an id that means nothing to others. */

import type { MediaSource, Prompt } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';

/** A file by the id that a vendor's store knows it by. */
export type FileSource = Extract<MediaSource, { kind: 'file' }>;

/**
 * The id of a file that is in one of these formats' stores.
 * @throws GatewayError `invalid-request` for one in another vendor's.
 */
export function storedId({ id, format }: FileSource, stores: readonly string[]): string {
  if (stores.includes(format)) return id;
  throw invalid(
    "A file id from another vendor's file store means nothing to this model; send the file's data instead.",
    'turns',
  );
}

/** @throws GatewayError `invalid-request` where the dialogue begins with something that Google has stored. */
export function refuseCachedContent({ cachedContent }: Prompt): void {
  if (cachedContent === undefined) return;
  throw invalid(
    "Cached content of Google's is what the conversation begins with, and this model cannot read it: send that content itself instead.",
    'cachedContent',
  );
}
