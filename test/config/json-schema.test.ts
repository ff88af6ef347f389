/** The JSON schema of a configuration, as the gateway serves it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { configJsonSchema, SCHEMA_FILE } from '../../build/config-schema.ts';
import { configTypes } from '../../build/config-types.ts';
import { asObject, asText, isList, type Json } from '../../src/lib/json.ts';
import { startGateway } from '../support/gateway.ts';

const text = readFileSync(SCHEMA_FILE, 'utf8');
const schema: object = JSON.parse(text);
// Formats are for editors; zod is what decides here.
const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);

test('the file is made from the fields of the configuration: npm run schema writes it', () => {
  expect(text).toBe(configJsonSchema());
});

test('every field is described', () => {
  expect(undescribed(JSON.parse(text), '')).toEqual([]);
});

/** What a type of values says of itself, which is no description of a field that has it. */
const OF_TYPES = ['', 'A duration in milliseconds.', 'A certificate, or several in a row.'];

/** The paths of all fields that have no description of their own. */
function undescribed(part: Json | undefined, path: string): readonly string[] {
  if (isList(part)) return part.flatMap((each) => undescribed(each, path));
  return Object.entries(asObject(part) ?? {}).flatMap(([key, value]) => {
    if (key !== 'properties') return undescribed(value, path);
    return Object.entries(asObject(value) ?? {}).flatMap(([name, field]) => {
      const isBare = OF_TYPES.includes(asText(asObject(field)?.['description']) ?? '');
      return [...(isBare ? [path + name] : []), ...undescribed(field, `${path}${name}.`)];
    });
  });
}

test('the page about the configuration names every field', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const words = new Set(page.match(/[$\w]+/g));
  expect(fieldsIn(JSON.parse(text)).filter((name) => !words.has(name))).toEqual([]);
});

/** The names of all fields of a schema, at every depth. */
function fieldsIn(part: Json | undefined): readonly string[] {
  if (isList(part)) return part.flatMap(fieldsIn);
  const fields = asObject(part);
  if (fields === undefined) return [];
  return [...Object.keys(asObject(fields['properties']) ?? {}), ...Object.values(fields).flatMap(fieldsIn)];
}

test('a gateway serves it, and it takes what the gateway takes', async () => {
  const gateway = await startGateway({});
  try {
    const served = await fetch(`${gateway.url}/config.schema.json`);
    expect([served.status, await served.json()]).toEqual([200, schema]);
  } finally {
    await gateway.close();
  }
});

test.each([
  [{}, true],
  [{ $schema: 'http://localhost:8787/config.schema.json', port: 0 }, true],
  [{ vendors: { openai: { apiKey: 'k', upstreams: [{ apiKey: 'l', weight: 2 }] } } }, true],
  [{ vendors: { openai: { credentials: 'azure', formats: ['responses', 'messages'] } } }, true],
  [{ models: [{ id: 'a/b', contextWindow: 1, maxOutputTokens: 1, prices: { input: 0, output: 0 } }] }, true],
  [{ keys: [{ name: 'team', key: 'gw_12345678', limits: { budgetDay: 1 } }] }, true],
  [{ vendor: {} }, false],
  [{ port: '8787' }, false],
  [{ retries: { after: 'never' } }, false],
  [{ models: [{ id: 'a/b' }] }, false],
])('%j', (config, expected) => {
  expect(isValid(config), JSON.stringify(isValid.errors)).toBe(expected);
});

test('the type of a configuration has the descriptions of its fields', () => {
  const types = configTypes();
  expect(types).toContain(
    '/**\n   * The port to listen at. 0: any that is free.\n   * @default 8787\n   */\n  port?: number',
  );
  expect(types).not.toContain('unknown');
});
