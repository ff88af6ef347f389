/** The tags, or end users, whose limits are enforced, and the names under which their figures are kept. */

import { openTagBound } from './tag-bound.ts';

/** The tag of requests that name neither a tag nor an end user: they share one. */
export const NO_TAG = '(none)';

/** How long a tag is in use at least, in milliseconds: longer than its windows and its answers last. */
const KEEP = 86_400_000;

/**
 * Returns a function that finds the tag that a request of a key counts for. Its parameters are the name of the key, and
 * what the request says.
 */
export function openTagsInUse(): (key: string, said: string | undefined) => string {
  const bound = openTagBound();
  let ends = 0;
  return (key, said = NO_TAG) => {
    const now = performance.now();
    if (now >= ends) {
      bound.clear();
      ends = now + KEEP;
    }
    return bound.of(key, said);
  };
}

/** The name under which the figures of a tag are kept. No tag has a line break in it. */
export function tagName(key: string, tag: string): string {
  return `${key}\n${tag}`;
}

/** The parts of such a name. */
export function splitTagName(name: string): { readonly key: string; readonly tag: string } {
  const at = name.lastIndexOf('\n');
  return { key: name.slice(0, at), tag: name.slice(at + 1) };
}
