/**
 * A schema whose root is a reference, as generators write the schema of a named type (`{"$ref": "#/$defs/A", "$defs":
 * …}`). Vendors want an object at the root of a tool's parameters and of an answer's schema, and some see beside the
 * reference only an object without properties. So what the root refers to is written at the root.
 */

import { asList, asObject, asText, isEmpty, isList, type Json, type JsonObject } from '../../lib/json.ts';
import { parsePointer, resolveReference } from './json-pointer.ts';

/** The most references that are followed. No generator writes so long a chain, and each link may copy all properties. */
const MAX_REFERENCES = 20;

const DEFINITIONS = ['$defs', 'definitions'] as const;

/**
 * The schema with what its root refers to at its root. References to definitions, and of these to themselves, stay as
 * they are; a definition that nothing refers to any more is left out.
 * @returns the schema itself if its root is no reference, or one to another document.
 */
export function withoutRootReference(schema: JsonObject): JsonObject {
  if (typeof schema['$ref'] !== 'string') return schema;
  const followed: string[] = [];
  const seen = new Set<JsonObject>([schema]);
  let root = schema;
  while (followed.length < MAX_REFERENCES) {
    const reference = asText(root['$ref']);
    const target = reference === undefined ? undefined : resolveReference(reference, schema);
    if (reference === undefined || target === undefined) break;
    const { $ref: _, ...beside } = root;
    // A reference that leads back says nothing new.
    root = seen.has(target) ? beside : join(target, beside);
    seen.add(target);
    followed.push(reference);
  }
  return followed.length === 0 ? schema : withoutUnused(root, followed);
}

/** One schema for a definition and the keywords beside the reference to it, both of which hold. */
function join(definition: JsonObject, beside: JsonObject): JsonObject {
  const required = new Set([...asList(definition['required']), ...asList(beside['required'])]);
  const maps = ['properties', ...DEFINITIONS].flatMap((key) => {
    const [first, second] = [asObject(definition[key]), asObject(beside[key])];
    // A name that both have is that of the root's own, to which references may point.
    return first && second ? [[key, { ...first, ...second }]] : [];
  });
  return {
    ...definition,
    ...beside,
    ...Object.fromEntries(maps),
    ...(required.size > 0 && { required: [...required] }),
  };
}

interface Definition {
  readonly list: string;
  readonly name: string;
}

/** The schema without those definitions that were followed, if no reference leads to them or into them any more. */
function withoutUnused(schema: JsonObject, followed: readonly string[]): JsonObject {
  const spare = new Map(
    followed.flatMap((reference) => {
      const found = parseDefinition(reference);
      return found ? [[definitionKey(found), found]] : [];
    }),
  );
  const left: Json[] = [withoutDefinitions(schema, [...spare.values()])];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    const inner = isList(value) ? value : Object.values(asObject(value) ?? {});
    for (const one of inner) if (typeof one === 'object' && one !== null) left.push(one);
    const used = findReferred(asObject(value) ?? {});
    if (used === undefined || !spare.delete(definitionKey(used))) continue;
    // It stays after all, and so does what it refers to.
    left.push(asObject(schema[used.list])?.[used.name] ?? null);
  }
  return withoutDefinitions(schema, [...spare.values()]);
}

function withoutDefinitions(schema: JsonObject, gone: readonly Definition[]): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json | undefined][] => {
    const names = new Set(gone.flatMap(({ list, name }) => (list === key ? [name] : [])));
    const map = asObject(value);
    if (names.size === 0 || map === undefined) return [[key, value]];
    const rest = Object.fromEntries(Object.entries(map).filter(([name]) => !names.has(name)));
    return isEmpty(rest) ? [] : [[key, rest]];
  });
  return Object.fromEntries(entries);
}

/** The definition to which the schema itself refers. */
function findReferred({ $ref, $dynamicRef }: JsonObject): Definition | undefined {
  const reference = asText($ref) ?? asText($dynamicRef);
  return reference === undefined ? undefined : parseDefinition(reference);
}

/** The definition that a reference leads to or into; undefined if it leads elsewhere. */
function parseDefinition(reference: string): Definition | undefined {
  const [list = '', name] = parsePointer(reference) ?? [];
  return name !== undefined && DEFINITIONS.some((one) => one === list) ? { list, name } : undefined;
}

function definitionKey({ list, name }: Definition): string {
  return `${list}/${name}`;
}
