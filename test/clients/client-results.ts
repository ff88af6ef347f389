/** What the tests of clients in other languages say, and the summary of it that the documents show. */

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** How one test of a client ended. */
export interface Outcome {
  /** The client's own name, `vendor/model/capability`, and further words: `TestGenai/openai/gpt-5.4/tools/chat/stream`. */
  readonly name: string;
  readonly passed: boolean;
  /** What it printed. */
  readonly output: string;
}

const CAPABILITIES = ['whole', 'stream', 'tools', 'thinking', 'structured'] as const;
type Capability = (typeof CAPABILITIES)[number];

/** A row of the table of clients. A capability that is absent was not tried. */
export interface ClientResult extends Partial<Record<Capability, boolean>> {
  readonly client: string;
  readonly version: string;
  readonly language: string;
  /** The vendors with whose models all tests pass. */
  readonly models: readonly string[];
}

/** A client of the table, and the name with which its tests begin. */
export interface TestedClient {
  readonly client: string;
  readonly version: string;
  readonly test: string;
}

/** A client, the package of which it is part, and the name with which its tests begin. */
type ListedClient = readonly [client: string, artifact: string, test: string];

/**
 * Adds the versions of the packages.
 * @param file where the versions are pinned.
 * @param findVersion finds the version of a package in its text.
 */
export function addVersions(
  clients: readonly ListedClient[],
  file: string,
  findVersion: (text: string, artifact: string) => string | undefined,
): readonly TestedClient[] {
  const text = readFileSync(file, 'utf8');
  return clients.map(([client, artifact, test]) => {
    const version = findVersion(text, artifact);
    if (version === undefined) throw new Error(`${file} does not have ${artifact}.`);
    return { client, version, test };
  });
}

/** Whether the clients that take long to install are tested too. */
export const ALL_CLIENTS = process.env['FULL'] === '1';

/**
 * Registers a test for each outcome, and one that compares them with the table in `file`, which holds rows of clients that
 * this run left out as they are. `-u` writes the table.
 */
export function holdResults(
  language: string,
  outcomes: readonly Outcome[],
  clients: readonly TestedClient[],
  file: string,
): void {
  describe(language, () => {
    test.each(outcomes)('$name', ({ passed, output }) => {
      expect(passed, output).toBe(true);
    });

    test('the table says what was tested', async () => {
      const rows = new Map(readResults(file).map((row) => [row.client, row]));
      for (const client of clients) rows.set(client.client, resultOf(client, language, outcomes));
      const sorted = [...rows.values()].sort((one, other) => one.client.localeCompare(other.client));
      await expect(inJson(sorted)).toMatchFileSnapshot(file);
    });
  });
}

/** As Biome formats it: the list of vendors is on one line. */
function inJson(rows: readonly ClientResult[]): string {
  const text = JSON.stringify(rows, null, 2);
  return `${text.replaceAll(/\[\s+("[^\]]*")\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s+/g, ' ')}]`)}\n`;
}

function readResults(file: string): readonly ClientResult[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

function resultOf(
  { client, version, test: prefix }: TestedClient,
  language: string,
  outcomes: readonly Outcome[],
): ClientResult {
  const own = outcomes.flatMap(({ name, passed }) => {
    const [test, vendor = '', , capability = ''] = name.split('/');
    return test === prefix ? [{ vendor, capability, passed }] : [];
  });
  if (own.length === 0) throw new Error(`There are no tests of ${client}, whose names begin with ${prefix}.`);
  const vendors = [...new Set(own.map(({ vendor }) => vendor))];
  const capabilities = CAPABILITIES.flatMap((capability) => {
    const tried = own.filter((outcome) => outcome.capability === capability);
    return tried.length === 0 ? [] : [[capability, tried.every(({ passed }) => passed)] as const];
  });
  return {
    client,
    version,
    language,
    models: vendors.filter((vendor) => own.every((outcome) => outcome.vendor !== vendor || outcome.passed)),
    ...Object.fromEntries(capabilities),
  };
}
