/**
 * Every regular expression of `src` matches in time linear in its input, or its input is bounded and the
 * bound is written down. `recheck` (its JavaScript build) analyses them. All of them take a minute and more,
 * so those found to be safe are kept in `regexps.json` by their text, and only others are analysed here;
 * `FULL=1` analyses all of them again.
 */

import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');

/** The package's entry would start its Java and native builds. */
const { checkSync }: Pick<typeof import('recheck'), 'checkSync'> = createRequire(import.meta.url)(
  'recheck/lib/browser.js',
);

const found: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'regexps.json'), 'utf8'));
const SAFE = new Set<unknown>(Array.isArray(found) && process.env['FULL'] === undefined ? found : []);

/** Texts of a vendor's error are cut to 2,000 characters on entry (`foreign-text.ts`). */
const FOREIGN = '2,000 characters of a vendor';

/** The bounds of expressions that may be super-linear, or whose cost is unknown: by file and beginning. */
const BOUNDED: readonly (readonly [file: string, beginning: string, bound: string])[] = [
  ['upstream/redact.ts', '/\\bya29', 'linear by the growth test of redact.test.ts'],
  ['upstream/redact.ts', '/(?<![\\w:.])\\[?', 'linear by the growth test of redact.test.ts'],
  ['formats/openai/errors.ts', '/\\b(?:(?:sk|xai', FOREIGN],
  ['formats/refusal-words.ts', '/context.?', FOREIGN],
  ['formats/refusal-words.ts', '/^your credit balance', FOREIGN],
  ['formats/messages/outbound/beta-features.ts', '/([\\w.-]+): Extra inputs', FOREIGN],
  ['formats/messages/outbound/beta-features.ts', '/Unexpected value', FOREIGN],
  ['formats/responses/outbound/parse-error.ts', '/encrypted content', FOREIGN],
  ['formats/messages/outbound/user-id.ts', '/^\\s*\\+?', '256 characters, looked at before'],
  ['accounting/usage/output-estimate.ts', '/"(?:content|', '1,024 bytes of a stream, by SAMPLE'],
  ['sandbox/sample-text.ts', '/["“]', '2,000 characters of the prompt, by SEARCHED'],
  ['sandbox/sample-text.ts', '/\\b(?:in|at', '2,000 characters of the prompt, by SEARCHED'],
  ['sandbox/sample.ts', '/(?<![\\w.])-?\\d+', '2,000 characters of the prompt, by SEARCHED'],
  ['sandbox/messages/check-options.ts', '/\\S@', '256 characters, by MAX_USER_ID_LENGTH'],
  [
    'sandbox/openai/vendor.ts',
    '/^Bearer',
    'a header, which has no line break: 16 KB, and what is left always matches',
  ],
  [
    'sandbox/anthropic/vendor.ts',
    '/^Bearer',
    'a header, which has no line break: 16 KB, and what is left always matches',
  ],
  ['accounting/traces/traces.ts', '/\\/+$/', 'an address in the environment'],
  ['upstream/credentials/azure-flow.ts', '/\\/+$/', 'an address in the environment'],
  ['server/process/reload.ts', '/\\s*\\n\\s*/g', "the gateway's own message on a configuration"],
  ['devtools/recorder/exchange.ts', '/\\s*,\\s*/', "a header of the operator's own recording: 16 KB"],
  ['devtools/recorder/fixture.ts', '/("[^"', 'JSON that was parsed before: each string in it ends'],
  [
    'devtools/recorder/clean.ts',
    '/(?<=\\b(?:organi',
    "the operator's own recording, off the path of requests",
  ],
];

/** Files that build expressions from texts when they are loaded. */
const COMPOSERS = [
  'catalog/model.ts',
  'accounting/usage/output-estimate.ts',
  'formats/refusal-words.ts',
  'formats/messages/outbound/parse-error.ts',
  'formats/responses/outbound/parse-error.ts',
  'sandbox/schemas/generate-content.ts',
];

