import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { defaultModels } from '../../src/catalog/default.ts';
import { parseModels } from '../../src/catalog/model.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { json, type Received, startUpstream, type TestUpstream } from '../support/upstream.ts';

/** The answer at each path: set by each test, in addition to lists that are in step. */
let answers: Record<string, (received: Received, response: ServerResponse) => void>;
let vendor: TestUpstream;
let elsewhere: TestUpstream;
let directory: string;

beforeAll(async () => {
  elsewhere = await startUpstream((_, response) => json(response, { data: [] }));
  vendor = await startUpstream((received, response) => {
    const answer = answers[received.url];
    if (answer === undefined) json(response, { error: { message: 'not here' } }, 404);
    else answer(received, response);
  });
});
afterAll(() => Promise.all([vendor.close(), elsewhere.close()]));
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-sync-'));
  answers = {};
  vendor.received.length = 0;
});
afterEach(() => rm(directory, { recursive: true }));

const KEYS = {
  OPENAI_API_KEY: 'sk-proj-the-key-of-openai-0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-the-key-of-anthropic-0123456789',
  GEMINI_API_KEY: 'AIza-the-key-of-google-0123456789',
  COMPATIBLE_API_KEY: 'sk-or-the-key-of-the-others-0123456789',
};

const env = (...names: readonly (keyof typeof KEYS)[]): Record<string, string> => ({
  ...Object.fromEntries(names.map((name) => [name, KEYS[name]])),
  OPENAI_BASE_URL: `${vendor.url}/v1`,
  ANTHROPIC_BASE_URL: vendor.url,
  GEMINI_BASE_URL: `${vendor.url}/`,
  COMPATIBLE_BASE_URL: `${vendor.url}/api/v1`,
});

const sync = (
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<CommandResult> => runCommand(directory, ['models', 'sync', ...words], variables);

const models = defaultModels();
const nameOf = (id: string): string => id.slice(id.indexOf('/') + 1);
const namesOf = (name: string): string[] =>
  models.filter(({ id }) => id.startsWith(`${name}/`)).map(({ id }) => nameOf(id));

const openaiModel = (id: string, more: object = {}) => ({
  id,
  object: 'model',
  created: 1_790_000_000,
  owned_by: 'system',
  ...more,
});

const openaiList = (...more: readonly ReturnType<typeof openaiModel>[]) => ({
  object: 'list',
  data: [...namesOf('openai').map((name) => openaiModel(name, { shutdown_date: null })), ...more],
});

const answer =
  (body: unknown, status = 200) =>
  (_: Received, response: ServerResponse): void =>
    json(response, body, status);

describe('OpenAI', () => {
  test('in step: nothing to report, exit code 0 with --check; models that are not for text are left out', async () => {
    answers['/v1/models'] = answer(
      openaiList(
        ...['gpt-4.1-2025-04-14', 'text-embedding-3-large', 'whisper-1', 'tts-1-hd', 'gpt-image-1'].map(
          (id) => openaiModel(id),
        ),
        ...['dall-e-3', 'sora-2', 'omni-moderation-latest', 'gpt-realtime', 'babbage-002'].map((id) =>
          openaiModel(id),
        ),
        openaiModel('ft:gpt-4o-mini-2024-07-18:acme::Ab12Cd34', { owned_by: 'acme' }),
      ),
    );
    const { code, stdout, stderr } = await sync(['--check'], env('OPENAI_API_KEY'));
    expect([code, stderr]).toEqual([0, '']);
    const count = namesOf('openai').length;
    expect(stdout).toMatch(
      new RegExp(`^openai: ${count + 11} listed, ${count} in the catalog, 0 new, 0 gone, 0 to end`),
    );
    expect(stdout).toContain('10 left out (1 embedding, 1 transcription, 1 speech, 2 image,');
    expect(stdout).toContain('1 fine-tuned');
    expect(vendor.received[0]?.headers).toMatchObject({ authorization: `Bearer ${KEYS.OPENAI_API_KEY}` });
  });

  test('new, gone, ending: a table for people, and exit code 3 with --check only', async () => {
    const { object, data } = openaiList(openaiModel('gpt-9', { shutdown_date: '2031-05-06' }));
    answers['/v1/models'] = answer({
      object,
      data: data
        .filter(({ id }) => id !== 'gpt-5.4' && id !== 'o3')
        .map((model) => (model.id === 'gpt-4o' ? { ...model, shutdown_date: '2030-01-02' } : model))
        // The date belongs to the alias; the name that is requested goes on.
        .concat(
          openaiModel('o3-2025-04-16'),
          openaiModel('gpt-4.1-2029-01-01', { shutdown_date: '2029-09-09' }),
        ),
    });
    const plain = await sync([], env('OPENAI_API_KEY'));
    expect([plain.code, plain.stderr]).toEqual([0, '']);
    const rows = plain.stdout
      .split('\n\n')[0]
      ?.split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ['state', 'model', 'released', 'shutdown', 'remark'],
      ['new', 'openai/gpt-9', '2026-09-21', '2031-05-06'],
      ['new', 'openai/gpt-4.1-2029-01-01', '2026-09-21', '2029-09-09', 'dated name of openai/gpt-4.1'],
      ['gone', 'openai/gpt-5.4', '-', '-', 'not listed'],
      ['ends', 'openai/gpt-4o', '2026-09-21', '2030-01-02'],
    ]);
    const checked = await sync(['--check', '--json'], env('OPENAI_API_KEY'));
    expect(checked.code).toBe(3);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      in_step: false,
      vendors: [
        {
          vendor: 'openai',
          new: [
            { id: 'openai/gpt-9', name: 'gpt-9', released: '2026-09-21', shutdown: '2031-05-06' },
            { id: 'openai/gpt-4.1-2029-01-01', dated_name_of: 'openai/gpt-4.1' },
          ],
          gone: [{ id: 'openai/gpt-5.4', retired: false }],
          ending: [{ id: 'openai/gpt-4o', shutdown: '2030-01-02' }],
          left_out: [],
        },
      ],
    });
    const ignoring = ['--check', '--ignore', 'openai/gpt-9, openai/gpt-4.1-*,OpenAI/GPT-5.4'];
    expect(await sync(ignoring, env('OPENAI_API_KEY'))).toMatchObject({ code: 0 });
  });
});

