/** Schemas that are to be kept to strictly: every object closed, and all of its properties required (recorded). */

import type { JsonObject } from '../../json.ts';
import { asList, asObject, asObjects } from '../../json.ts';
import { openaiRefusal } from './words.ts';

/**
 * @param of what the schema is for: `function 'get_weather'`.
 * @throws Refused
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
