/** The picture of the results: an SVG for light and dark mode, without external resources. */

import type { BenchResult, Row } from '../support/report.ts';
import { circumstances, figure, grouped, kinds, rowsOf, withoutPeers } from './results.ts';

const WIDTH = 900;
const MARGIN = 28;
const GAP = 40;
const COLUMN = (WIDTH - 2 * MARGIN - GAP) / 2;
/** Room for the figure after a bar. */
const FIGURE = 112;
const BAR = 11;
const LINE = 15;

const STYLE = `
.card { fill: #ffffff; stroke: #d0d7de }
text { fill: #1f2328; font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }
.title { font-size: 20px; font-weight: 600 }
.heading { font-size: 14px; font-weight: 600 }
.dim { fill: #59636e }
.figure { font-size: 11px; font-variant-numeric: tabular-nums }
.strong { font-weight: 600 }
.bare { fill: #a3adb8 }
.gateway { fill: #2563eb }
.other-0 { fill: #e0913f }
.other-1 { fill: #8b5cf6 }
.other-2 { fill: #16a34a }
.other-3 { fill: #db2777 }
.mark { stroke: #1f2328; stroke-width: 1; stroke-dasharray: 3 3; opacity: 0.45 }
@media (prefers-color-scheme: dark) {
  .card { fill: #0d1117; stroke: #30363d }
  text { fill: #e6edf3 }
  .dim { fill: #9198a1 }
  .bare { fill: #6e7681 }
  .gateway { fill: #4c8dff }
  .other-0 { fill: #d98a3d }
  .other-1 { fill: #a78bfa }
  .other-2 { fill: #4ade80 }
  .other-3 { fill: #f472b6 }
  .mark { stroke: #e6edf3 }
}
`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const text = (x: number, y: number, said: string, kind = ''): string =>
  `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escaped(said)}</text>`;

const bar = (x: number, y: number, width: number, kind: string): string =>
  `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2" class="${kind}"/>`;

/** A part of the picture, and its bottom edge. */
interface Part {
  readonly drawn: readonly string[];
  readonly bottom: number;
}

/** How many other contenders have a colour of their own. */
const COLOURS = 4;

/** @param names of all contenders, in the same order everywhere. */
function colourOf(name: string, names: readonly string[]): string {
  if (name === 'gateway') return 'gateway';
  if (name === 'bare proxy') return 'bare';
  const others = names.filter((one) => one !== 'gateway' && one !== 'bare proxy');
  return `other-${others.indexOf(name) % COLOURS}`;
}

interface Comparison {
  /** All contenders, for their colours. */
  readonly names: readonly string[];
  readonly heading: string;
  readonly better: string;
  readonly column: string;
  readonly say: (row: Row, value: number) => string;
}

/** A bar for each contender in every scenario. */
function compare(rows: readonly Row[], x: number, top: number, what: Comparison): Part {
  const drawn = [text(x, top, what.heading, 'heading'), text(x, top + 17, what.better, 'dim')];
  const most = Math.max(...rows.map((row) => figure(row, what.column) ?? 0), Number.MIN_VALUE);
  let y = top + 42;
  for (const scenario of kinds(rows, 'scenario')) {
    drawn.push(text(x, y, scenario));
    y += 7;
    for (const row of rows.filter((one) => one['scenario'] === scenario)) {
      const value = figure(row, what.column);
      if (value === undefined) continue;
      const kind = colourOf(String(row['through']), what.names);
      const width = Math.max(1.5, (Math.max(0, value) / most) * (COLUMN - FIGURE));
      drawn.push(bar(x, y, width, kind));
      const said = kind === 'gateway' ? 'figure strong' : 'figure dim';
      drawn.push(text(x + width + 6, y + BAR - 1.5, what.say(row, value), said));
      y += LINE;
    }
    y += 18;
  }
  return { drawn, bottom: y };
}

/**
 * Every direction as a share of the floor: the vendors' formats in two columns, with the callers' formats
 * below each.
 */
