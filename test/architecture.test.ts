/**
 * The order of `src`: which wing may import which. A line that breaks it is reported with its file and the
 * rule.
 */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** From the most general wing to the program itself: each imports only those before it. */
const WINGS = [
  'lib',
  'streams',
  'conversation',
  'formats',
  'catalog',
  'protocol',
  'translate',
  'upstream',
  'store',
  'access',
  'accounting',
  'config',
  'pipeline',
  'sandbox',
  'devtools',
  'server',
  'cli',
];

/** Wings that run wherever Web Streams do, and the packages that do so too. */
const PORTABLE = new Set(['lib', 'streams', 'conversation', 'formats', 'catalog', 'protocol', 'translate']);
const PORTABLE_PACKAGES = new Set(['eventsource-parser', 'zod']);

/** The one file that takes types of packages, which are gone when the program runs. */
const TYPES_ONLY = 'src/translate/bodies.ts';

/** Globals that only Node has. */
const NODE_GLOBALS = /(?<![\w.'"`$-])(?:Buffer\b(?!>)|process\.|NodeJS\.|setImmediate\(|__dirname)/;

interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  /** The imported file, from the root; absent for a package. */
  readonly target?: string;
}

/** The console runs in the browser, and is checked on its own below. */
const isConsole = (file: string): boolean => file.startsWith('src/console/');

const files = globSync('src/**/*.{ts,tsx,js}', { cwd: ROOT })
  .map((file) => file.split(sep).join('/'))
  .sort();
const sources = files.filter((file) => !isConsole(file));
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));

/** A text with its comments blanked and its line breaks kept. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g, (comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  );
}

/** Every import of a file: of values and of types, static and dynamic, and re-exports. */
function importsOf(file: string): readonly Import[] {
  const text = withoutComments(texts.get(file) ?? '');
  return [
    ...text.matchAll(
      /^(?:import|export)\b[^'\n;]*(?:\n[^'\n;]*)*?\bfrom\s*'([^']+)'|\bimport\s*\(\s*'([^']+)'|^import\s*'([^']+)'/gm,
    ),
  ].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const line = text.slice(0, match.index).split('\n').length;
    if (!specifier.startsWith('.')) return { file, line, specifier };
    return {
      file,
      line,
      specifier,
      target: normalize(join(dirname(file), specifier))
        .split(sep)
        .join('/'),
    };
  });
}

const imports = sources.flatMap(importsOf);

const wingOf = (file: string): string => (file === 'src/main.ts' ? 'cli' : (file.split('/')[1] ?? ''));
const rankOf = (file: string): number => WINGS.indexOf(wingOf(file));
const isInside = ({ target }: Import): boolean => target?.startsWith('src/') === true;

/** Import lines that break a rule, formatted for the reader. */
function broken(rule: string, breaks: (line: Import) => boolean): readonly string[] {
  return imports
    .filter(breaks)
    .map(({ file, line, specifier }) => `${file}:${line} imports '${specifier}': ${rule}`);
}

test('imports are found at all, also those of types and dynamic ones', () => {
  expect(imports.length).toBeGreaterThan(1_500);
  expect(imports.some(({ file }) => file === 'src/main.ts')).toBe(true);
  expect(
    imports.filter(isInside).every(({ target }) => texts.has(target ?? '') || target?.endsWith('.json')),
  ).toBe(true);
});

test('src holds the wings, the console and main.ts, and nothing else', () => {
  const entries = new Set(globSync('src/*', { cwd: ROOT }).map((entry) => relative('src', entry)));
  expect([...entries].sort()).toEqual([...WINGS, 'console', 'main.ts'].sort());
});

test('the console imports nothing of the gateway but what runs in a browser, and nobody imports it', () => {
  const inside = (file: string): boolean => file.startsWith('src/console/');
  const own = files.filter(inside).flatMap(importsOf);
  expect(own.length).toBeGreaterThan(100);
  const foreign = own.filter(({ target }) => target !== undefined && !inside(target));
  expect(foreign.filter(({ target = '' }) => !target.startsWith('src/translate/'))).toEqual([]);
  expect(
    own.filter(
      ({ file, specifier }) =>
        specifier.startsWith('node:') && !/\/(?:vite\.config\.ts|prepare\.js)$/.test(file),
    ),
  ).toEqual([]);
  expect(imports.filter(({ target }) => target !== undefined && inside(target))).toEqual([]);
});

