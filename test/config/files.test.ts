/** Configuration files, of each supported kind. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config/load.ts';
import { MAX_TOKENS } from '../../src/lib/json-bounds.ts';

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
  ['yaml', 'admin:\n  key: *a-secret-of-mine', /: unidentified alias \(2:\d+\)/],
  ['yaml', 'admin:\n  key: !a-secret-of-mine', /: unknown tag \(\d+:\d+\)/],
  ['yaml', 'admin:\n  key: !x!a-secret-of-mine', /: undeclared tag handle \(\d+:\d+\)/],
  ['yaml', 'admin:\n  key: !a-secret-of-mine{}<"', /: [a-z ]+ \(\d+:\d+\)/],
  ['mjs', 'export default "a-secret-of-mine";', /it does not contain an object/],
  ['cjs', 'module.exports = ["a-secret-of-mine"];', /it does not contain an object/],
])('a .%s file with %j is rejected without quoting it', async (kind, text, said) => {
  writeFileSync(join(directory, `wrong.${kind}`), text);
  const reading = readConfig({ GATEWAY_CONFIG: `wrong.${kind}` }, directory);
  await expect(reading).rejects.toThrow(said);
  await expect(reading).rejects.not.toThrow('a-secret');
});

test.each([
  ['mjs', 'throw new Error(process.env.OPENAI_API_KEY + " is refused");'],
  ['ts', 'export default () => { throw new Error("no " + process.env.MY_DATABASE_URL); };'],
  ['cjs', 'throw "The token " + process.env.VAULT_TOKEN;'],
])('what a .%s file throws is shown without secrets: %s', async (kind, text) => {
  const secrets = {
    OPENAI_API_KEY: 'a-secret-of-mine-1',
    MY_DATABASE_URL: 'postgres://me:a-secret-of-mine-2@host/db',
    VAULT_TOKEN: 'a-secret-of-mine-3',
  };
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(join(directory, `throws.${kind}`), text);
  const reading = readConfig({ ...secrets, GATEWAY_CONFIG: `throws.${kind}` }, directory);
  await expect(reading).rejects.toThrow(/: \S*throws\.\w+: .*\[hidden\]/);
  await expect(reading).rejects.not.toThrow('a-secret');
});

test.each([
  ['json', '{"port": 8123'],
  ['yaml', 'port: [8123'],
  ['yml', 'port: 8123\n  host: here'],
  ['toml', 'port = '],
  ['mjs', 'export default {'],
  ['ts', 'export default {'],
  ['cjs', 'throw new Error("broken");'],
])('the error of a .%s file with %j names the file once', async (kind, text) => {
  const folder = mkdtempSync(join(directory, 'named-'));
  const file = join(folder, `gateway.config.${kind}`);
  writeFileSync(file, text);
  const found = await readConfig({}, folder).catch((error: unknown) => error);
  const { message } = found instanceof Error ? found : new Error('It was read.');
  expect(message).toMatch(/^The configuration file cannot be read: /);
  expect(message.split(file)).toHaveLength(2);
});

test.each([
  '{"keys": [{"name": "a", "key": "a-secret-of-mine"}], "keys": []}',
  '{"vendors": {"openai": {"apiKey": "a-secret-of-mine", "api\\u004bey": "another"}}}',
])('a .json file with a key twice is rejected, since one of the values would be lost: %j', async (text) => {
  writeFileSync(join(directory, 'twice.json'), text);
  await expect(readConfig({ GATEWAY_CONFIG: 'twice.json' }, directory)).rejects.toThrow(
    `The configuration file cannot be read: ${join(directory, 'twice.json')}: an object in it has a key twice`,
  );
});

test('a .json file may hold more values than a request', async () => {
  const models = Array.from({ length: MAX_TOKENS + 1 }, (_, at) => `a/${at}`);
  const file = join(directory, 'large.json');
  writeFileSync(file, JSON.stringify({ keys: [{ name: 'one', key: 'a-secret-of-mine', models }] }));
  const { keys } = await readConfig({ GATEWAY_CONFIG: file }, directory);
  expect(keys[0]?.models).toHaveLength(models.length);
});

test.each([
  ['jsonc', '{/* "port": 1, */ "port": 8123, // the first\n "port": 8124}'],
  ['jsonc', '{"vendors": {"openai": {"apiKey": "a-secret-of-mine"}, "openai": {}}}'],
  ['json5', "{port: 8123, /* ':' */ 'port': 8124}"],
  ['json5', "{vendors: {openai: {apiKey: 'a-secret-of-mine: \\'', \"api\\u004bey\": 'b'}}}"],
])('a .%s file with a key twice is rejected: %j', async (kind, text) => {
  writeFileSync(join(directory, `twice.${kind}`), text);
  await expect(readConfig({ GATEWAY_CONFIG: `twice.${kind}` }, directory)).rejects.toThrow(
    `The configuration file cannot be read: ${join(directory, `twice.${kind}`)}: an object in it has a key twice`,
  );
});

