/** Numbers and booleans of a data file that come from variables (`port: ${PORT}`). Variables are texts. */

import type { z } from 'zod';
import { type Fields, numberIn } from './environment.ts';
import { mapLeaves } from './map-leaves.ts';

type Issue = Pick<z.core.$ZodIssue, 'code' | 'path'> & {
  readonly expected?: unknown;
  /** What each schema of a union reports. */
  readonly errors?: readonly (readonly Issue[])[];
};

/** What a text becomes where the schema expects another type, by the name of that type. */
const TYPES: Readonly<Record<string, (text: string) => unknown>> = {
  number: numberIn,
  int: numberIn,
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

/**
 * Gives the texts of variables the types that the schema expects. A text that does not fit stays as it is.
 * @param issues what the schema reports about the values as they are.
 * @param fromVariables the paths, joined by dots, of the texts that come from variables.
 */
export function withTypes(
  values: Fields,
  issues: readonly Issue[],
  fromVariables: ReadonlySet<string>,
): Fields {
  const types = new Map<string, (text: string) => unknown>();
  for (const { code, path, expected, errors } of issues) {
    const [type] = [{ code, expected }, ...(errors ?? []).flat()].flatMap((each) =>
      each.code === 'invalid_type' ? (TYPES[String(each.expected)] ?? []) : [],
    );
    if (type !== undefined && fromVariables.has(path.join('.'))) types.set(path.join('.'), type);
  }
  return mapLeaves(values, (value, path) =>
    typeof value === 'string' ? (types.get(path.join('.'))?.(value) ?? value) : value,
  );
}
