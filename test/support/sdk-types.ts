/**
 * The request and answer types of an SDK as values, read by the compiler (`typescript/unstable/sync`), so that a test
 * can go through every field and every kind that the vendors' newest SDKs know.
 */

import { fileURLToPath } from 'node:url';
import { API, type Checker, SymbolFlags, type Type } from 'typescript/unstable/sync';
import type { Json, JsonObject } from '../../src/lib/json.ts';

/** A type, as far as JSON can express it. */
export type Shape =
  /** A text, a number and so on; if it `isExact`, the sample and nothing else. */
  | { readonly kind: 'value'; readonly sample: Json; readonly isExact: boolean }
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly item: () => Shape }
  | { readonly kind: 'union'; readonly members: readonly Shape[]; readonly isNullable: boolean }
  | {
      readonly kind: 'object';
      readonly id: number;
      readonly name: string;
      readonly fields: readonly Field[];
      /** Whether it may have any other field too (an index signature). */
      readonly isOpen: boolean;
    };

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly shape: () => Shape;
}

/** The text in samples: it has no meaning, and serves as every name and id. */
export const TEXT = 'sample';

/**
 * Reads a type that a package exports.
 * @param module e.g. `openai/resources/responses/responses`, whose types are in the `.d.ts` of that name.
 */
export function shapeOf(module: string, name: string): Shape {
  return shapesOf(module, [name])[0] ?? none(name);
}

/** Reads several types that a package exports. @param module as of `shapeOf` */
export function shapesOf(module: string, names: readonly string[]): readonly Shape[] {
  const api = new API();
  try {
    const path = fileURLToPath(new URL(`../../node_modules/${module}.d.ts`, import.meta.url));
    const project = api.updateSnapshot({ openFiles: [path] }).getDefaultProjectForFile(path) ?? none(path);
    const { checker, program } = project;
    const exports = checker.getSymbolAtLocation(program.getSourceFile(path) ?? none(path)) ?? none(path);
    const read = reader(checker);
    return names.map((name) => {
      const type = checker.getMemberInModuleExports(exports, name) ?? none(name);
      return whole(read(checker.getDeclaredTypeOfSymbol(type)));
    });
  } finally {
    api.close();
  }
}

function none(what: string): never {
  throw new TypeError(`There is no ${what}.`);
}

/** Reads all of a shape while the compiler is available. */
function whole(shape: Shape, seen = new Set<Shape>()): Shape {
  if (seen.has(shape)) return shape;
  seen.add(shape);
  if (shape.kind === 'list') whole(shape.item(), seen);
  if (shape.kind === 'union') for (const member of shape.members) whole(member, seen);
  if (shape.kind === 'object') for (const field of shape.fields) whole(field.shape(), seen);
  return shape;
}

function reader(checker: Checker): (type: Type) => Shape {
  const known = new Map<number, Shape>();
  const lazily = (type: Type | undefined): (() => Shape) => {
    let shape: Shape | undefined;
    return () => {
      shape ??= type === undefined ? { kind: 'any' } : read(type);
      return shape;
    };
  };
  function read(type: Type): Shape {
    const found = known.get(type.id);
    if (found !== undefined) return found;
    const shape = readAnew(type);
    known.set(type.id, shape);
    return shape;
  }
  function readAnew(type: Type): Shape {
    if (type.isLiteralType()) {
      const sample = typeof type.value === 'bigint' ? Number(type.value) : type.value;
      return { kind: 'value', sample, isExact: true };
    }
    if (type.isIntrinsicType()) {
      if (type.intrinsicName === 'string') return { kind: 'value', sample: TEXT, isExact: false };
      if (type.intrinsicName === 'number') return { kind: 'value', sample: 1, isExact: false };
      if (type.intrinsicName === 'boolean') return { kind: 'value', sample: true, isExact: false };
      if (type.intrinsicName === 'null') return { kind: 'value', sample: null, isExact: true };
      return { kind: 'any' };
    }
    if (type.isUnionType()) {
      const members = type
        .getTypes()
        .filter((one) => !(one.isIntrinsicType() && ['undefined', 'null'].includes(one.intrinsicName)));
      const isNullable = type.getTypes().some((one) => one.isIntrinsicType() && one.intrinsicName === 'null');
      return { kind: 'union', members: members.map(read), isNullable };
    }
    if (type.isIntersectionType()) {
      const of = type.getTypes().find((one) => one.isIntrinsicType());
      if (of !== undefined) return read(of);
    }
    if (checker.isArrayLikeType(type) && type.isTypeReference()) {
      return { kind: 'list', item: lazily(checker.getTypeArguments(type)[0]) };
    }
    const properties = checker.getPropertiesOfType(type);
    if (properties.length === 0) return { kind: 'any' };
    const types = checker.getTypeOfSymbol(properties);
    return {
      kind: 'object',
      id: type.id,
      name: type.getAliasSymbol()?.name ?? type.getSymbol()?.name ?? '',
      isOpen: checker.getIndexInfosOfType(type).length > 0,
      fields: properties.map(({ name, flags }, at) => ({
        name,
        isOptional: (flags & SymbolFlags.Optional) !== 0,
        shape: lazily(types[at]),
      })),
    };
  }
  return read;
}