test.each([
  '{"port": 8123 "host": "0.0.0.0"}',
  '{"port": 8123, "host": "0.0.0.0',
  '{"port": 8123, "ho',
  '{"port": 8123, /* "host": "0.0.0.0"}',
  '{"port": 8123,, "host": "0.0.0.0"}',
  '{"port": 8123}}',
  "{'port': 8123}",
])('a .jsonc file that is cut off or misspelt is rejected, not read in part: %j', async (text) => {
  writeFileSync(join(directory, 'broken.jsonc'), text);
  await expect(readConfig({ GATEWAY_CONFIG: 'broken.jsonc' }, directory)).rejects.toThrow(
    /^The configuration file cannot be read: \S+broken\.jsonc: it is not valid JSON/,
  );
});

test('a .jsonc file may have comments and trailing commas, and a .json5 file what JSON5 has', async () => {
  const comments =
    '// { "a": 1 }\r\n{ /* "port": 1, */ "port": 8123, "keys": [\n{ "name": "/* a: */", "key": "//,]12345" }, ], // b\n}';
  writeFileSync(join(directory, 'relaxed.jsonc'), comments);
  writeFileSync(join(directory, 'relaxed.json5'), `${comments}// '`.replace('"//,]12345"', "'//,]\\'\"45'"));
  for (const [kind, key] of [
    ['jsonc', '//,]12345'],
    ['json5', `//,]'"45`],
  ]) {
    const config = await readConfig({ GATEWAY_CONFIG: `relaxed.${kind}` }, directory);
    expect(config).toMatchObject({ port: 8_123, keys: [{ name: '/* a: */', key }] });
  }
  writeFileSync(join(directory, 'commented.jsonc'), '// { "port": 8123 }\n');
  expect(await readConfig({ GATEWAY_CONFIG: 'commented.jsonc' }, directory)).toMatchObject({ port: 8_787 });
});

test.each([
  ['json', 'null'],
  ['jsonc', ''],
  ['jsonc', '"word"'],
  ['json5', 'null'],
  ['toml', ''],
  ['toml', ' \n'],
  ['yaml', ''],
  ['yaml', '\n'],
  ['yaml', '\uFEFF'],
  ['yaml', 'hello'],
  ['yaml', 'null'],
  ['yaml', '# later\n~'],
  ['yaml', '0'],
  ['yaml', '- port: 8123'],
  ['yml', ''],
])('a .%s file with %j does not contain an object', async (kind, text) => {
  writeFileSync(join(directory, `bare.${kind}`), text);
  await expect(readConfig({ GATEWAY_CONFIG: `bare.${kind}` }, directory)).rejects.toThrow(
    new RegExp(
      `^The configuration file cannot be read: ${RegExp.escape(join(directory, `bare.${kind}`))}: it does not contain an object$`,
    ),
  );
});

