/** What is shown of the benches is what was measured: tables and the picture come from the kept results. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawPicture } from '../../bench/picture/draw.ts';
import { peersInShort, peersOf } from '../../bench/picture/peers.ts';
import { figure, grouped, KEPT, keptResults, rowsOf } from '../../bench/picture/results.ts';
import { tablesOf, withTables } from '../../bench/picture/tables.ts';

const kept = keptResults();
const page = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8');
const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const picture = readFileSync(KEPT.replace(/json$/, 'svg'), 'utf8');

describe('benchmarks', () => {
  test('the page has the tables of the kept results and no other', () => {
    expect(withTables(page, 'benchmarks', tablesOf(kept))).toBe(page);
    expect(withTables(page, 'peers', peersOf(kept))).toBe(page);
    expect(withTables(readme, 'peers', peersInShort(kept))).toBe(readme);
  });

  test('the picture is drawn from the kept results', () => {
    expect(picture).toBe(drawPicture(kept));
  });

  test('every answer rate that was measured is in both', () => {
    const load = rowsOf(kept, 'load');
    expect(load.map(({ through }) => through)).toContain('gateway');
    for (const row of load) {
      const rate = grouped(figure(row, 'answers/s') ?? Number.NaN);
      expect(tablesOf(kept)).toContain(rate);
      expect(picture).toContain(`${rate}/s`);
    }
  });

  test('machine and versions are named in both', () => {
    const [first] = kept;
    const node = first?.machine['node']?.slice(1) ?? 'no machine';
    for (const shown of [page, picture]) {
      expect(shown).toContain(`Node ${node}`);
      expect(shown).toContain(first?.machine['cpu']);
    }
  });

  test('what is in a name cannot end the text it is drawn in', () => {
    const rows = [{ scenario: '<b> & "c"', through: 'gateway', 'of the bare proxy': 1, 'answers/s': 1 }];
    const drawn = drawPicture([{ bench: 'load', date: '2026-01-01', machine: { node: 'v26' }, rows }]);
    expect(drawn).toContain('&lt;b&gt; &amp; "c"');
    expect(drawn).not.toContain('<b>');
  });

  test('other gateways stand side by side, with their versions and their setup', () => {
    const common = { date: '2026-01-01', machine: { node: 'v26' } };
    const measured = [
      {
        ...common,
        bench: 'peers',
        versions: { theirs: '1.2' },
        setups: { theirs: 'as it comes' },
        rows: [
          { scenario: 'whole', through: 'gateway', 'CPU µs': 50, 'CPU of the bare': 2, refused: 0 },
          { scenario: 'whole', through: 'theirs', 'CPU µs': 9000, 'CPU of the bare': 180, refused: 3 },
          { scenario: 'streamed', through: 'gateway', 'CPU µs': 90, 'CPU µs/event': 0.5, 'peak MB': 100 },
        ],
      },
      {
        ...common,
        bench: 'peers-paced',
        rows: [
          { scenario: 'streamed', through: 'theirs', 'added first word p50': 9, 'added first word p99': 12 },
        ],
      },
    ];
    const shown = peersOf(measured);
    expect(shown).toContain('- theirs 1.2: as it comes.');
    expect(shown).toContain('| whole | **50 (2)** | 9,000 (180) |');
    expect(shown).toContain('| streamed | **0.5** | – |');
    expect(shown).toContain('; 3 refused |');
    expect(shown).toContain('| streamed | 9 / 12 |');
    const short = peersInShort(measured);
    expect(short).toContain('| whole | **50** | 9,000 |');
    expect(short).toContain('| streamed | **90** | – |');
    expect(short).toContain('| highest memory, MB | **100** | – |');
  });

  test('without its place a page is left alone', () => {
    expect(() => withTables('# gateway', 'benchmarks', 'tables')).toThrow('has no <!-- benchmarks -->');
  });
});
