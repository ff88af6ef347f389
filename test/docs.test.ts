/** Everything that the documents refer to exists: files by their paths, sections by their links. */

import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readConfig } from '../src/config/load.ts';
import type { Config } from '../src/config/schema.ts';
import { PAGES, textOfPages } from './support/pages.ts';

const root = join(import.meta.dirname, '..');
const promises = readFileSync(join(root, 'docs/promises.md'), 'utf8');
const DOCUMENTS = [
  ...PAGES,
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/NOTES.md',
  'deploy/README.md',
  'deploy/SIZING.md',
  'test/faults/README.md',
  'test/faults/upstream.md',
  'test/faults/process.md',
  'test/checklist/README.md',
];

/** The anchor that GitHub derives from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');

const anchorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8');

  test('files that it names exist', () => {
    const named = [...text.matchAll(/`((?:src|test|fixtures|bench|docs|deploy|\.\.)\/[\w./*{}-]*)`/g)];
    const paths = named
      .map(([, path = '']) => (path.startsWith('..') ? join(dirname(document), path) : path))
      // Results of a bench that has not run are in no clone.
      .filter((path) => !path.startsWith('bench/results'));
    // Tables of tests leave out the end of their names.
    const isThere = (path: string): boolean => globSync([path, `${path}.test.ts`], { cwd: root }).length > 0;
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  test('links lead somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const isThere = (link: string): boolean => {
      if (link.startsWith('http')) return true;
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? join(root, document) : join(root, dirname(document), path);
      if (!existsSync(file)) return false;
      return anchor === undefined || anchorsIn(readFileSync(file, 'utf8')).includes(anchor);
    };
    expect(links.filter((link) => !isThere(link))).toEqual([]);
  });
});

test('files that comments name exist', () => {
  const files = globSync('{src,test,bench,build}/**/*.{ts,tsx,js,json,md}', { cwd: root });
  const known = new Set(files.map((file) => basename(file)));
  const named = files
    .filter((file) => file.startsWith('src/') && /\.tsx?$/.test(file))
    .flatMap((file) => readFileSync(join(root, file), 'utf8').match(/^ *(?:\/?\*\*?|\/\/).*/gm) ?? [])
    .flatMap((comment) => [...comment.matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, path = '']) => basename(path)));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('the stages of the architecture are those of the pipeline, in their order', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const tables = page.matchAll(/\| Stage \| adds \|\n\|---\|---\|\n((?:\|.*\n)+)/g);
  const [models, stored] = Array.from(tables, ([, table = '']) =>
    [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []),
  );
  const pipeline = readFileSync(join(root, 'src/pipeline/pipeline.ts'), 'utf8');
  const chains = pipeline.matchAll(
    /^ +(?:chain<Incoming>|admittedChain)\((?:mode|gateway, route)\)\n([\s\S]*?);\n/gm,
  );
  const [beginning = [], ofModels = [], ofStored] = Array.from(chains, ([, run = '']) =>
    [...run.matchAll(/(?:\.to\(|=> |, )(\w+)\(/g)].map(([, name]) => name),
  );
  expect(models).toEqual([...beginning, ...ofModels]);
  expect(stored).toEqual(ofStored);
});

test('the architecture describes every folder of src, and no folder that does not exist', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, table = ''] = /^\| In `src` \| What it holds \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const named = table
    .split('\n')
    .map((line) => (line.split('|')[1] ?? '').replaceAll('`', ''))
    .flatMap((names) => names.match(/[\w.-]+/g) ?? []);
  const src = readdirSync(join(root, 'src'), { withFileTypes: true });
  const folders = src.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.filter((name) => !named.includes(name))).toEqual([]);
  expect(named.filter((name) => !existsSync(join(root, 'src', name)))).toEqual([]);
});

describe('the checklist', () => {
  const table = readFileSync(join(root, 'test/checklist/README.md'), 'utf8');
  const listed = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, number = '']) => Number(number));
  const tested = new Set(
    globSync('test/**/*.test.ts', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/checklist (\d+):/g)].map(([, number]) =>
        Number(number),
      ),
    ),
  );

  test('has a line for each number, and each number once', () => {
    expect(new Set(listed).size).toBe(listed.length);
    expect([...tested].filter((number) => !listed.includes(number))).toEqual([]);
  });

  test('is as long as the promises say', () => {
    const [, told] = /Regression tests for (\d+) bugs/.exec(promises) ?? [];
    expect(Number(told)).toBe(tested.size);
  });
});

/** The configurations in code on the pages, each as a reader pastes it into `gateway.config.ts`. */
const configurations = PAGES.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(export default[\s\S]*?)^```/gm)].map(
    ([, code = ''], index) => [page, index, code] as const,
  ),
);

describe('the configurations in the pages', () => {
  test('are there', () => {
    expect(configurations.length).toBeGreaterThan(4);
    // A part of one could not be pasted.
    expect(textOfPages()).not.toMatch(/^```ts\n(?:vendors|identities|keys|groups|models): /m);
  });

  test.each(configurations)('%s, number %i, is valid as it stands', async (_, __, code) => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-docs-'));
    for (const [, name = ''] of code.matchAll(/process\.env\.(\w+)/g))
      vi.stubEnv(name, 'a-key-of-eight-or-more');
    try {
      writeFileSync(join(directory, 'gateway.config.ts'), code);
      const { log } = await readConfig({}, directory);
      expect(log).toBe('auto');
    } finally {
      vi.unstubAllEnvs();
      rmSync(directory, { recursive: true });
    }
  });
});

test('on the page for users of other gateways, the configuration of LiteLLM is rejected, and ours are valid', async () => {
  const page = readFileSync(join(root, 'docs/coming-from.md'), 'utf8');
  const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
  const [theirs = '', ours = '', keys = ''] = blocks;
  expect(blocks).toHaveLength(3);
  const directory = mkdtempSync(join(tmpdir(), 'gateway-docs-'));
  const environment = {
    OPENAI_KEY_2: 'k',
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    DATABASE_URL: 'postgres://localhost/gateway',
    MASTER_KEY: 'a-key-of-the-admin',
  };
  const read = (text: string): Promise<Config> => {
    writeFileSync(join(directory, 'gateway.config.yaml'), text);
    return readConfig(environment, directory);
  };
  try {
    await expect(read(theirs)).rejects.toThrow('is a configuration of LiteLLM');
    const { models, vendors } = await read(ours);
    expect(models).toMatchObject([{ id: 'ollama/llama3.2', name: 'llama3.2' }]);
    expect(vendors['openai']?.upstreams.map(({ weight }) => weight)).toEqual([3, 1]);
    const hash = createHash('sha256').update('sk-1234').digest('hex');
    expect(await read(keys)).toMatchObject({ keys: [{ name: 'search', hash }] });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