test.each([
  ...['ts', 'mts', 'js', 'mjs'].flatMap((kind) =>
    [
      '',
      'const port = 8123;',
      'export const port = 8123;',
      'export {};',
      'export default undefined;',
      'export default null;',
      'export default "a-secret-of-mine";',
      'export default [];',
      'export default () => undefined;',
      'export default async () => "a-secret-of-mine";',
    ].map((text) => [kind, text] as const),
  ),
  ...['js', 'cjs', 'cts'].flatMap((kind) =>
    [
      '',
      'const port = 8123;',
      'module.exports = null;',
      'module.exports = "a-secret-of-mine";',
      'module.exports = () => null;',
    ].map((text) => [kind, text] as const),
  ),
])('a .%s file with %j does not contain an object, and `export default` is named', async (kind, text) => {
  const code = mkdtempSync(join(directory, 'code-'));
  writeFileSync(join(code, `gateway.config.${kind}`), text);
  await expect(readConfig({}, code)).rejects.toThrow(
    new RegExp(
      `^The configuration file cannot be read: ${RegExp.escape(join(code, `gateway.config.${kind}`))}: it does not contain an object \\(code gives one with \`export default\`\\)$`,
    ),
  );
});

test.each([
  ['json', '{}', 8_787],
  ['yaml', '{}', 8_787],
  ['ts', 'export default {};', 8_787],
  ['ts', 'export default Promise.resolve({ port: 8123 });', 8_123],
  ['ts', 'module.exports = { port: 8123 };', 8_123],
  ['cts', 'export = { port: 8123 };', 8_123],
  ['cts', 'exports.port = 8123;', 8_123],
  ['js', 'module.exports = {};', 8_787],
  ['js', 'module.exports = { port: 8123 };', 8_123],
  ['js', 'exports.port = 8123;', 8_123],
  [
    'js',
    'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = { port: 8123 };',
    8_123,
  ],
])('a .%s file with %j contains one', async (kind, text, port) => {
  const code = mkdtempSync(join(directory, 'code-'));
  writeFileSync(join(code, `gateway.config.${kind}`), text);
  expect(await readConfig({}, code)).toMatchObject({ port });
});

test('a file is found without the end of its name', async () => {
  writeFileSync(join(directory, 'bare-name.ts'), 'export default { port: 8123 };');
  expect(await readConfig({ GATEWAY_CONFIG: 'bare-name' }, directory)).toMatchObject({ port: 8_123 });
});

