/**
 * JSON Schemas of the types in a vendor's SDK. The SDKs are generated from the vendors' OpenAPI documents, so their types
 * say the same: which fields there are, which of them are required, and what may be null.
 */

import type { Json, JsonObject } from '../../src/lib/json.ts';
import { type Shape, shapesOf } from './sdk-types.ts';

type ObjectShape = Extract<Shape, { kind: 'object' }>;

/** What the types do not say. */
export interface Amendments {
  /** Properties that the SDK adds to what it receives, by the name of the type. */
  readonly added?: Readonly<Record<string, readonly string[]>>;
  /** Properties that vendors send as null although the type does not say so, as `Type.property`. */
  readonly nullable?: readonly string[];
  /** Schemas of properties that the type says too little of, as `Type.property`. */
  readonly fields?: Readonly<Record<string, JsonObject>>;
  /** Words that vendors send as well, as `Type.property`. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Makes one schema with a definition for each of the types, by its name, and for each `type` of a union of objects, as
 * `name.type`.
 * @param module e.g. `openai/resources/responses/responses`
 * @throws TypeError if there is no such property as an amendment is about
 */
export function schemasOf(module: string, names: readonly string[], amendments: Amendments = {}): JsonObject {
  const definitions: Record<string, Json> = {};
  const ids = new Map<Shape, string>();
  const { added = {}, nullable = [], fields = {}, words = {} } = amendments;
  const unused = new Set([...nullable, ...Object.keys(fields), ...Object.keys(words)]);

  const objectSchema = (shape: ObjectShape): JsonObject => {
    const own = shape.fields.filter(({ name }) => !added[shape.name]?.includes(name));
    const properties = own.map(({ name, shape: of }) => {
      const at = `${shape.name}.${name}`;
      unused.delete(at);
      const told = [fields[at] ?? schema(of())];
      if (nullable.includes(at)) told.push({ type: 'null' });
      if (words[at]) told.push({ enum: words[at] });
      return [name, told.length === 1 ? told[0] : { anyOf: told }];
    });
    return {
      type: 'object',
      required: own.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      properties: Object.fromEntries(properties),
    };
  };

  const reference = (shape: ObjectShape): JsonObject => {
    let id = ids.get(shape);
    if (id === undefined) {
      id = `${shape.name}-${shape.id}`;
      ids.set(shape, id);
      definitions[id] = objectSchema(shape);
    }
    return { $ref: `#/$defs/${id}` };
  };

  const schema = (shape: Shape): JsonObject => {
    switch (shape.kind) {
      case 'any':
        return {};
      case 'value':
        return shape.isExact ? { const: shape.sample } : { type: typeof shape.sample };
      case 'list':
        return { type: 'array', items: schema(shape.item()) };
      case 'union':
        return unionSchema(shape.members, shape.isNullable, schema);
      case 'object':
        return reference(shape);
    }
  };

  for (const [at, shape] of shapesOf(module, names).entries()) {
    const name = names[at] ?? '';
    definitions[name] = schema(shape);
    if (shape.kind !== 'union') continue;
    for (const [word, members] of byType(shape.members))
      definitions[`${name}.${word}`] = anyOf(members, schema);
  }
  if (unused.size > 0) throw new TypeError(`There is no ${[...unused].join(', ')}.`);
  return { $defs: definitions };
}

/** A union of objects whose `type` tells them apart names what is wrong in the one that is meant. */
function unionSchema(
  members: readonly Shape[],
  isNullable: boolean,
  schema: (shape: Shape) => JsonObject,
): JsonObject {
  const all = members.flatMap((member) => (member.kind === 'union' ? member.members : [member]));
  const others = all.filter((member) => typeWords(member).length === 0);
  const rest: JsonObject[] = [...others.map(schema), ...(isNullable ? [{ type: 'null' }] : [])];
  const cases = byType(all);
  if (cases.size === 0) return { anyOf: rest };
  const told = {
    type: 'object',
    required: ['type'],
    properties: { type: { enum: [...cases.keys()] } },
    allOf: [...cases].map(([word, those]) => ({
      if: { properties: { type: { const: word } } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
      then: anyOf(those, schema),
    })),
  };
  if (rest.length === 0) return told;
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
  return { if: { type: 'object', required: ['type'] }, then: told, else: { anyOf: rest } };
}

function byType(members: readonly Shape[]): ReadonlyMap<Json, readonly Shape[]> {
  const cases = new Map<Json, Shape[]>();
  for (const member of members) {
    for (const word of typeWords(member)) cases.set(word, [...(cases.get(word) ?? []), member]);
  }
  return cases;
}

function anyOf([first, ...others]: readonly Shape[], schema: (shape: Shape) => JsonObject): JsonObject {
  if (first === undefined) return {};
  return others.length === 0 ? schema(first) : { anyOf: [first, ...others].map(schema) };
}

/** The values that the `type` of an object must have; none if it has no such field. */
function typeWords(shape: Shape): readonly Json[] {
  if (shape.kind !== 'object') return [];
  const type = shape.fields.find(({ name, isOptional }) => name === 'type' && !isOptional)?.shape();
  const words = type?.kind === 'union' ? type.members : [type];
  return words.flatMap((word) => (word?.kind === 'value' && word.isExact ? [word.sample] : []));
}
