/** Turns and parts after a rule, which are the same objects wherever the rule has nothing to change. */

import type { Part, Turn } from './prompt.ts';

/**
 * Applies `change` to each item of a list. An item for which it returns undefined is left out.
 * @returns the list itself if each item stays as it is.
 */
export function mapItems<T>(
  items: readonly T[],
  change: (item: T, at: number) => T | undefined,
): readonly T[] {
  let changed: T[] | undefined;
  let at = 0;
  for (const item of items) {
    const made = change(item, at);
    if (made !== item) changed ??= items.slice(0, at);
    if (made !== undefined) changed?.push(made);
    at += 1;
  }
  return changed ?? items;
}

/** The items that `keeps` accepts; the list itself if those are all of them. */
export function keepItems<T>(items: readonly T[], keeps: (item: T) => boolean): readonly T[] {
  return items.every(keeps) ? items : items.filter(keeps);
}

/** The turn with these parts; the turn itself if it has the same list. */
export function withParts(turn: Turn, parts: readonly Part[]): Turn {
  return parts === turn.parts ? turn : { ...turn, parts };
}

/** Whether a part has nothing besides its content: no breakpoint, no signature and no fields of a format, as nearly all. */
export function isPlain({ cacheBreakpoint, signature, formatSpecific, unknownFields }: Part): boolean {
  return (
    cacheBreakpoint === undefined &&
    signature === undefined &&
    formatSpecific === undefined &&
    unknownFields === undefined
  );
}