/** Files that build expressions at run time, from the operator's own words only: off the request path. */
const AT_RUN_TIME = ['devtools/recorder/clean.ts', 'cli/models-sync.ts'];

interface Expression {
  readonly file: string;
  /** As a literal is written. */
  readonly text: string;
}

/** The literals in `src`, and the files that contain `new RegExp`. */
function readSource(): { readonly literals: Expression[]; readonly composers: Set<string> } {
  const files = globSync('**/*.{ts,js}', { cwd: SOURCE }).filter((file) => !file.endsWith('.d.ts'));
  const literals: Expression[] = [];
  const composers = new Set<string>();
  const api = new API();
  try {
    const snapshot = api.updateSnapshot({ openFiles: files.map((file) => join(SOURCE, file)) });
    for (const file of files) {
      const path = join(SOURCE, file);
      const source = snapshot.getDefaultProjectForFile(path)?.program.getSourceFile(path);
      if (source === undefined) throw new Error(`${file} is of no project.`);
      const visit: Parameters<typeof source.forEachChild>[0] = (node) => {
        const text = source.text.slice(node.pos, node.end).trim();
        if (node.kind === SyntaxKind.RegularExpressionLiteral) literals.push({ file, text });
        const isMade = node.kind === SyntaxKind.NewExpression || node.kind === SyntaxKind.CallExpression;
        if (isMade && /^(?:new )?RegExp\(/.test(text)) composers.add(file);
        node.forEachChild(visit);
      };
      source.forEachChild(visit);
    }
  } finally {
    api.close();
  }
  return { literals, composers };
}

/** The expressions that `files` build when they are loaded: at least one a file. */
async function composedBy(files: readonly string[]): Promise<Expression[]> {
  const made: Expression[] = [];
  const Original = globalThis.RegExp;
  let file = '';
  globalThis.RegExp = new Proxy(Original, {
    construct(target, given: ConstructorParameters<typeof RegExp>) {
      const expression = new target(...given);
      made.push({ file, text: String(expression) });
      return expression;
    },
  });
  try {
    for (file of files) {
      const before = made.length;
      await import(join(SOURCE, file));
      expect(made.length, file).toBeGreaterThan(before);
    }
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

function boundOf({ file, text }: Expression): string | undefined {
  return BOUNDED.find(([of, beginning]) => of === file && text.startsWith(beginning))?.[2];
}

/** Why an expression is not known to be linear; undefined if it is. */
function complaintOn(text: string): string | undefined {
  const end = text.lastIndexOf('/');
  const verdict = checkSync(text.slice(1, end), text.slice(end + 1), { timeout: 30_000 });
  if (verdict.status === 'safe') return undefined;
  return verdict.status === 'vulnerable'
    ? `vulnerable: ${verdict.complexity.summary}`
    : 'unknown: not judged in time';
}

test('every expression is linear in its input, or its input is bounded', {
  timeout: 900_000,
}, async () => {
  const { literals, composers } = readSource();
  expect([...composers].sort()).toEqual([...COMPOSERS, ...AT_RUN_TIME].sort());
  const all = [...literals, ...(await composedBy(COMPOSERS))];
  expect(all.length).toBeGreaterThan(400);

  const unbounded = all.filter((each) => boundOf(each) === undefined && !SAFE.has(each.text));
  const judged = new Map(unbounded.map(({ text }) => [text, complaintOn(text)]));
  const complaints = unbounded.flatMap(({ file, text }) => {
    const complaint = judged.get(text);
    return complaint === undefined ? [] : [`${file}: ${text}: ${complaint}`];
  });
  expect(complaints).toEqual([]);

  const stale = BOUNDED.filter(
    ([of, beginning]) => !all.some(({ file, text }) => file === of && text.startsWith(beginning)),
  );
  expect(stale).toEqual([]);
});

test('recheck recognizes super-linear expressions', () => {
  expect(complaintOn('/(?:\\[[12]m\\])+$/i')).toMatch(/^vulnerable/);
  expect(complaintOn('/^a+$/')).toBeUndefined();
});
