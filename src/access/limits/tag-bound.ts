/** Bounds the number of different tags of a key: callers choose them, and each takes memory and rows. */

/** The tag of all that come after as many as are kept. */
export const OTHER_TAGS = '(other)';

/** The most different tags of a key that are kept, besides that one. */
export const MAX_TAGS = 10_000;

export function openTagBound(max = MAX_TAGS) {
  const known = new Map<string, Set<string>>();
  return {
    /** The tag itself if it is among the first ones of its key, else `OTHER_TAGS`. */
    of(key: string, tag: string): string {
      let tags = known.get(key);
      if (tags === undefined) {
        tags = new Set();
        known.set(key, tags);
      }
      if (tags.has(tag)) return tag;
      if (tags.size >= max) return OTHER_TAGS;
      tags.add(tag);
      return tag;
    },
    /** Forgets all tags. */
    clear: (): void => known.clear(),
  };
}