test.each(['# port: 8123\n', '---\n# later\n'])(
  'a .yaml file of comments, %j, sets nothing',
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

  test.each([
    [
      'json',
      `{"port": "\${P}", "limits": {"memory": "\${M}"}, "keys": [{"name": "a", "key": "\${K}", "limits": {"requestsPerMinute": "\${N}"}}], "ejection": {"lone": "\${L}"}}`,
    ],
    [
      'yaml',
      `port: \${P}\nlimits: {memory: "\${M}"}\nkeys:\n  - {name: a, key: "\${K}", limits: {requestsPerMinute: "\${N}"}}\nejection: {lone: "\${L}"}\n`,
    ],
  ])('is a number or a boolean where one is expected: .%s', async (kind, text) => {
    writeFileSync(join(directory, `typed.${kind}`), text);
    const key = '1234567890123456';
    const environment = { GATEWAY_CONFIG: `typed.${kind}`, P: '8123', M: '0.5', K: key, N: '60', L: 'true' };
    expect(await readConfig(environment, directory)).toMatchObject({
      port: 8_123,
      limits: { memory: 0.5 },
      keys: [{ name: 'a', key, limits: { requestsPerMinute: 60 } }],
      ejection: { lone: true },
    });
  });

  test.each([
    ['true', true],
    ['closing', 'closing'],
  ])('is a boolean where a word may stand too: %s', async (text, thinkTags) => {
    const prices = { input: 1, output: 2 };
    const model = { id: 'house/qwen3', created: 1, contextWindow: 9_000, maxOutputTokens: 900, prices };
    const models = [{ ...model, name: 'Qwen3', thinkTags: `\${TAGS}` }];
    writeFileSync(join(directory, 'tags.json'), JSON.stringify({ models }));
    const config = await readConfig({ GATEWAY_CONFIG: 'tags.json', TAGS: text }, directory);
    expect(config.models).toMatchObject([{ thinkTags }]);
  });

  test.each([
    ['port', '8123a', 'port: Invalid input: expected number, received string'],
    ['port', '70000', 'port: must be at most 65535'],
    ['validate', 'yes', 'validate: Invalid input: expected boolean, received string'],
  ])('for %s that says %s is refused', async (field, text, message) => {
    writeFileSync(join(directory, 'wrong.json'), JSON.stringify({ [field]: `\${TEXT}` }));
    await expect(readConfig({ GATEWAY_CONFIG: 'wrong.json', TEXT: text }, directory)).rejects.toThrow(
      message,
    );
  });

  test.each([
    [`vendors:\n  house: { apiKey: \${HOUSE_KEY} }\n`, '(2:21)'],
    [`a: [\${HOUSE_KEY}, b]\n`, '(1:6)'],
  ])('needs quotes within braces of YAML: %j', async (text, place) => {
    writeFileSync(join(directory, 'braces.yaml'), text);
    await expect(readConfig({ GATEWAY_CONFIG: 'braces.yaml', HOUSE_KEY: 'k' }, directory)).rejects.toThrow(
      `${place}. Within { } and [ ] a variable needs quotes: "\${NAME}"`,
    );
  });

  test('is not blamed for other faults of YAML', async () => {
    writeFileSync(join(directory, 'other.yaml'), `port: \${PORT_NUMBER}\n workers: 2\n`);
    await expect(readConfig({ GATEWAY_CONFIG: 'other.yaml' }, directory)).rejects.toThrow(/\(2:9\)$/);
  });

  test('within a longer text leaves it a text', async () => {
    writeFileSync(join(directory, 'longer.json'), JSON.stringify({ port: `8\${TEXT}` }));
    await expect(readConfig({ GATEWAY_CONFIG: 'longer.json', TEXT: '123' }, directory)).rejects.toThrow(
      'port: Invalid input: expected number, received string',
    );
  });

  test('that is not set, or empty, is reported with its field', async () => {
    const keys = [{ name: 'team', key: `\${TEAM_KEY}` }];
    writeFileSync(
      join(directory, 'unset.json'),
      JSON.stringify({ keys, vendors: vendors('house', `\${HOUSE_KEY}`) }),
    );
    await expect(readConfig({ GATEWAY_CONFIG: 'unset.json', TEAM_KEY: '' }, directory)).rejects.toThrow(
      `The configuration is not valid: ${join(directory, 'unset.json')}: keys.0.key: the variable TEAM_KEY is not set; vendors.house.apiKey: the variable HOUSE_KEY is not set`,
    );
  });

  test.each(['HOUSE_KEY:-none', 'HOUSE_KEY:?', 'env:HOUSE_KEY', ' HOUSE_KEY ', ''])(
    'in a form of other programs is refused, not taken for the value: %j',
    async (form) => {
      writeFileSync(
        join(directory, 'form.json'),
        JSON.stringify({ vendors: vendors('house', `$\{${form}}`) }),
      );
      await expect(
        readConfig({ GATEWAY_CONFIG: 'form.json', HOUSE_KEY: 'sk-of-house' }, directory),
      ).rejects.toThrow(`vendors.house.apiKey: a variable is written as \${NAME}, without a default`);
    },
  );

  test('has both braces: other text is taken as it is', async () => {
    writeFileSync(
      join(directory, 'plain.json'),
      JSON.stringify({ vendors: vendors('house', 'a$b}c{d}-${e') }),
    );
    expect(await readConfig({ GATEWAY_CONFIG: 'plain.json' }, directory)).toMatchObject({
      vendors: vendors('house', 'a$b}c{d}-${e'),
    });
  });

  test('is left alone in code, which can read the environment itself', async () => {
    writeFileSync(join(directory, 'code.mjs'), `export default { host: '$' + '{HOST_OF_MINE}' };`);
    expect(await readConfig({ GATEWAY_CONFIG: 'code.mjs' }, directory)).toMatchObject({
      host: `\${HOST_OF_MINE}`,
    });
  });
});

