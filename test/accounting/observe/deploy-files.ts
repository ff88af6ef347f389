/** The files below `deploy/`, as tests read them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from 'c12';
import { isObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';

export const DEPLOY = join(import.meta.dirname, '../../../deploy');

/** A YAML file with one document. */
export async function yaml(...path: string[]): Promise<JsonObject> {
  const { config } = await loadConfig({
    configFile: join(DEPLOY, ...path),
    configFileRequired: true,
    rcFile: false,
    globalRc: false,
    packageJson: false,
    dotenv: false,
    extend: false,
  });
  const value = parseJson(JSON.stringify(config));
  if (!isObject(value)) throw new Error(`${path.join('/')} is no mapping.`);
  return value;
}

export function jsonFile(...path: string[]): JsonObject {
  const value = parseJson(textFile(...path));
  if (!isObject(value)) throw new Error(`${path.join('/')} is no object.`);
  return value;
}

export function textFile(...path: string[]): string {
  return readFileSync(join(DEPLOY, ...path), 'utf8');
}