function directions(rows: readonly Row[], top: number): Part {
  const label = 132;
  const room = COLUMN - label - 44;
  const most = Math.max(1, ...rows.map((row) => figure(row, 'of the floor') ?? 0));
  const drawn = [
    text(MARGIN, top, 'Translators, events a second, of the least work’s', 'heading'),
    text(
      MARGIN,
      top + 17,
      'longer is better · the least work (dashed) reads, parses and writes the same events and does nothing else',
      'dim',
    ),
  ];
  const vendors = new Map<string, Row[]>();
  for (const row of rows) {
    const [from = ''] = String(row['translation']).split(' to ');
    vendors.set(from, [...(vendors.get(from) ?? []), row]);
  }
  const ends = [top + 42, top + 42];
  for (const [at, [from, pairs]] of [...vendors].entries()) {
    const x = MARGIN + (at % 2) * (COLUMN + GAP);
    let y = ends[at % 2] ?? top;
    const floor = (x + label + room / most).toFixed(1);
    drawn.push(text(x, y, `from ${from}`));
    y += 8;
    for (const row of pairs) {
      const value = figure(row, 'of the floor') ?? 0;
      drawn.push(text(x, y + BAR - 1.5, `to ${String(row['translation']).split(' to ')[1]}`, 'dim'));
      drawn.push(bar(x + label, y, (value / most) * room, 'gateway'));
      drawn.push(text(x + label + room + 10, y + BAR - 1.5, value.toFixed(2), 'figure strong'));
      y += LINE;
    }
    drawn.push(
      `<line x1="${floor}" x2="${floor}" y1="${y - LINE * pairs.length - 3}" y2="${y - 1}" class="mark"/>`,
    );
    ends[at % 2] = y + 18;
  }
  return { drawn, bottom: Math.max(...ends) - 10 };
}

function legend(names: readonly string[], y: number): readonly string[] {
  let x = MARGIN;
  return names.flatMap((name) => {
    const drawn = [bar(x, y - 10, BAR, colourOf(name, names)), text(x + BAR + 6, y, name)];
    x += BAR + 6 + name.length * 7 + 24;
    return drawn;
  });
}

/** @throws Error if there are no results at all. */
export function drawPicture(results: readonly BenchResult[]): string {
  const load = rowsOf(results, 'load');
  const translators = rowsOf(results, 'translators');
  const peers = rowsOf(results, 'peers');
  const names = [...new Set([...kinds(load, 'through'), ...kinds(peers, 'through')])];
  const drawn = [
    text(MARGIN, 44, 'The gateway, measured', 'title'),
    text(MARGIN, 66, circumstances(withoutPeers(results)), 'dim'),
    ...legend(names, 94),
  ];
  let bottom = 94;
  if (load.length > 0) {
    const answers = compare(load, MARGIN, 130, {
      names,
      heading: 'Answers a second, of the bare proxy’s',
      better: 'longer is better',
      column: 'of the bare proxy',
      say: (row, value) => `${value.toFixed(2)} · ${grouped(figure(row, 'answers/s') ?? 0)}/s`,
    });
    const latency = compare(load, MARGIN + COLUMN + GAP, 130, {
      names,
      heading: 'Added time to the first byte, ms, p50',
      better: 'shorter is better',
      column: 'added first byte p50',
      say: (_, value) => `${value.toFixed(2)} ms`,
    });
    drawn.push(...answers.drawn, ...latency.drawn);
    bottom = Math.max(answers.bottom, latency.bottom);
  }
  if (peers.length > 0) {
    const shares = (heading: string): Comparison => ({
      names,
      heading,
      better: 'longer is better',
      column: 'of the bare proxy',
      say: (row, value) =>
        `${value.toFixed(value < 0.1 ? 3 : 2)} · ${grouped(figure(row, 'answers/s') ?? 0)}/s`,
    });
    const top = bottom + 20;
    const isStream = (row: Row): boolean => row['CPU µs/event'] !== undefined;
    const streams = compare(peers.filter(isStream), MARGIN, top, shares('Beside others: streams a second'));
    const whole = compare(
      peers.filter((row) => !isStream(row)),
      MARGIN + COLUMN + GAP,
      top,
      shares('Beside others: whole answers a second'),
    );
    drawn.push(...streams.drawn, ...whole.drawn);
    bottom = Math.max(streams.bottom, whole.bottom);
  }
  if (translators.length > 0) {
    const all = directions(translators, bottom + 20);
    drawn.push(...all.drawn);
    bottom = all.bottom;
  }
  const height = bottom + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Benchmarks of the gateway">
<style>${STYLE}</style>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" class="card"/>
${drawn.join('\n')}
</svg>
`;
}