describe('Anthropic', () => {
  const supported = (yes: boolean) => ({ supported: yes });
  const claude = (id: string, more: object = {}) => ({
    type: 'model',
    id,
    display_name: `Claude (${id})`,
    created_at: '2026-11-02T00:00:00Z',
    max_input_tokens: 1_000_000,
    max_tokens: 64_000,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    ...more,
  });

  test('pages by after_id; dated names are recognized; retired models are gone even if they are listed', async () => {
    const names = namesOf('anthropic');
    const known = names.map((name) =>
      name === 'claude-haiku-5-5'
        ? claude(name, { lifecycle: 'retired', deprecated_at: '2026-08-01T00:00:00Z' })
        : name === 'claude-opus-4-6'
          ? claude(name, {
              lifecycle: 'deprecated',
              deprecated_at: '2026-10-01T08:00:00Z',
              retires_at: '2027-04-05T00:00:00Z',
            })
          : // The catalog has the model, but not under this name.
            claude(name === 'claude-opus-5' ? 'claude-opus-5-20260724' : name),
    );
    const capabilities = {
      effort: { supported: true, low: supported(true), high: supported(true), max: supported(false) },
      image_input: supported(true),
      pdf_input: supported(false),
      structured_outputs: supported(true),
      thinking: { supported: true, types: { enabled: supported(true), adaptive: supported(true) } },
    };
    answers['/v1/models?limit=1000'] = answer({ data: known, has_more: true, last_id: 'a/b&c' });
    answers['/v1/models?limit=1000&after_id=a%2Fb%26c'] = answer({
      data: [claude('claude-next-9', { capabilities })],
      has_more: false,
      last_id: 'claude-next-9',
    });
    const { code, stdout } = await sync(['--write', 'new.json', '--json'], env('ANTHROPIC_API_KEY'));
    expect(code).toBe(0);
    const [result] = JSON.parse(stdout).vendors;
    expect(result.new).toEqual([
      {
        id: 'anthropic/claude-opus-5-20260724',
        name: 'claude-opus-5-20260724',
        released: '2026-11-02',
        dated_name_of: 'anthropic/claude-opus-5',
      },
      { id: 'anthropic/claude-next-9', name: 'claude-next-9', released: '2026-11-02' },
    ]);
    expect(result.gone).toEqual([
      { id: 'anthropic/claude-haiku-5-5', released: '2026-11-02', deprecated: '2026-08-01', retired: true },
    ]);
    expect(result.ending).toEqual([
      {
        id: 'anthropic/claude-opus-4-6',
        released: '2026-11-02',
        shutdown: '2027-04-05',
        deprecated: '2026-10-01',
      },
    ]);
    expect(
      vendor.received.map(({ headers }) => [headers['x-api-key'], headers['anthropic-version']]),
    ).toEqual([
      [KEYS.ANTHROPIC_API_KEY, '2023-06-01'],
      [KEYS.ANTHROPIC_API_KEY, '2023-06-01'],
    ]);
    expect(JSON.parse(await readFile(join(directory, 'new.json'), 'utf8'))[1]).toEqual({
      id: 'anthropic/claude-next-9',
      name: 'Claude (claude-next-9)',
      created: Date.UTC(2026, 10, 2) / 1000,
      contextWindow: 1_000_000,
      maxOutputTokens: 64_000,
      prices: { input: null, output: null },
      input: ['text', 'image'],
      thinking: {
        kinds: ['effort', 'budget'],
        efforts: ['low', 'high'],
        budget: { min: 1024, max: 63_999 },
        canDisable: null,
      },
    });
  });

  test('a list with endless pages is abandoned', async () => {
    answers['/v1/models?limit=1000'] = answer({ data: [], has_more: true, last_id: 'x' });
    answers['/v1/models?limit=1000&after_id=x'] = answer({ data: [], has_more: true, last_id: 'x' });
    expect(await sync([], env('ANTHROPIC_API_KEY'))).toEqual({
      code: 69,
      stdout: '',
      stderr: 'The models of anthropic could not be listed: its list has too many pages.\n',
    });
    expect(vendor.received).toHaveLength(2);
  });
});

