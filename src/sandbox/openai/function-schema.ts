/**
 * What OpenAI demands of a function's parameters, strict or not: a root with properties and without a union, arrays
 * whose `items` is a single schema, and patterns that Python can read.
 */

import { isPythonPattern } from '../../conversation/rules/patterns.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asObject, asText, isList } from '../../lib/json.ts';
import { nestedSchemas } from './nested-schemas.ts';
import { badField } from './words.ts';

/** Keywords that may not be at the root. */
const REFUSED_AT_ROOT = ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'];

/**
 * Checks the parameters of a function.
 * @param name the function's name
 * @param param the path of the parameters in the request, for the error
 * @param takesUnions whether the root may be a union all the same, as responses allows from GPT-5 on
 * @throws Refused with OpenAI's own error
 */
export function checkParameters(
  schema: JsonObject | undefined,
  name: string,
  param: string,
  takesUnions = false,
): void {
  if (schema === undefined) return;
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
