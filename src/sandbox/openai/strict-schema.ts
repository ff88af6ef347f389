/**
 * Strict schemas: every object is closed, and all of its properties are required (recorded). The keywords and formats
 * that users most often get errors for are rejected (openai/openai-node, `lib/transform`).
 */

import type { JsonObject } from '../../lib/json.ts';
import { asList, asObject, asText } from '../../lib/json.ts';
import { nestedSchemas } from '../nested-schemas.ts';
import { badRequest } from './words.ts';

const NOT_PERMITTED = ['allOf', 'oneOf', 'not', 'patternProperties', 'propertyNames', 'uniqueItems'];
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/**
 * Checks a strict schema.
 * @param of what the schema is for, in the error's words: `function 'get_weather'`
 * @param param the path of the schema in the request, for the error
 * @throws Refused with OpenAI's own error
 */
export function checkStrictSchema(schema: JsonObject, of: string, param: string): void {
  const code = of.startsWith('function') ? 'invalid_function_parameters' : null;
  const refuse = (context: readonly string[], fault: string) =>
    badRequest({
      message: `Invalid schema for ${of}: In context=(${context.map((one) => `'${one}'`).join(', ')}), ${fault}`,
      param,
      code,
    });
  for (const { at, context } of nestedSchemas(schema)) {
    const keyword = NOT_PERMITTED.find((key) => at[key] !== undefined);
    if (keyword !== undefined) throw refuse(context, `'${keyword}' is not permitted.`);
    const format = asText(at['format']);
    if (format !== undefined && !FORMATS.includes(format)) {
      throw refuse(context, `'${format}' is not a valid format.`);
    }
    const fault = objectFault(at);
    if (fault !== undefined) throw refuse(context, fault);
  }
}

/** What strict mode requires of an object and a schema lacks; undefined if it lacks nothing. */
function objectFault(schema: JsonObject): string | undefined {
  const properties = asObject(schema['properties']);
  if (properties === undefined && schema['type'] !== 'object') return undefined;
  if (schema['additionalProperties'] !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  const required = new Set(asList(schema['required']));
  const missing = Object.keys(properties ?? {}).find((name) => !required.has(name));
  if (missing === undefined) return undefined;
  return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}
