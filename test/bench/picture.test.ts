/** What is shown of the benches is what was measured: tables and the picture come from the kept results. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawPicture } from '../../bench/picture/draw.ts';
import { peersOf } from '../../bench/picture/peers.ts';
import { figure, grouped, KEPT, keptResults, rowsOf } from '../../bench/picture/results.ts';
import { tablesOf, withTables } from '../../bench/picture/tables.ts';

const kept = keptResults();
const page = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8');
const picture = readFileSync(KEPT.replace(/json$/, 'svg'), 'utf8');

describe('benchmarks', () => {
  test('the page has the tables of the kept results and no other', () => {
    expect(withTables(page, 'benchmarks', tablesOf(kept))).toBe(page);
    expect(withTables(page, 'peers', peersOf(kept))).toBe(page);
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

  test('without its place a page is left alone', () => {
    expect(() => withTables('# gateway', 'benchmarks', 'tables')).toThrow('has no <!-- benchmarks -->');
  });
});
