/**
 * Strict schemas: every object is closed, and all of its properties are required (recorded). The keywords and formats
 * that users most often get errors for are rejected (openai/openai-node, `lib/transform`).
 */

import type { JsonObject } from '../../lib/json.ts';
import { asList, asObject, asObjects, asText } from '../../lib/json.ts';
import { openaiRefusal } from './words.ts';

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
    openaiRefusal(400, {
      message: `Invalid schema for ${of}: In context=(${context.map((one) => `'${one}'`).join(', ')}), ${fault}`,
      param,
      code,
    });
  const open: { readonly at: JsonObject; readonly context: readonly string[] }[] = [
    { at: schema, context: [] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, context } = next;
    const keyword = NOT_PERMITTED.find((key) => at[key] !== undefined);
    if (keyword !== undefined) throw refuse(context, `'${keyword}' is not permitted.`);
    const format = asText(at['format']);
    if (format !== undefined && !FORMATS.includes(format)) {
      throw refuse(context, `'${format}' is not a valid format.`);
    }
    const properties = asObject(at['properties']);
    if (properties !== undefined || at['type'] === 'object') {
      if (at['additionalProperties'] !== false) {
        throw refuse(context, "'additionalProperties' is required to be supplied and to be false.");
      }
      const required = new Set(asList(at['required']));
      const missing = Object.keys(properties ?? {}).find((name) => !required.has(name));
      if (missing !== undefined) {
        throw refuse(
          context,
          "'required' is required to be supplied and to be an array including every key in properties. " +
            `Missing '${missing}'.`,
        );
      }
    }
    for (const field of ['properties', '$defs', 'definitions']) {
      for (const [name, inner] of Object.entries(asObject(at[field]) ?? {})) {
        open.push({ at: asObject(inner) ?? {}, context: [...context, field, name] });
      }
    }
    const items = asObject(at['items']);
    if (items !== undefined) open.push({ at: items, context: [...context, 'items'] });
    for (const [index, inner] of asObjects(at['anyOf']).entries()) {
      open.push({ at: inner, context: [...context, 'anyOf', String(index)] });
    }
  }
}
