/** `gateway models`: the catalog, as text. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { runCommand } from '../support/command.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-models-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('each model has a line with its limits, its prices including long prompt and future ones, and its shutdown date', async () => {
  const model = { name: 'One', created: 0, contextWindow: 64_000, maxOutputTokens: 8_192 };
  const prices = { input: 0.5, output: 2, long: { above: 32_000, input: 1, output: 3 } };
  const dear = { input: 1, output: 4, later: { from: '2999-12-31', prices: { input: 9, output: 9 } } };
  const config: ConfigInput = {
    vendors: { house: { apiKey: 'k', baseUrl: 'http://localhost:9/v1' } },
    models: [
      { ...model, id: 'house/plain', prices: { input: 1, output: 12.5 } },
      { ...model, id: 'house/long', prices },
      { ...model, id: 'house/rising', prices: { ...prices, later: { from: '2999-01-31', prices: dear } } },
      { ...model, id: 'house/risen', prices: { ...prices, later: { from: '2020-01-31', prices: dear } } },
      { ...model, id: 'house/ending', prices: { input: 1, output: 2 }, shutdown: '2999-01-31' },
      { ...model, id: 'house/ended', prices: { input: 1, output: 2 }, shutdown: '2020-01-31' },
    ],
  };
  await writeFile(join(directory, 'gateway.config.json'), JSON.stringify(config));
  const { code, stdout } = await runCommand(directory, ['models', '--served']);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ['model', 'context', 'output', '$ in', '$ out'],
    ['house/plain', '64000', '8192', '1', '12.5'],
    ['house/long', '64000', '8192', '0.5', '2', '(1, 3 above 32000)'],
    ['house/rising', '64000', '8192', '0.5', '2', '(1, 3 above 32000)', '(1, 4 from 2999-01-31 on)'],
    ['house/risen', '64000', '8192', '1', '4', '(9, 9 from 2999-12-31 on)'],
    ['house/ending', '64000', '8192', '1', '2', '(to be shut down on 2999-01-31)'],
    ['house/ended', '64000', '8192', '1', '2', '(shut down on 2020-01-31)'],
  ]);
  const all = await runCommand(directory, ['models']);
  expect(all.stdout).toContain(stdout.split('\n')[1]?.trim().split(' ')[0]);
  expect(all.stdout).toMatch(/^openai\/gpt-4\.1 /m);
});

test('if no vendor has a key, it says why no model is served', async () => {
  const empty = await mkdtemp(join(directory, 'empty-'));
  const { code, stdout } = await runCommand(empty, ['models', '--served']);
  expect([code, stdout]).toEqual([
    0,
    'No vendor with a key serves a model. If no vendor has a key, the sandbox simulates all models.\n',
  ]);
});
