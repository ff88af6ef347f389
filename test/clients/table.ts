/**
 * The table of clients in docs/clients.md. Its rows are in one file for each language, which the tests that run the clients
 * keep: `test/clients/<language>/results.json`.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const capability = z.boolean().optional();

const resultsSchema = z.array(
  z.strictObject({
    client: z.string().min(1),
    version: z.string().min(1),
    language: z.string().min(1),
    /** The vendors whose models it was tried with. */
    models: z.array(z.string()).min(1),
    whole: capability,
    stream: capability,
    tools: capability,
    thinking: capability,
    structured: capability,
  }),
);

/** What one client was tried with. A capability is absent if it was not tried, and false if it fails. */
export type ClientResult = z.infer<typeof resultsSchema>[number];

/** The columns of the table that say what works, and what each is called in a result. */
export const CAPABILITIES = ['whole', 'stream', 'tools', 'thinking', 'structured'] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** The page with the table. */
export const PAGE = join(import.meta.dirname, '../../docs/clients.md');

const BEGIN = '<!-- Written by test/clients/table.test.ts: begin -->';
const END = '<!-- Written by test/clients/table.test.ts: end -->';

/**
 * The results of a file.
 * @param text JSON: a list of results
 * @throws ZodError if it is anything else
 */
export function parseResults(text: string): readonly ClientResult[] {
  return resultsSchema.parse(JSON.parse(text));
}

/** The results of all languages, in the order of the languages' names, then as their files have them. */
export function allResults(): readonly ClientResult[] {
  const files = globSync('*/results.json', { cwd: import.meta.dirname }).sort();
  return files.flatMap((file) => parseResults(readFileSync(join(import.meta.dirname, file), 'utf8')));
}

/** The table as Markdown. */
export function renderTable(results: readonly ClientResult[]): string {
  const head = ['Client', 'Version', 'Models of', 'Whole', 'Stream', 'Tools', 'Thinking', 'Structured'];
  const rows = results.map((result) => [
    `${result.client} (${result.language})`,
    result.version,
    result.models.join(', '),
    ...CAPABILITIES.map((name) => mark(result[name])),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function mark(works: boolean | undefined): string {
  if (works === undefined) return '';
  return works ? '✓' : 'fails';
}

/**
 * A page with another table between the two comments that mark its place.
 * @throws Error if the page has no such place
 */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The page lacks "${BEGIN}" and "${END}" after it.`);
  return `${page.slice(0, begin + BEGIN.length)}\n${table}\n${page.slice(end)}`;
}