test('Google: pages by pageToken; the list itself says which models support generateContent', async () => {
  const gemini = (name: string, methods = ['generateContent', 'countTokens']) => ({
    name: `models/${name}`,
    displayName: name.toUpperCase(),
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: methods,
  });
  answers['/v1beta/models?pageSize=1000'] = answer({
    models: [
      ...namesOf('google').map((name) => gemini(name)),
      gemini('text-thing-001', ['embedContent']),
      gemini('picture-2', ['predict']),
      gemini('aqa', ['generateAnswer']),
    ],
    nextPageToken: 'next/2=',
  });
  answers['/v1beta/models?pageSize=1000&pageToken=next%2F2%3D'] = answer({
    models: [gemini('gemini-9-flash'), gemini('gemini-9-flash-image'), gemini('gemini-9-flash-preview-tts')],
  });
  const { code, stdout } = await sync(['--json', '--check'], env('GEMINI_API_KEY'));
  expect(code).toBe(3);
  expect(JSON.parse(stdout).vendors[0]).toMatchObject({
    new: [{ id: 'google/gemini-9-flash', name: 'gemini-9-flash' }],
    gone: [],
    left_out: [
      { name: 'text-thing-001', kind: 'embedding' },
      { name: 'picture-2', kind: 'image' },
      { name: 'aqa', kind: 'no generateContent' },
      { name: 'gemini-9-flash-image', kind: 'image' },
      { name: 'gemini-9-flash-preview-tts', kind: 'speech' },
    ],
  });
  expect(vendor.received[0]?.headers).toMatchObject({ 'x-goog-api-key': KEYS.GEMINI_API_KEY });
});

