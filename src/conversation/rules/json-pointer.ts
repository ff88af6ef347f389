/** References within a schema: JSON Pointers (RFC 6901) after the `#` of a URL. */

import { asObject, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { percentDecoded } from '../../lib/percent-decoded.ts';

/**
 * The keys on the way from the root to the target of a reference; undefined if the target is in another document.
 * Characters that a URL cannot have are percent-encoded (RFC 6901, 6), as by generators that name a definition
 * `List<string>`.
 */
export function parsePointer(reference: string): readonly string[] | undefined {
  const [start, ...steps] = reference.split('/');
  if (start !== '#') return undefined;
  return steps.map((step) => percentDecoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The schema that a reference refers to; undefined if there is none. @param root the document with the reference. */
export function resolveReference(reference: string, root: JsonObject): JsonObject | undefined {
  return asObject(resolvePointer(reference, root));
}

/** The value that a reference refers to, which may also be `true`, the schema of any value; undefined if there is none. */
export function resolvePointer(reference: string, root: JsonObject): Json | undefined {
  const keys = parsePointer(reference);
  if (keys === undefined) return undefined;
  let at: Json | undefined = root;
  for (const key of keys) {
    if (isList(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}
