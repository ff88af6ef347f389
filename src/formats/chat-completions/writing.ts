/** What every part of a request's renderer must know. */

import type { Own } from '../../conversation/prompt.ts';
import type { JsonObject } from '../../json.ts';
import type { Report, Target } from '../format.ts';
import type { Dialect } from './dialects.ts';

export interface Writing {
  readonly dialect: Dialect;
  readonly target: Target;
  readonly report: Report;
  /** Whether the caller speaks this format: then turns stand as they were given. */
  readonly exact: boolean;
  /** Whether the model may think: it was not told not to. */
  readonly thinks: boolean;
}

/** What the other format of OpenAI keeps of a caller's request only to write it again as it was. */
const BOOKKEEPING: readonly string[] = ['at', 'instructions', 'item', 'part'];

/** The fields of this format; those of another one are left out and reported. */
export function ownFields(own: Own | undefined, report: Report): JsonObject {
  if (own === undefined || own.format === 'chat-completions') return own?.fields ?? {};
  for (const field of Object.keys(own.fields)) {
    if (own.format === 'responses' && BOOKKEEPING.includes(field)) continue;
    report(field, 'dropped', `of ${own.format} only`);
  }
  return {};
}