describe('compatible services', () => {
  const others = models.map(({ id }) => id).filter((id) => !/^(?:openai|anthropic|google)\//.test(id));

  test('ids are complete; prices come from the list; complete models can be pasted into a configuration', async () => {
    answers['/api/v1/models'] = answer({
      data: [
        ...others.map((id) => ({ id })),
        {
          id: 'z-ai/glm-9',
          name: 'Z.ai: GLM 9\u001b[2J\n',
          created: 1_793_000_000,
          context_length: 200_000,
          architecture: { input_modalities: ['text', 'file', 'smell'], output_modalities: ['text'] },
          pricing: {
            prompt: '0.00000005',
            completion: '0.0000004',
            input_cache_read: '0.000000005',
            image: '0',
          },
          top_provider: { max_completion_tokens: 64_000 },
          supported_parameters: ['max_tokens', 'tools'],
          reasoning: { mandatory: true, supported_efforts: ['high', 'low', 'none', 'enormous'] },
          expiration_date: '2027-02-03',
        },
        { id: 'z-ai/glm-auto', pricing: { prompt: '-1', completion: '' } },
        {
          id: 'z-ai/glm-9-picture',
          architecture: { input_modalities: ['text'], output_modalities: ['image'] },
        },
        { id: 'openai/gpt-4o' },
        { id: '~z-ai/latest' },
        { id: 'z-ai/\u001b[31mred' },
        { id: 7 },
        'nonsense',
      ],
    });
    const { code, stdout, stderr } = await sync(['--write=new.json'], env('COMPATIBLE_API_KEY'));
    expect(code).toBe(0);
    expect(stdout).not.toContain('\u001b');
    const rows = stdout.split('\n\n')[0]?.split('\n').slice(1);
    expect(rows?.map((line) => line.split(/ {2,}/))).toEqual([
      ['new', 'z-ai/glm-9', '2026-10-26', '2027-02-03'],
      ['new', 'z-ai/glm-auto', '-', '-'],
    ]);
    expect(stdout).toContain('0 gone');
    expect(stderr).toContain('z-ai/glm-9: complete\n');
    expect(stderr).toContain('z-ai/glm-auto: contextWindow, maxOutputTokens, prices.input, prices.output\n');
    const [complete, other] = JSON.parse(await readFile(join(directory, 'new.json'), 'utf8'));
    expect(other).not.toHaveProperty('created');
    expect(parseModels([complete])).toEqual([
      {
        id: 'z-ai/glm-9',
        name: 'Z.ai: GLM 9 [2J',
        created: 1_793_000_000,
        shutdown: '2027-02-03',
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        prices: { input: 0.05, output: 0.4, cacheRead: 0.005 },
        input: ['text', 'document'],
        thinking: { kinds: ['effort'], efforts: ['low', 'high'], canDisable: false },
        sampling: false,
        structuredOutput: false,
      },
    ]);

    const use = async (...entries: unknown[]): Promise<CommandResult> => {
      await writeFile(join(directory, 'gateway.config.json'), JSON.stringify({ models: entries }));
      return runCommand(directory, ['models', '--json']);
    };
    const refused = await use(complete, other);
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('models.1.contextWindow')]);
    const taken = await use(complete);
    expect(JSON.parse(taken.stdout)).toContainEqual(complete);
  });

  test('a service for one vendor: its own names become ids, and it receives the names that it listed', async () => {
    answers['/acme/models'] = answer([
      { id: 'meta-llama/Big-9B', type: 'chat', context_length: 8192, pricing: { input: 0.2, output: 0.3 } },
      { id: 'flat', type: 'rerank' },
      { id: 'old', active: false },
      { id: 'nochat', capabilities: { completion_chat: false } },
    ]);
    const config = { vendors: { acme: { baseUrl: `${vendor.url}/acme`, apiKey: 'the-key-of-acme-0123' } } };
    await writeFile(join(directory, 'gateway.config.json'), JSON.stringify(config));
    const { stdout } = await sync(['--json', '--write', 'new.json'], {});
    expect(JSON.parse(stdout).vendors[0]).toMatchObject({
      listed: 4,
      new: [{ id: 'acme/meta-llama-big-9b', name: 'meta-llama/Big-9B' }],
      left_out: [
        { name: 'flat', kind: 'rerank' },
        { name: 'nochat', kind: 'no chat' },
      ],
    });
    const [entry] = JSON.parse(await readFile(join(directory, 'new.json'), 'utf8'));
    expect(entry).toEqual({
      id: 'acme/meta-llama-big-9b',
      name: 'meta-llama/Big-9B',
      contextWindow: 8192,
      maxOutputTokens: null,
      prices: { input: 0.2, output: 0.3 },
      upstream: 'meta-llama/Big-9B',
    });
    const filled = parseModels([{ ...entry, created: 1, maxOutputTokens: 100 }]);
    expect(makeCatalog(filled).resolve('acme/Meta-Llama-Big-9B', '')?.upstream).toBe('meta-llama/Big-9B');
  });
});

