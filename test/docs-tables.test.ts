/** Tables of the pages that repeat what the program has in tables of its own: none lacks a row, and none is old. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openLog } from '../src/accounting/log/log.ts';
import { NO_FIGURES } from '../src/accounting/metrics/counter-figures.ts';
import { addFigures, openObservers } from '../src/accounting/observe.ts';
import type { FormatName } from '../src/conversation/prompt.ts';
import { type Fault, GatewayError } from '../src/lib/errors.ts';
import { asObject, asText, type JsonObject } from '../src/lib/json.ts';
import { errorAnswer } from '../src/translate/error-answer.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The cells of the rows below a heading of a page, of those whose first cell is in code. */
function rowsIn(page: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = read(page).split(`\n## ${heading}\n`);
  const [rows = ''] = section.split('\n## ');
  return rows
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** The words in code of a cell. */
const codeIn = (cell = ''): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('the page about errors', () => {
  /** Every fault. The compiler asks for those that are missing. */
  const FAULTS: Readonly<Record<Fault, true>> = {
    'invalid-request': true,
    'context-too-long': true,
    unauthenticated: true,
    'model-not-allowed': true,
    'permission-denied': true,
    'model-not-found': true,
    'not-found': true,
    'endpoint-not-available': true,
    'method-not-allowed': true,
    'request-timeout': true,
    conflict: true,
    'too-large': true,
    'unsupported-media-type': true,
    unprocessable: true,
    'rate-limited': true,
    'quota-exceeded': true,
    internal: true,
    'upstream-auth': true,
    'upstream-broken': true,
    'upstream-overloaded': true,
    overloaded: true,
    'upstream-timeout': true,
  };
  const isFault = (name: string): name is Fault => name in FAULTS;
  const rows = new Map(
    rowsIn('docs/errors.md', 'In the words of each format').map(([, fault, ...cells]) => [
      codeIn(fault)[0],
      cells,
    ]),
  );
  const said = (fault: Fault, format: FormatName): readonly [number, JsonObject] => {
    const { status, body } = errorAnswer(new GatewayError(fault, 'Why.'), format, 'req_1');
    return [status, asObject(body['error']) ?? {}];
  };

  test('has a row for each fault and no other', () => {
    expect([...rows.keys()].toSorted()).toEqual(Object.keys(FAULTS).toSorted());
  });

  test.each(Object.keys(FAULTS).filter(isFault))('%s: its status and its words', (fault) => {
    const [statuses = '', openai, anthropic, google] = rows.get(fault) ?? [];
    const [status, { type, code }] = said(fault, 'chat-completions');
    const [ofMessages, { type: anthropicType }] = said(fault, 'messages');
    const [, { status: word }] = said(fault, 'generate-content');
    expect(statuses).toBe(status === ofMessages ? `${status}` : `${status} (messages: ${ofMessages})`);
    expect(codeIn(openai)).toEqual([type, code].flatMap((text) => asText(text) ?? []));
    expect(codeIn(anthropic)).toEqual([anthropicType]);
    expect(codeIn(google)).toEqual([word]);
  });
});

describe('the page about metrics', () => {
  test('has every metric and no other', async () => {
    const observers = await openObservers({
      log: openLog({ style: 'json', stream: new PassThrough() }),
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      counted: () => NO_FIGURES,
    });
    const none = () => 0;
    const empty = () => [];
    addFigures(observers.metrics, {
      inFlight: none,
      webSockets: none,
      upstreams: empty,
      budgets: empty,
      usageLost: none,
      reloadsRefused: none,
      addressesRefused: none,
      certificates: () => [{ field: 'tls', end: new Date('2027-01-01') }],
    });
    const text = await observers.metrics.render();
    await observers.close(0);
    const metrics = [...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name);
    const told = rowsIn('docs/metrics.md', 'Metrics').flatMap(([, name]) => codeIn(name));
    expect(told.toSorted()).toEqual(metrics.toSorted());
  });

  test('has every label of every metric', () => {
    const source = globSync('src/accounting/metrics/*.ts', { cwd: root }).map(read).join('\n');
    const labels = [...source.matchAll(/labelNames: \[([^\]]*)\]/g)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    );
    const told = rowsIn('docs/metrics.md', 'Metrics').flatMap(([, , names]) => codeIn(names));
    expect(new Set(labels.filter((name) => name !== 'kind')).difference(new Set(told))).toEqual(new Set());
  });

  test('has every field of the log', () => {
    const [, fields = ''] =
      /const line = \{([\s\S]*?)\n {2}\};/.exec(read('src/accounting/log/exchange-line.ts')) ?? [];
    const written = [...fields.matchAll(/^ {4}(\w+)[:,]/gm)].map(([, name]) => name);
    const told = rowsIn('docs/metrics.md', 'Log').flatMap(([, names]) => codeIn(names));
    expect(told.toSorted()).toEqual(written.toSorted());
  });
});
