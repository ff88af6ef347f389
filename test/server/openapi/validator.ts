/** Values against a document's schemas. */

import { z } from 'zod';
import { isList, isObject, type Json, type JsonObject } from '../../../src/lib/json.ts';

/** What `pointer`, as `#/a/b`, stands for. @throws Error where there is nothing. */
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

/** A value of the document with every `$ref` in it followed, but for those to schemas, which may name themselves. */
export function resolved(document: JsonObject, value: Json): Json {
  return mapRefs(value, (pointer) =>
    pointer.startsWith(SCHEMAS) ? { $ref: pointer } : resolved(document, at(document, pointer)),
  );
}

/** What is wrong with a value by a schema of the document; undefined where nothing is. */
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

/** A copy with something else in the place of every object that has a `$ref`. */
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
