/**
 * What OpenAI demands of a function: a plain name, and of its parameters, strict or not, a root with properties and
 * without a union, arrays whose `items` is a single schema, and patterns that Python can read.
 */

import { isPythonPattern } from '../../conversation/rules/patterns.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asObject, asText, isList } from '../../lib/json.ts';
import { type FlawPath, indexedPath } from '../flaws.ts';
import { nestedSchemas } from '../nested-schemas.ts';
import { checkStrictSchema } from './strict-schema.ts';
import { badField, openaiFlaw, tooGreat } from './words.ts';

/** Keywords that may not be at the root. */
const REFUSED_AT_ROOT = ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'];

const NAME = /^[a-zA-Z0-9_-]+$/;

interface FunctionLimits {
  readonly nameLength?: number;
  /** Whether the root may be a union all the same, as responses allows from GPT-5 on. */
  readonly takesUnions?: boolean;
}

/**
 * Checks a function, or a custom tool, which has a name only.
 * @param path its place in the request, for the error
 * @returns its name
 * @throws Refused with OpenAI's own error
 */
export function checkFunction(
  tool: JsonObject,
  path: FlawPath,
  { nameLength = Number.POSITIVE_INFINITY, takesUnions = false }: FunctionLimits,
): string {
  const name = asText(tool['name']) ?? '';
  if (!NAME.test(name))
    throw openaiFlaw({ kind: 'pattern', pattern: NAME.source, path: [...path, 'name'], got: name });
  if (name.length > nameLength) throw tooGreat([...path, 'name'], name, nameLength);
  const schema = asObject(tool['parameters']);
  const param = indexedPath([...path, 'parameters']);
  if (schema !== undefined) checkParameters(schema, name, param, takesUnions);
  // Without `strict`, responses tries strict mode, and drops it if the schema does not allow it. That is an error only if
  // the request asks for strict mode.
  if (tool['strict'] === true) checkStrictSchema(schema ?? {}, `function '${name}'`, param);
  return name;
}

function checkParameters(schema: JsonObject, name: string, param: string, takesUnions: boolean): void {
  const refuseSchema = (fault: string) =>
    badField(`Invalid schema for function '${name}': ${fault}`, param, 'invalid_function_parameters');
  const refuse = (context: readonly string[], fault: string) =>
    refuseSchema(`In context=(${context.map((one) => `'${one}'`).join(', ')}), ${fault}`);
  if (schema['type'] === 'object' && asObject(schema['properties']) === undefined) {
    throw refuse([], 'object schema missing properties.');
  }
  if (!takesUnions && REFUSED_AT_ROOT.some((key) => schema[key] !== undefined)) {
    throw refuseSchema(
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level",
    );
  }
  for (const { at, context } of nestedSchemas(schema)) {
    const places = at['items'];
    if (isList(places)) throw refuseSchema(`${JSON.stringify(places)} is not of type 'object', 'boolean'.`);
    const isArray = at['type'] === 'array' || asList(at['type']).includes('array');
    if (isArray && at['items'] === undefined) throw refuse(context, 'array schema missing items.');
    const pattern = asText(at['pattern']);
    if (pattern !== undefined && !isPythonPattern(pattern))
      throw refuseSchema(`'${pattern}' is not a 'regex'.`);
  }
}