test('no wing imports one below it', () => {
  expect(
    broken('a wing imports only those above it', (line) => {
      return isInside(line) && rankOf(line.target ?? '') > rankOf(line.file);
    }),
  ).toEqual([]);
});

test('a format does not import another one', () => {
  const formatOf = (file: string): string | undefined => /^src\/formats\/([^/]+)\//.exec(file)?.[1];
  expect(
    broken('a format imports no other one, but what two share in openai/', ({ file, target = '' }) => {
      const [from, to] = [formatOf(file), formatOf(target)];
      return from !== undefined && to !== undefined && to !== from && to !== 'openai';
    }),
  ).toEqual([]);
});

test('the two directions of a format do not import each other', () => {
  const directionOf = (file: string): string | undefined =>
    /^src\/formats\/[^/]+\/(inbound|outbound|wire)\//.exec(file)?.[1];
  expect(
    broken(
      'inbound and outbound do not import each other, nor wire either of them',
      ({ file, target = '' }) => {
        const [from, to] = [directionOf(file), directionOf(target)];
        return from !== undefined && to !== undefined && to !== from && to !== 'wire';
      },
    ),
  ).toEqual([]);
});

test('the folders of the pipeline import each other in one direction', () => {
  const folders = ['body', 'model', 'restrictions', 'request', 'reply', 'cache', 'retry'];
  const rank = (file: string): number => folders.indexOf(/^src\/pipeline\/(\w+)\//.exec(file)?.[1] ?? '');
  const entries = globSync('src/pipeline/*/', { cwd: ROOT }).map((entry) => relative('src/pipeline', entry));
  expect(entries.toSorted()).toEqual(folders.toSorted());
  expect(
    broken('a folder of the pipeline imports only those before it', ({ file, target = '' }) => {
      return rank(file) >= 0 && rank(target) > rank(file);
    }),
  ).toEqual([]);
});

describe('the portable wings do not depend on Node', () => {
  test('by import', () => {
    expect(
      broken('this wing runs wherever Web Streams do', ({ file, specifier, target }) => {
        return (
          PORTABLE.has(wingOf(file)) &&
          file !== TYPES_ONLY &&
          target === undefined &&
          !PORTABLE_PACKAGES.has(specifier)
        );
      }),
    ).toEqual([]);
  });

  test('except for types', () => {
    const text = withoutComments(texts.get(TYPES_ONLY) ?? '');
    expect(text).toContain('import type');
    expect(text.match(/^import (?!type )/gm)).toBeNull();
  });

  test('by a global', () => {
    const lines = sources
      .filter((file) => PORTABLE.has(wingOf(file)))
      .flatMap((file) =>
        withoutComments(texts.get(file) ?? '')
          .split('\n')
          .flatMap((line, index) => (NODE_GLOBALS.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
      );
    expect(lines).toEqual([]);
  });
});

test('no files import each other in a circle', () => {
  const targets = new Map(
    sources.map((file) => [
      file,
      imports.filter((line) => line.file === file).flatMap(({ target = [] }) => target),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  expect(circles).toEqual([]);
});

/**
 * Every import between two wings, as `from --> to`. Those that break the order are left to the test above.
 */
function arrowsOfSource(): readonly string[] {
  const arrows = imports
    .filter((line) => isInside(line) && rankOf(line.target ?? '') < rankOf(line.file))
    .map(({ file, target = '' }) => `${wingOf(file)} --> ${wingOf(target)}`);
  return [...new Set(arrows)].sort();
}

test('the diagram of the wings has an arrow for each import between two wings, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, picture = ''] = /```mermaid\nflowchart TB\n([\s\S]*?)```/.exec(page) ?? [];
  const drawn = [...picture.matchAll(/^ *(\w+) --> (.*)$/gm)].flatMap(([, from = '', targets = '']) =>
    targets.split(' & ').map((to) => `${from} --> ${to}`),
  );
  expect(drawn.length).toBeGreaterThan(50);
  expect([...drawn].sort()).toEqual(arrowsOfSource());
});

test('no file of code has more than 300 lines', () => {
  const long = files.filter(
    (file) => !file.startsWith('src/sandbox/schemas/') && (texts.get(file)?.split('\n').length ?? 0) > 301,
  );
  expect(long).toEqual([]);
});
