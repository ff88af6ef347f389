/** The type of a configuration, written out with the description of every field, from its JSON schema. */

import { readFileSync } from 'node:fs';
import {
  asList,
  asObject,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../src/lib/json.ts';
import { SCHEMA_FILE } from './config-schema.ts';

/** The types of what no file can say: functions in code. */
const HOOKS = "import type { Hooks } from '../conversation/hooks.ts';\n\n";

/** Makes the text of a declaration file with the type `ConfigInput`. */
export function configTypes(): string {
  const schema = asObject(parseJson(readFileSync(SCHEMA_FILE, 'utf8'))) ?? {};
  const named = Object.entries(asObject(schema['definitions']) ?? {}).map(
    ([name, definition]) => `interface ${typeName(name)} ${typeOf(definition, '')}\n`,
  );
  return `${HOOKS}/** A configuration as a file writes it. */\nexport interface ConfigInput ${typeOf(schema, '')}\n${named.join('\n')}`;
}

/** `#/definitions/__schema0` and `__schema0` are both `Schema0`. */
function typeName(reference: string): string {
  return reference.replace('#/definitions/', '').replace('__s', 'S');
}

function typeOf(schema: Json | undefined, indent: string): string {
  if (!isObject(schema)) return 'unknown';
  const { $ref, const: only, enum: words, allOf, properties, additionalProperties } = schema;
  // Code reads variables by itself: a number or a boolean is no text there.
  const type = isList(schema['type']) ? schema['type'][0] : schema['type'];
  if (typeof $ref === 'string') return typeName($ref);
  if (only !== undefined) return JSON.stringify(only);
  if (isList(words)) return words.map((word) => JSON.stringify(word)).join(' | ');
  const options = [...asList(schema['anyOf']), ...asList(schema['oneOf'])];
  if (options.length > 0) return options.map((option) => typeOf(option, indent)).join(' | ');
  if (type === undefined && isList(allOf)) return allOf.map((each) => typeOf(each, indent)).join(' & ');
  switch (type) {
    case 'string':
    case 'boolean':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return listType(schema, indent);
    case 'object':
      return isObject(properties)
        ? fieldsType(properties, schema, indent)
        : `{ [name: string]: ${typeOf(additionalProperties, indent)} }`;
    default:
      return 'unknown';
  }
}

function listType({ items, additionalItems }: JsonObject, indent: string): string {
  if (!isList(items)) return `readonly (${typeOf(items, indent)})[]`;
  const rest =
    additionalItems === undefined || additionalItems === false
      ? []
      : [`...(${typeOf(additionalItems, indent)})[]`];
  return `readonly [${[...items.map((item) => typeOf(item, indent)), ...rest].join(', ')}]`;
}

function fieldsType(properties: JsonObject, { required }: JsonObject, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const doc = docOf(field, inner);
    const isFunction = isObject(field) && field['not'] !== undefined;
    const type = isFunction ? `Hooks['${name}']` : typeOf(field, inner);
    return asList(required).includes(name)
      ? `${doc}${inner}${name}: ${type};`
      : `${doc}${inner}${name}?: ${type} | undefined;`;
  });
  return `{\n${fields.join('\n')}\n${indent}}`;
}

function docOf(field: Json | undefined, indent: string): string {
  const { description, default: usual } = asObject(field) ?? {};
  const isPlain = usual !== undefined && usual !== null && typeof usual !== 'object';
  const lines = [asText(description), isPlain ? `@default ${JSON.stringify(usual)}` : undefined].filter(
    (line) => line !== undefined,
  );
  if (lines.length === 0) return '';
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line.replaceAll('*/', '*\\/')}\n`).join('')}${indent} */\n`;
}
