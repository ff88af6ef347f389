/** Variables that are set for a vendor and read by nobody here: others call them so, or they are misspelt. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../lib/environment.ts';

/** By what the key of a vendor is called here: what SDKs, other gateways and people call it. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  OPENAI_API_KEY: /^(?:OPENAI|OPEN_AI|OPNAI|OPENIA)_?(?:API)?_?(?:KEY|TOKEN)S?$/i,
  ANTHROPIC_API_KEY: /^(?:ANTHROPIC|ANTROPIC|ANTHROPHIC|CLAUDE)_?(?:API)?_?KEYS?$/i,
  GEMINI_API_KEY: /^(?:GOOGLE|GOOGLE_GEN(?:ERATIVE_)?AI|GEMINI)_?(?:API)?_?KEYS?$/i,
};

const VENDORS: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'openai',
  ANTHROPIC_API_KEY: 'anthropic',
  GEMINI_API_KEY: 'google',
};

/** A sentence for each, of vendors that nobody has configured; a value is never told. */
export function variableHints(
  { vendors }: Config,
  environment: Environment,
  directory: string,
): readonly string[] {
  const unread = Object.entries(ELSEWHERE).flatMap(([own, others]) => {
    const vendor = vendors[VENDORS[own] ?? ''];
    if (vendor !== undefined && (vendor.apiKey ?? vendor.credentials ?? vendor.upstreams[0]) !== undefined)
      return [];
    return Object.keys(environment)
      .filter((name) => name !== own && others.test(name) && environment[name])
      .map((name) => `The environment has ${name}, which is not read: it is called ${own} here.`);
  });
  const isBare = Object.keys(vendors).length === 0 && existsSync(join(directory, '.env'));
  return isBare
    ? [...unread, 'The file .env is not read: node --env-file=.env src/cli/gateway.js start does that.']
    : unread;
}
