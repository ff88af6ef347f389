/** JSON Pointers (RFC 6901), by which the references of a schema say what they refer to. */

import { isList, isObject, type Json } from '../json.ts';

/** What stands at a place, where anything does. @param steps to it, each in the pointer's own escapes. */
export function pointedAt(root: Json, steps: readonly string[]): Json | undefined {
  let at: Json | undefined = root;
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}
