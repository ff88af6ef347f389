/**
 * Lists that stay the same objects wherever nothing is to change. Where something is, they are no larger than they need
 * be: V8 makes room for 17 items in a list that grows from nothing, as those of `filter` and `flatMap` do, and a long
 * dialogue has thousands of lists of one. `flat` and `flatMap` also leave the compiled code for each item.
 */

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

/** The items that `keeps` accepts; the list itself if those are all of them, and one shared empty list if there are none. */
export function keepItems<T, K extends T>(items: readonly T[], keeps: (item: T) => item is K): readonly K[];
export function keepItems<T>(items: readonly T[], keeps: (item: T) => boolean): readonly T[];
export function keepItems<T>(items: readonly T[], keeps: (item: T) => boolean): readonly T[] {
  let kept = 0;
  for (const item of items) if (keeps(item)) kept += 1;
  if (kept === items.length) return items;
  return kept === 0 ? NONE : items.filter(keeps);
}

const NONE: readonly never[] = [];

/**
 * The items of all lists as one list; a list itself if no other one has items. `concat` leaves the compiled code, which
 * takes two to four times as long as these loops.
 */
export function joinLists<T>(lists: readonly (readonly T[])[]): readonly T[] {
  let only: readonly T[] = NONE;
  let length = 0;
  for (const list of lists) {
    if (list.length > 0) only = list;
    length += list.length;
  }
  if (length === only.length) return only;
  const all: T[] = [];
  for (const list of lists) for (const item of list) all.push(item);
  return all.slice();
}
