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

/** A value of the document with every `$ref` in it followed. */
export function resolved(document: JsonObject, value: Json): Json {
  if (isList(value)) return value.map((entry) => resolved(document, entry));
  if (!isObject(value)) return value;
  const pointer = value['$ref'];
  if (typeof pointer === 'string') return resolved(document, at(document, pointer));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) =>
      entry === undefined ? [] : [[name, resolved(document, entry)] as const],
    ),
  );
}

/** What is wrong with a value by a schema of the document; undefined where nothing is. */
export function problemsOf(document: JsonObject, schema: Json, value: Json): string | undefined {
  const plain = resolved(document, schema);
  if (!isObject(plain)) throw new Error('A schema is an object.');
  const parsed = z.fromJSONSchema({ ...plain }).safeParse(value);
  return parsed.success ? undefined : z.prettifyError(parsed.error);
}
