/**
 * The results of the benches for people: `docs/benchmarks.svg`, and `docs/benchmarks.json` with its data.
 *   --markdown   prints them as tables
 *   --page       writes the tables into docs/benchmarks.md and the README, so that no figure there is ever typed
 *   --kept       draws docs/benchmarks.json again, whatever was measured since
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { drawPicture } from './picture/draw.ts';
import { peersInShort, peersOf } from './picture/peers.ts';
import { KEPT, keptResults, latestResults } from './picture/results.ts';
import { tablesOf, withTables } from './picture/tables.ts';
import { argumentsOf } from './support/arguments.ts';

const values = argumentsOf({
  markdown: { type: 'boolean', default: false },
  page: { type: 'boolean', default: false },
  kept: { type: 'boolean', default: false },
});

const PAGE = join(import.meta.dirname, '../docs/benchmarks.md');
const README = join(import.meta.dirname, '../README.md');

const results = values.kept ? keptResults() : latestResults();
const picture = drawPicture(results);
const tables = tablesOf(results);
const peers = peersOf(results);
mkdirSync(dirname(KEPT), { recursive: true });
writeFileSync(KEPT, `${JSON.stringify(results, null, 2)}\n`);
writeFileSync(KEPT.replace(/json$/, 'svg'), picture);
if (values.page) {
  const page = withTables(readFileSync(PAGE, 'utf8'), 'benchmarks', tables);
  writeFileSync(PAGE, withTables(page, 'peers', peers));
  writeFileSync(README, withTables(readFileSync(README, 'utf8'), 'peers', peersInShort(results)));
}
if (values.markdown) console.log(`${tables}\n\n${peers}`);
