/**
 * The JSON schema of a configuration: `src/config/config.schema.json`, which the gateway serves and the package has.
 * `npm run schema` writes it, and `test/config/json-schema.test.ts` fails if the file is not what this makes.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { credentialsSchema, type GivenCredentials } from '../src/config/credentials.ts';
import { configSchema } from '../src/config/schema.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { asList, isList, isObject, type Json } from '../src/lib/json.ts';
import { fieldDocs } from './field-docs.ts';

const ROOT = join(import.meta.dirname, '..');
export const SCHEMA_FILE = join(ROOT, 'src/config/config.schema.json');

/** The clouds, as a vendor's `credentials` name them. */
const CLOUDS: readonly GivenCredentials['type'][] = ['aws', 'google', 'azure'];

/** A reference to a variable, as `filledIn` reads it. */
const VARIABLE = '^\\$\\{\\w+\\}$';

/** Where a schema holds others that describe the same value, or parts of it without names. */
const NESTED = ['items', 'additionalItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'];

/** Makes the schema, as the text of the file. Draft 7 is what editors know best. */
export function configJsonSchema(): string {
  const made: Json = JSON.parse(
    JSON.stringify(
      z.toJSONSchema(configSchema, {
        io: 'input',
        unrepresentable: 'any',
        target: 'draft-7',
        reused: 'inline',
        override({ zodSchema, jsonSchema }) {
          // Zod shows what a transform makes of it, but not that the name alone will do.
          if (Object.is(zodSchema, credentialsSchema)) jsonSchema.oneOf?.unshift({ enum: [...CLOUDS] });
          if (Array.isArray(jsonSchema.items)) jsonSchema.additionalItems ??= false;
          // A variable may stand for a number or a boolean, too. The pattern holds for texts alone.
          const { type } = jsonSchema;
          if (type === 'number' || type === 'integer' || type === 'boolean')
            Object.assign(jsonSchema, { type: [type, 'string'], pattern: VARIABLE });
        },
      }),
    ),
  );
  if (!isObject(made)) throw new TypeError('A schema is an object.');
  const docs = fieldDocs(join(ROOT, 'src/config/schema.ts'), 'configSchema');
  const { definitions, ...schema } = made;
  const described = withDocs(schema, docs, '');
  const prices = definitions && { definitions: withDefinitions(definitions, docs) };
  const title = 'The configuration of a gateway';
  return `${JSON.stringify({ title, ...asSchema(described), ...prices }, null, 2)}\n`;
}

/** The one schema that refers to itself is that of prices. */
function withDefinitions(definitions: Json, docs: ReadonlyMap<string, string>): Json {
  if (!isObject(definitions)) return definitions;
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [
      name,
      withDocs(schema ?? {}, docs, 'models.prices.'),
    ]),
  );
}

/** Adds descriptions to all fields of a schema. @param prefix the path of what it describes, with a dot at its end. */
function withDocs(schema: Json, docs: ReadonlyMap<string, string>, prefix: string): Json {
  if (isList(schema)) return schema.map((each) => withDocs(each, docs, prefix));
  if (!isObject(schema)) return schema;
  // Zod marks what it freezes, which means something else to editors.
  const { readOnly: _, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value = null]) => {
      if (key === 'properties' && isObject(value)) return [key, describedFields(value, docs, prefix)];
      return [key, NESTED.includes(key) ? withDocs(value, docs, prefix) : value];
    }),
  );
}

function describedFields(fields: JsonObject, docs: ReadonlyMap<string, string>, prefix: string): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const description = docs.get(prefix + name);
      const inner = asSchema(withDocs(field ?? {}, docs, `${prefix}${name}.`));
      return [name, { ...(description !== undefined && { description }), ...inner }];
    }),
  );
}

function asSchema(value: Json): JsonObject {
  if (!isObject(value)) throw new TypeError(`Not a schema: ${JSON.stringify(asList(value))}`);
  return value;
}

if (import.meta.main) writeFileSync(SCHEMA_FILE, configJsonSchema());
