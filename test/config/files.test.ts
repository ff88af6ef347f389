/** Configuration files, of each supported kind. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

test.each([
  ['json', (port: number) => `{"port": ${port}}`],
  ['mjs', (port: number) => `export default { port: ${port} };`],
  ['mjs', (port: number) => `export default async () => ({ port: ${port} });`],
  ['cjs', (port: number) => `module.exports = { port: ${port} };`],
  ['cjs', (port: number) => `module.exports = () => ({ port: ${port} });`],
  ['ts', (port: number) => `const port: number = ${port};\nexport default { port };`],
  ['mts', (port: number) => `export default { port: ${port} as number };`],
  ['js', (port: number) => `export default { port: ${port} };`],
  ['yaml', (port: number) => `port: ${port}`],
])('a .%s file is read again each time', async (kind, holding) => {
  const file = join(directory, `house.${kind}`);
  for (const port of [8_123, 8_124, 8_125]) {
    writeFileSync(file, holding(port));
    expect(await readConfig({ GATEWAY_CONFIG: file }, directory)).toMatchObject({ port });
  }
});

test.each([
  ['json', '{"port": 8123, "key": "a-secret-of-mine" "x"}', /not valid JSON \(line 1 column \d+\)/],
  ['json', '["a-secret-of-mine"]', /it does not contain an object/],
  ['mjs', 'export default "a-secret-of-mine";', /it does not contain an object/],
  ['cjs', 'module.exports = ["a-secret-of-mine"];', /it does not contain an object/],
])('a .%s file with %j is rejected without quoting it', async (kind, text, said) => {
  writeFileSync(join(directory, `wrong.${kind}`), text);
  const reading = readConfig({ GATEWAY_CONFIG: `wrong.${kind}` }, directory);
  await expect(reading).rejects.toThrow(said);
  await expect(reading).rejects.not.toThrow('a-secret');
});

test.each(['', '\n', '# port: 8123\n', '---\n# later\n'])(
  'a .yaml file without content, %j, sets nothing',
  async (text) => {
    writeFileSync(join(directory, 'empty.yaml'), text);
    expect(await readConfig({ GATEWAY_CONFIG: 'empty.yaml' }, directory)).toMatchObject({ port: 8787 });
  },
);

describe('a variable in a file that is not code', () => {
  const vendors = (name: string, key: string) => ({
    [name]: { baseUrl: 'https://house.example/v1', apiKey: key },
  });

  test.each([
    ['json', `{"vendors": {"house": {"baseUrl": "https://\${HOUSE}/v1", "apiKey": "\${HOUSE_KEY}"}}}`],
    ['yaml', `vendors:\n  house:\n    baseUrl: https://\${HOUSE}/v1\n    apiKey: \${HOUSE_KEY}\n`],
    ['toml', `[vendors.house]\nbaseUrl = "https://\${HOUSE}/v1"\napiKey = "\${HOUSE_KEY}"\n`],
  ])('is replaced by its value: .%s', async (kind, text) => {
    writeFileSync(join(directory, `filled.${kind}`), text);
    const environment = {
      GATEWAY_CONFIG: `filled.${kind}`,
      HOUSE: 'house.example',
      HOUSE_KEY: `sk-of-\${HOUSE}-$1`,
    };
    expect(await readConfig(environment, directory)).toMatchObject({
      vendors: vendors('house', `sk-of-\${HOUSE}-$1`),
    });
  });

  test('that is not set, or empty, is reported with its field', async () => {
    const keys = [{ name: 'team', key: `\${TEAM_KEY}` }];
    writeFileSync(
      join(directory, 'unset.json'),
      JSON.stringify({ keys, vendors: vendors('house', `\${HOUSE_KEY}`) }),
    );
    await expect(readConfig({ GATEWAY_CONFIG: 'unset.json', TEAM_KEY: '' }, directory)).rejects.toThrow(
      'The configuration is not valid: keys.0.key: the variable TEAM_KEY is not set; vendors.house.apiKey: the variable HOUSE_KEY is not set',
    );
  });

  test('is left alone in code, which can read the environment itself', async () => {
    writeFileSync(join(directory, 'code.mjs'), `export default { host: '$' + '{HOST_OF_MINE}' };`);
    expect(await readConfig({ GATEWAY_CONFIG: 'code.mjs' }, directory)).toMatchObject({
      host: `\${HOST_OF_MINE}`,
    });
  });
});

test('no other file is read, whatever configuration loaders look for', async () => {
  const bare = mkdtempSync(join(tmpdir(), 'gateway-files-'));
  try {
    writeFileSync(join(bare, '.gatewayrc'), 'port=8123');
    writeFileSync(join(bare, '.env'), 'PORT=8123');
    writeFileSync(join(bare, 'package.json'), '{"gateway":{"port":8123}}');
    expect(await readConfig({}, bare)).toMatchObject({ port: 8787 });
  } finally {
    rmSync(bare, { recursive: true });
  }
});
