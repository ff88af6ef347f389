/** A JSON Schema with all schemas inside of it, as the vendors' checks go through them. */

import { asObject, asObjects, type JsonObject } from '../lib/json.ts';

/** A schema, and the way to it, as OpenAI's errors name it. */
export interface NestedSchema {
  readonly at: JsonObject;
  readonly context: readonly string[];
}

/**
 * Goes through a schema and those inside of it, each before its own.
 * @param unions the fields with lists of schemas that the vendor looks into
 */
export function* nestedSchemas(
  root: JsonObject,
  unions: readonly string[] = ['anyOf'],
): Generator<NestedSchema, void> {
  const open: NestedSchema[] = [{ at: root, context: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    // One by one: as arguments of one call, 150,000 do not fit on the stack.
    for (const inner of innerSchemas(next, unions)) open.push(inner);
  }
}

function innerSchemas({ at, context }: NestedSchema, unions: readonly string[]): readonly NestedSchema[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((field) =>
    Object.entries(asObject(at[field]) ?? {}).map(([name, inner]) => ({
      at: asObject(inner) ?? {},
      context: [...context, field, name],
    })),
  );
  const items = asObject(at['items']);
  const options = unions.flatMap((field) =>
    asObjects(at[field]).map((inner, index) => ({ at: inner, context: [...context, field, String(index)] })),
  );
  return [
    ...named,
    ...(items === undefined ? [] : [{ at: items, context: [...context, 'items'] }]),
    ...options,
  ];
}
