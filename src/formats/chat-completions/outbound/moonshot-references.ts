/** References in Moonshot's schemas: they may point only to `$defs` at the root, each by one plain name. */

import { parsePointer, resolveReference } from '../../../conversation/rules/json-pointer.ts';
import { asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** The deepest schema that Moonshot takes. */
export const MAX_DEPTH = 100;

/** The definitions that a schema refers to. */
export interface Definitions {
  readonly root: JsonObject;
  /** Their names; undefined for a definition that Moonshot refuses. */
  readonly names: Map<JsonObject, string | undefined>;
  readonly taken: Set<string>;
}

/**
 * The reference by the name of its definition, which is added to `definitions`.
 * @returns undefined if it points nowhere, or to a definition that Moonshot refuses.
 */
export function referenceTo(ref: Json | undefined, definitions: Definitions): string | undefined {
  const reference = asText(ref);
  if (reference === undefined || reference === '#') return reference;
  const definition = resolveReference(reference, definitions.root);
  if (definition === undefined) return undefined;
  if (!definitions.names.has(definition)) {
    const last = parsePointer(reference)?.at(-1) ?? '';
    definitions.names.set(
      definition,
      hasSlash(definition, 0) ? undefined : freeName(last, definitions.taken),
    );
  }
  const name = definitions.names.get(definition);
  return name === undefined ? undefined : `#/$defs/${name}`;
}

function freeName(text: string, taken: Set<string>): string {
  const stem = text.replaceAll(/[^\w.-]/g, '_');
  let name = stem;
  for (let count = taken.size + 1; name === '' || taken.has(name); count += 1) name = `${stem}_${count}`;
  taken.add(name);
  return name;
}

/** Whether any key in a definition contains a slash, which Moonshot refuses. */
function hasSlash(value: Json, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (isList(value)) return value.some((one) => hasSlash(one, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, one = null]) => key.includes('/') || hasSlash(one, depth + 1));
}