describe('vendors that cannot be reached', () => {
  test('are reported one a line, without their key; the others continue; exit code 69 even with --check', async () => {
    answers['/v1/models'] = answer({ error: { message: `Incorrect API key: ${KEYS.OPENAI_API_KEY}` } }, 401);
    answers['/v1/models?limit=1000'] = () => undefined; // never answers
    answers['/v1beta/models?pageSize=1000'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Sign in</body></html>');
    };
    answers['/api/v1/models'] = answer({ data: [{ id: 'z-ai/glm-9' }] });
    const all = env('OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'COMPATIBLE_API_KEY');
    const { code, stdout, stderr } = await sync(['--check', '--timeout=8s', '--json'], all);
    expect(code).toBe(69);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'The models of openai could not be listed: it refused the key (401).',
      'The models of anthropic could not be listed: it took too long to answer.',
      'The models of google could not be listed: it answered with something that is not a list of models.',
    ]);
    const { in_step, vendors } = JSON.parse(stdout);
    expect(in_step).toBe(false);
    expect(vendors.map((result: { error?: string }) => result.error === undefined)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(vendors[3].new).toEqual([{ id: 'z-ai/glm-9', name: 'z-ai/glm-9' }]);
    for (const key of Object.values(KEYS)) expect(stdout + stderr).not.toContain(key);
  });

  test('a redirect is not followed, a broken answer is rejected, and a closed port is reported', async () => {
    answers['/v1/models'] = (_, response) => {
      response.writeHead(302, { location: `${elsewhere.url}/v1/models` }).end();
    };
    answers['/v1beta/models?pageSize=1000'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"models":[', () => response.destroy());
    };
    const variables = {
      ...env('OPENAI_API_KEY', 'GEMINI_API_KEY', 'COMPATIBLE_API_KEY'),
      COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1',
    };
    const { code, stderr } = await sync([], variables);
    expect(code).toBe(69);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'The models of openai could not be listed: it redirects elsewhere (302), and the key is not sent there.',
      expect.stringMatching(/^The models of google could not be listed: it could not be reached \(\w+\)\.$/),
      'The models of compatible could not be listed: it could not be reached (ECONNREFUSED).',
    ]);
    expect(elsewhere.received).toEqual([]);
  });

  test('only the named vendors are asked', async () => {
    answers['/v1/models'] = answer(openaiList());
    const { code } = await sync(['--vendor', 'openai', '--check'], env('OPENAI_API_KEY', 'GEMINI_API_KEY'));
    expect(code).toBe(0);
    expect(vendor.received.map(({ url }) => url)).toEqual(['/v1/models']);
  });
});

describe('files', () => {
  test('are never overwritten without --force, and not at all if nothing is new', async () => {
    answers['/v1/models'] = answer(openaiList(openaiModel('gpt-9')));
    const file = join(directory, 'mine.json');
    await writeFile(file, 'mine');
    const refused = await sync(['--write', 'mine.json'], env('OPENAI_API_KEY'));
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'mine.json already exists. Use --force to overwrite it.\n',
    ]);
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await sync(['--write', 'mine.json', '--force'], env('OPENAI_API_KEY'))).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject([{ id: 'openai/gpt-9' }]);

    answers['/v1/models'] = answer(openaiList());
    const none = await sync(['--write', 'none.json'], env('OPENAI_API_KEY'));
    expect([none.code, none.stderr]).toEqual([0, 'There are no new models, so none.json was not written.\n']);
    await expect(readFile(join(directory, 'none.json'))).rejects.toThrow('ENOENT');
  });
});

test.each([
  [[], {}, 'No vendor API key is configured. Set one, such as OPENAI_API_KEY.'],
  [
    ['--vendor=gogle'],
    { OPENAI_API_KEY: 'k' },
    'There is no vendor gogle with a key. Vendors with a key: openai.',
  ],
  [['--timeout=soon'], { OPENAI_API_KEY: 'k' }, '--timeout: soon is not a duration such as 30s or 2m.'],
  [['--chekc'], { OPENAI_API_KEY: 'k' }, 'Unknown option --chekc. See --help.'],
])('%s is rejected in one line', async (words, variables, message) => {
  expect(await sync(words, variables)).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
});

test('gateway models without a subcommand lists the catalog', async () => {
  const listed = await runCommand(directory, ['models', '--served', '--json'], { OPENAI_API_KEY: 'k' });
  expect(JSON.parse(listed.stdout).map(({ id }: { id: string }) => nameOf(id))).toEqual(namesOf('openai'));
  const same = await runCommand(directory, ['models', 'list', '--served', '--json'], { OPENAI_API_KEY: 'k' });
  expect(same.stdout).toBe(listed.stdout);
});