/** One field or kind of a type, in a value that is otherwise as small as possible. */
export interface Place {
  /** The path, such as `messages[].content[image_url].image_url.detail`. */
  readonly path: string;
  readonly value: Json;
  /** The same value without it; undefined if no such value exists. */
  readonly without?: Json | undefined;
}

/** Values for a field whose type alone does not say enough. */
export interface Samples {
  readonly of: (field: string, owner: JsonObject) => Json | undefined;
  /** What an object needs besides its required fields. */
  readonly beside: (name: string, owner: JsonObject) => JsonObject;
}

/** All places of a shape. */
export function* places(
  shape: Shape,
  samples: Samples,
  path = '',
  within: ReadonlySet<Shape> = new Set(),
): Generator<Place> {
  if (shape.kind === 'union') {
    for (const member of shape.members) yield* places(member, samples, path + tagOf(member), within);
  } else if (shape.kind === 'list') {
    for (const { path: at, value, without } of places(shape.item(), samples, `${path}[]`, within)) {
      yield { path: at, value: [value], without: without === undefined ? [] : [without] };
    }
  } else if (shape.kind === 'object') {
    const base = least(shape, samples) as JsonObject;
    yield { path, value: base };
    if (within.has(shape)) return;
    const inner = new Set([...within, shape]);
    for (const field of shape.fields) {
      const given = samples.of(field.name, base);
      const all =
        given === undefined
          ? places(field.shape(), samples, `${path}.${field.name}`, inner)
          : [{ path: `${path}.${field.name}`, value: given, without: undefined }];
      for (const { path: at, value, without } of all) {
        const { [field.name]: _, ...rest } = base;
        const lesser =
          without === undefined ? (field.isOptional ? rest : undefined) : { ...base, [field.name]: without };
        yield { path: at, value: { ...base, [field.name]: value }, without: lesser };
      }
    }
  } else
    yield {
      path:
        shape.kind === 'value' && shape.sample !== TEXT && typeof shape.sample !== 'number'
          ? `${path}=${shape.sample}`
          : path,
      value: least(shape, samples),
    };
}

/** A label such as `<tool_result>` for an object that its type or role identifies. */
function tagOf(shape: Shape): string {
  if (shape.kind !== 'object') return '';
  const tags = ['type', 'role'].flatMap((name) => {
    const own = shape.fields.find((field) => field.name === name)?.shape();
    return own?.kind === 'value' && own.sample !== TEXT ? [String(own.sample)] : [];
  });
  return `<${tags[0] ?? shape.name}>`;
}

/** The smallest value of a shape. */
function least(shape: Shape, samples: Samples, within: readonly Shape[] = []): Json {
  if (shape.kind === 'value') return shape.sample;
  if (shape.kind === 'any') return { [TEXT]: TEXT };
  if (shape.kind === 'list')
    return within.includes(shape) ? [] : [least(shape.item(), samples, [...within, shape])];
  if (shape.kind === 'union') {
    const [first] = shape.members
      .filter((member) => !within.includes(member))
      .toSorted((a, b) => rank(a) - rank(b));
    return first === undefined ? null : least(first, samples, [...within, shape]);
  }
  const base: Record<string, Json> = {};
  for (const field of shape.fields) {
    const given = samples.of(field.name, base);
    if (field.isOptional) continue;
    base[field.name] = given ?? least(field.shape(), samples, [...within, shape]);
  }
  return { ...base, ...samples.beside(shape.name, base) };
}

function rank({ kind }: Shape): number {
  return ['value', 'object', 'list', 'union', 'any'].indexOf(kind);
}
