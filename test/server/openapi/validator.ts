/** Validates values against a document's schemas. */

import { z } from 'zod';
import { isList, isObject, type Json, type JsonObject } from '../../../src/lib/json.ts';

/** The value at `pointer`, such as `#/a/b`. @throws Error if there is none. */
export function at(document: JsonObject, pointer: string): JsonObject {
  let value: Json | undefined = document;
  for (const step of pointer.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) ? value[name] : undefined;
  }
  if (!isObject(value)) throw new Error(`There is nothing at ${pointer}.`);
  return value;
}

const SCHEMAS = '#/components/schemas/';

/**
 * A value of the document with every `$ref` in it resolved, except those to schemas, which may be recursive.
 */
export function resolved(document: JsonObject, value: Json): Json {
  return mapRefs(value, (pointer) =>
    pointer.startsWith(SCHEMAS) ? { $ref: pointer } : resolved(document, at(document, pointer)),
  );
}

/** Why a value does not match a schema of the document; undefined if it does. */
export function problemsOf(document: JsonObject, schema: Json, value: Json): string | undefined {
  const local = (part: Json): Json =>
    mapRefs(part, (pointer) => ({ $ref: pointer.replace(SCHEMAS, '#/$defs/') }));
  const plain = local(schema);
  if (!isObject(plain)) throw new Error('A schema is an object.');
  const $defs = Object.fromEntries(
    Object.entries(at(document, '#/components/schemas')).flatMap(([name, named]) => {
      const definition = named === undefined ? undefined : local(named);
      return isObject(definition) ? [[name, { ...definition }] as const] : [];
    }),
  );
  const parsed = z.fromJSONSchema({ ...plain, $defs }).safeParse(value);
  return parsed.success ? undefined : z.prettifyError(parsed.error);
}

/** A copy in which every object with a `$ref` is replaced. */
function mapRefs(value: Json, replace: (pointer: string) => Json): Json {
  if (isList(value)) return value.map((entry) => mapRefs(entry, replace));
  if (!isObject(value)) return value;
  const pointer = value['$ref'];
  if (typeof pointer === 'string') return replace(pointer);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) =>
      entry === undefined ? [] : [[name, mapRefs(entry, replace)] as const],
    ),
  );
}
