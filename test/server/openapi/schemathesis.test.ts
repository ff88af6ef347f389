/**
 * The whole service under Schemathesis: it generates valid and invalid requests from `/openapi.json` and
 * checks the answers against it. Schemathesis is a Python program (https://schemathesis.io), in a virtual
 * environment at `.python`: `python3 -m venv .python && .python/bin/pip install schemathesis==4.32.5`.
 *
 * Two of its checks are left out. `positive_data_acceptance` expects a 2xx for every request that the
 * document allows, but every format's objects are open, and a vendor rejects values that only it can judge.
 * `negative_data_rejection` expects a 4xx for every request that the document does not allow, but native
 * bodies pass unchanged, for the vendor to judge.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isList, isObject, type Json } from '../../../src/lib/json.ts';
import { openApi } from '../../../src/server/http/openapi/document.ts';
import { ADMIN_KEY, startAdmin } from '../../support/admin.ts';
import { KEY, startGateway } from '../../support/gateway.ts';
import { isAvailable, SCHEMATHESIS, SCHEMATHESIS_PATH } from '../../support/programs.ts';

/** Seconds of requests to each of the two listeners. */
const SECONDS = process.env['FULL'] === '1' ? 300 : 40;

const MODELS = ['openai/gpt-5.4', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];
const GOOGLES = ['gemini-2.5-flash', 'gemini-3.8-flash'];

/**
 * The document with existing models filled in, since any other name is answered by a 404 before anything else
 * is read.
 */
function withModels(value: Json | undefined): Json {
  if (isList(value)) return value.map(withModels);
  if (!isObject(value)) return value ?? null;
  const made = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, withModels(of)]));
  if (made['name'] === 'model' && made['in'] === 'path')
    return { ...made, schema: { type: 'string', enum: GOOGLES } };
  const properties = made['properties'];
  const isRequest = isObject(properties) && ('messages' in properties || 'input' in properties);
  return isRequest
    ? { ...made, properties: { ...properties, model: { type: 'string', enum: MODELS } } }
    : made;
}

/** Runs Schemathesis against a listener. @returns its output and its exit code: 1 if it found something. */
async function ask(
  url: string,
  key: string,
  words: readonly string[],
): Promise<{ output: string; code: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-schemathesis-'));
  try {
    const file = join(directory, 'openapi.json');
    await writeFile(file, JSON.stringify(withModels(openApi())));
    const said = [
      ...['run', file, '--url', url, '-H', `Authorization: Bearer ${key}`],
      ...['--exclude-checks', 'positive_data_acceptance,negative_data_rejection'],
      ...['--phases', 'coverage,fuzzing', '--seed', '1', '--no-shrink', '--warnings', 'off'],
      ...['--max-examples', '30', '--max-time', String(SECONDS), '--suppress-health-check', 'all'],
      ...words,
    ];
    return await new Promise((done) => {
      execFile(SCHEMATHESIS_PATH, said, { cwd: directory, maxBuffer: 1e8 }, (error, stdout, stderr) =>
        done({
          output: stdout + stderr,
          code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
        }),
      );
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** How many requests it has made, by its own summary. */
function casesIn(output: string): number {
  return Number(/(\d+) generated/.exec(output)?.[1]);
}

describe.skipIf(!isAvailable(SCHEMATHESIS))('Schemathesis', () => {
  test('finds nothing at the public listener', { timeout: (SECONDS + 120) * 1_000 }, async () => {
    const gateway = await startGateway();
    const { output, code } = await ask(gateway.url, KEY, ['--exclude-tag', 'admin']);
    await gateway.close();
    expect(code, output).toBe(0);
    expect(casesIn(output), output).toBeGreaterThan(30);
  });

  test('finds nothing at the admin listener', { timeout: (SECONDS + 120) * 1_000 }, async () => {
    const admin = await startAdmin();
    const { output, code } = await ask(admin.url, ADMIN_KEY, ['--include-tag', 'admin']);
    await admin.close();
    expect(code, output).toBe(0);
    expect(casesIn(output), output).toBeGreaterThan(30);
  });
});