test.each([
  ['yaml', 'keys:\n  - { name: a, key: a-key-of-a, expires: 2027-01-31T12:00:00+01:00 }'],
  ['toml', '[[keys]]\nname = "a"\nkey = "a-key-of-a"\nexpires = 2027-01-31T12:00:00+01:00'],
])('a time needs no quotes: .%s', async (kind, text) => {
  writeFileSync(join(directory, `time.${kind}`), text);
  const { keys } = await readConfig({ GATEWAY_CONFIG: `time.${kind}` }, directory);
  expect(keys.map(({ expires = '' }) => Date.parse(expires))).toEqual([Date.UTC(2027, 0, 31, 11)]);
});

test('a date without quotes, which YAML takes for a time, is reported as such', async () => {
  const model = 'id: a/b, contextWindow: 1, maxOutputTokens: 1, prices: { input: 1, output: 1 }';
  writeFileSync(join(directory, 'date.yaml'), `models:\n  - { ${model}, shutdown: 2027-01-31 }`);
  await expect(readConfig({ GATEWAY_CONFIG: 'date.yaml' }, directory)).rejects.toThrow(
    'models.0.shutdown: must be a date in quotes, such as "2027-01-31"',
  );
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

test.each([
  ['ts', 'throw new Error("DATABASE is not set");'],
  ['js', 'throw new Error("DATABASE is not set");'],
  ['cjs', 'throw new Error("DATABASE is not set");'],
  ['mjs', 'throw new Error("DATABASE is not set");'],
])('what a .%s file without an export throws is named', async (kind, text) => {
  writeFileSync(join(directory, `throwing.${kind}`), text);
  const reading = readConfig({ GATEWAY_CONFIG: `throwing.${kind}` }, directory);
  await expect(reading).rejects.toThrow(`throwing.${kind}: DATABASE is not set`);
});

test.each(['json', 'json5', 'jsonc', 'yaml', 'ts', 'mjs'])(
  'a byte order mark before a .%s file is ignored',
  async (kind) => {
    const [before, after] = kind === 'ts' || kind === 'mjs' ? ['export default ', ';'] : ['', ''];
    writeFileSync(join(directory, `marked.${kind}`), `\uFEFF${before}{"port": 8123}${after}`);
    expect(await readConfig({ GATEWAY_CONFIG: `marked.${kind}` }, directory)).toMatchObject({ port: 8_123 });
  },
);

test('a byte order mark before TOML is named, since its parser takes none', async () => {
  writeFileSync(join(directory, 'marked.toml'), '\uFEFFport = 8123\n');
  const reading = readConfig({ GATEWAY_CONFIG: 'marked.toml' }, directory);
  await expect(reading).rejects.toThrow('marked.toml: it begins with a byte order mark');
});

describe('what is no regular file', () => {
  test('a pipe is refused at once, and not waited for', async () => {
    execFileSync('mkfifo', [join(directory, 'pipe.json')]);
    const reading = readConfig({ GATEWAY_CONFIG: 'pipe.json' }, directory);
    await expect(reading).rejects.toThrow('pipe.json: it is not a regular file');
  });

  test('a directory is refused', async () => {
    for (const name of ['folder', 'folder.json']) {
      mkdirSync(join(directory, name));
      const reading = readConfig({ GATEWAY_CONFIG: name }, directory);
      await expect(reading).rejects.toThrow(`${name}: it is not a regular file`);
    }
  });

  test('/dev/null is an empty configuration', async () => {
    expect(await readConfig({ GATEWAY_CONFIG: '/dev/null' }, directory)).toMatchObject({ host: '127.0.0.1' });
  });
});
