/** The walk over the values of a configuration file. */

import { isRecord } from '../lib/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A copy of the fields, in which `change` has replaced each value that is neither a list nor an object. */
export function mapLeaves(
  fields: Fields,
  change: (value: unknown, path: readonly string[]) => unknown,
): Fields {
  const map = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => map(item, [...path, `${index}`]));
    return isRecord(value) && !(value instanceof Date) ? mapAll(value, path) : change(value, path);
  };
  const mapAll = (values: Fields, path: readonly string[]): Fields =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, [...path, name])]));
  return mapAll(fields, []);
}
