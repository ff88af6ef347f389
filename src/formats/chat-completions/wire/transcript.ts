/** The text of what the model has spoken (`audio.transcript`). */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Part } from '../../../conversation/prompt.ts';

/** Marks a text that is written in `audio` already, to be spread. */
export const TRANSCRIPT = {
  formatSpecific: { format: 'chat-completions', fields: {}, roundTrip: { transcript: true } },
} as const;

/** Whether a part is the text of the sound beside it. */
export function isTranscript({ formatSpecific }: Part): boolean {
  return findRoundTrip(formatSpecific, 'chat-completions')['transcript'] === true;
}
