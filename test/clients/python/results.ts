/** What the runs of Python clients say about each client: the rows of `results.json`. */

import { CAPABILITIES, type ClientResult } from '../table.ts';
import type { PythonCase } from './run-pytest.ts';

/**
 * The known results, with those of the clients that have run in place of their earlier ones. Each version of a client has a
 * row of its own.
 * @returns rows in the order of the clients' names
 */
export function withRuns(known: readonly ClientResult[], cases: readonly PythonCase[]): ClientResult[] {
  const names = [...new Set(cases.map(nameOf))].sort();
  const ran = names.map((name) => resultOf(cases.filter((one) => nameOf(one) === name)));
  const kept = known.filter((result) => !names.includes(nameOf(result)));
  return [...kept, ...ran].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** A space comes before every letter and hyphen, so that the names of clients are in their order. */
const nameOf = ({ client, version }: Pick<ClientResult, 'client' | 'version'>): string =>
  `${client} ${version}`;

function resultOf(cases: readonly PythonCase[]): ClientResult {
  const { client = '', version = '' } = cases[0] ?? {};
  const vendors = new Set(cases.flatMap(({ vendor }) => vendor ?? []));
  const works = CAPABILITIES.flatMap((name) => {
    const showing = cases.filter((one) => one.capabilities.includes(name) && one.outcome !== 'skipped');
    return showing.length === 0 ? [] : [[name, showing.every(({ outcome }) => outcome === 'passed')]];
  });
  return { client, version, language: 'Python', models: [...vendors], ...Object.fromEntries(works) };
}

/** The text of `results.json`, as the formatter of the project writes it. */
export function renderResults(results: readonly ClientResult[]): string {
  const lists = (text: string): string =>
    text.replaceAll(/\[\s+("[^\]]*")\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s+/g, ' ')}]`);
  return `${lists(JSON.stringify(results, null, 2))}\n`;
}
