/** What every part of a request's renderer must know. */

import type { CacheMark, Own } from '../../conversation/prompt.ts';
import { type JsonObject, withoutNulls } from '../../json.ts';
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

/** Cache marks in the dialect's spelling; one that came in this format goes as it came. */
export function markFields(
  { mark, own }: { readonly mark?: CacheMark; readonly own?: Own },
  { dialect, report }: Pick<Writing, 'dialect' | 'report'>,
): JsonObject {
  if (mark === undefined) return {};
  if (own?.format === 'chat-completions') {
    const { prompt_cache_breakpoint: breakpoint, cache_control: control } = own.fields;
    if (breakpoint !== undefined || control !== undefined) {
      return withoutNulls({ prompt_cache_breakpoint: breakpoint, cache_control: control });
    }
  }
  if (dialect.cacheControl) return { cache_control: { type: 'ephemeral', ...mark } };
  report('cache_control', 'dropped', 'the service caches by itself');
  return {};
}
