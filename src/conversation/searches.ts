/** What the model searched for in the web while it answered. */

import type { OpaquePart } from './parts.ts';
import type { Choice, ReplyPart } from './reply.ts';

/** `{ searches }` with these queries, to be spread; empty if there are none. */
export function withSearches(queries: readonly string[]): Pick<OpaquePart, 'searches'> {
  return queries.length > 0 ? { searches: queries } : {};
}

/** All that was searched for in an answer, each query once. */
export function findSearches(
  parts: readonly (Pick<ReplyPart, 'kind'> & Pick<OpaquePart, 'searches'>)[],
  end: Choice['end'],
): readonly string[] {
  const inside = parts.flatMap(({ searches = [] }) => searches);
  return [...new Set([...inside, ...(end.searches ?? [])])];
}
