/** The access log: one line a request, no secrets and no content in it, and no request waits for it. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { Usage } from '../../../src/conversation/reply.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { exchangeLog, RECORD, REFUSED } from './records.ts';

/** A stream that collects what is written to it. */
function keeping(): { readonly stream: Writable; text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      setImmediate(done);
    },
  });
  return { stream, text: () => chunks.join('') };
}

function lineOf(text: string, at = 0): JsonObject {
  const line = parseJson(text.split('\n')[at] ?? '');
  if (!isObject(line)) throw new Error('not a line');
  return line;
}

test('a request is one JSON line with the fields of its record, and a time', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  log.record(RECORD);
  log.record(REFUSED);
  await log.close(1_000);
  expect(text().trimEnd().split('\n')).toHaveLength(2);
  const { time, ...line } = lineOf(text());
  expect(Date.parse(String(time))).toBe(RECORD.time + RECORD.duration);
  expect(line).toEqual({
    level: 'info',
    id: 'req_1',
    key: 'team',
    model: 'anthropic/claude-sonnet-4-5',
    vendor: 'anthropic',
    format: 'chat-completions',
    spoken: 'messages',
    operation: 'generate',
    streamed: true,
    status: 200,
    outcome: 'complete',
    duration: 4_200,
    firstByte: 310,
    input: 1_000,
    cacheRead: 600,
    cacheWrite: 100,
    output: 50,
    reasoning: 20,
    cost: 0.0125,
    attempts: 1,
    msg: 'exchange',
  });
  expect(lineOf(text(), 1)).toMatchObject({ status: 401, fault: 'unauthenticated' });
  expect(lineOf(text(), 1)).not.toHaveProperty('model');
  expect(log.dropped()).toBe(0);
});

test('the line of a fallback’s answer has the requested model, and the reason why another one was asked', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  log.record({
    ...RECORD,
    gaveWay: [{ model: 'openai/gpt-4o', vendor: 'openai', fault: 'upstream-timeout', attempts: 1 }],
  });
  await log.close(1_000);
  expect(lineOf(text())).toMatchObject({
    asked: 'openai/gpt-4o',
    askedFault: 'upstream-timeout',
    model: 'anthropic/claude-sonnet-4-5',
  });
});

test('the line has the tag that the caller gave the request', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  log.record({ ...RECORD, tag: 'customer-42', group: 'search' });
  log.record(RECORD);
  await log.close(1_000);
  expect(lineOf(text())).toMatchObject({ tag: 'customer-42', group: 'search' });
  expect(lineOf(text(), 1)).not.toHaveProperty('tag');
  expect(lineOf(text(), 1)).not.toHaveProperty('group');
});

test('the line has the vendor’s own id of the exchange', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  log.record({ ...RECORD, upstreamId: 'req_of_the_vendor' });
  await log.close(1_000);
  expect(lineOf(text())).toMatchObject({ upstreamId: 'req_of_the_vendor' });
});

test('from a vendor’s usage only numbers are written', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  const usage: Usage = { output: 1, formatSpecific: { format: 'messages', fields: { note: 'CANARY' } } };
  log.record({ ...RECORD, usage });
  await log.close(1_000);
  expect(lineOf(text())).toMatchObject({ output: 1 });
  expect(text()).not.toContain('CANARY');
});

test.each([
  [{ status: 502, outcome: 'failed', fault: 'upstream-broken' }, 'warn'],
  [{ status: 503, outcome: 'complete' }, 'warn'],
  [{ status: 200, outcome: 'failed', fault: 'upstream-broken' }, 'warn'],
  [{ status: 429, outcome: 'complete' }, 'info'],
  [{ status: 200, outcome: 'client-closed' }, 'info'],
] as const)('%o has level %s', async (change, level) => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  log.record({ ...RECORD, ...change });
  await log.close(1_000);
  expect(lineOf(text())).toMatchObject({ level });
});

test('a line stays one line, whatever a name contains', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  log.record({ ...RECORD, key: 'a\n{"level":"fatal"}\u001b[2J' });
  await log.close(1_000);
  expect(text().trimEnd()).not.toContain('\n');
  expect(text()).not.toContain('\u001b');
  expect(lineOf(text())['key']).toBe('a\n{"level":"fatal"}\u001b[2J');
});

test('of an error, its kind and its place are written, not its message', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'json', stream });
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:443 CANARY'), {
    code: 'ECONNREFUSED',
  });
  log.problem('An exchange failed.', new SyntaxError('Unexpected token CANARY', { cause }));
  log.problem('A vendor failed.', new GatewayError('upstream-broken', 'The connection failed.', { cause }));
  log.problem('Something was thrown.', 'CANARY');
  log.note('Reloaded.');
  await log.close(1_000);
  expect(text()).not.toContain('CANARY');
  expect(text()).not.toContain('10.1.2.3');
  const line = lineOf(text());
  expect(line).toMatchObject({
    level: 'error',
    msg: 'An exchange failed.',
    error: 'SyntaxError',
    'cause.code': 'ECONNREFUSED',
  });
  expect(line['at']).toContain('log.test.ts');
  expect(lineOf(text(), 1)).toMatchObject({ fault: 'upstream-broken', reason: 'The connection failed.' });
  expect(lineOf(text(), 3)).toMatchObject({ level: 'info', msg: 'Reloaded.' });
});

test('on a terminal it is readable', async () => {
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'pretty', stream });
  log.record(RECORD);
  log.note('Reloaded.');
  await log.close(1_000);
  expect(text()).toContain('200 complete chat-completions anthropic/claude-sonnet-4-5 4200 ms req_1');
  expect(text()).toContain('Reloaded.');
  expect(text()).toContain('team');
  expect(() => lineOf(text())).toThrow();
});

test('on a terminal each line has its local time, its level and the other fields', async () => {
  vi.stubEnv('NO_COLOR', '1');
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'pretty', stream });
  log.note('Reloaded.');
  log.problem('An exchange failed.', new SyntaxError('no'));
  await log.close(1_000);
  vi.unstubAllEnvs();
  const [note = '', problem = ''] = text().split('\n');
  expect(note).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: Reloaded\.$/);
  expect(problem).toMatch(/^\[[\d:.]+\] ERROR: An exchange failed\. \{"error":"SyntaxError","at":".+"\}$/);
  const { stream: coloured, text: shown } = keeping();
  const other = await exchangeLog({ style: 'pretty', stream: coloured });
  other.note('Reloaded.');
  await other.close(1_000);
  expect(shown()).toContain('\u001b[32mINFO\u001b[39m: \u001b[36mReloaded.\u001b[39m');
});

test('on a terminal the control characters in a caller’s text are escaped', async () => {
  vi.stubEnv('NO_COLOR', '1');
  const { stream, text } = keeping();
  const log = await exchangeLog({ style: 'pretty', stream });
  const model = 'openai/\u001b]0;owned\u0007\n[00:00:00.000] INFO: forged\u009b2J';
  log.record({ ...RECORD, model, tag: 'team\u009b2J\u007f' });
  await log.close(1_000);
  vi.unstubAllEnvs();
  expect(text().match(/\p{Cc}/gu)).toEqual(['\n']);
  expect(text()).toContain('openai/\\u001b]0;owned\\u0007\\u000a');
  expect(text()).toContain('team\\u009b2J\\u007f');
});

test('a stalled reader costs lines, and they are counted; close waits no longer than its timeout', async () => {
  const stuck = new Writable({ write: () => undefined });
  const log = await exchangeLog({ style: 'json', stream: stuck, maxWaiting: 50_000 });
  for (let at = 0; at < 1_000; at += 1) log.record(RECORD);
  expect(log.dropped()).toBeGreaterThan(700);
  await log.close(100);
  expect(log.dropped()).toBe(1_000);
  log.record(RECORD);
  expect(log.dropped()).toBe(1_001);
});

test('a reader that disconnects does not end the process', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const log = await exchangeLog({ style: 'json', stream: gone });
  for (let at = 0; at < 100; at += 1) log.record(RECORD);
  await log.close(1_000);
  log.record(RECORD);
  expect(log.dropped()).toBe(101);
});

/**
 * Logs 100,000 requests, more than any pipe holds, and reports on standard error how long its event loop was
 * blocked.
 */
const LOUD = `
  const { exchangeLog, RECORD } = await import('${new URL('records.ts', import.meta.url)}');
  const log = await exchangeLog({ style: 'json', most: 100_000 });
  let turns = 0;
  setInterval(() => { turns += 1; }, 5);
  for (let round = 0; round < 100; round += 1) {
    for (let at = 0; at < 1_000; at += 1) log.record(RECORD);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await log.close(200);
  process.stderr.write(JSON.stringify({ dropped: log.dropped(), turns }));
  process.exit(0);
`;

test('P-17: with a pipe that is never read, the process goes on, counts what it drops, and exits', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOUD], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += String(chunk);
  });
  child.stdout.pause();
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  expect(code).toBe(0);
  const { dropped, turns } = parseTold(told);
  expect(turns).toBeGreaterThan(50);
  expect(dropped).toBeGreaterThan(90_000);
  expect(dropped).toBeLessThan(100_000);
});

test('to a file every line is written, in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-log-'));
  const path = join(folder, 'access.log');
  const file = await open(path, 'w');
  const script = `
    const { exchangeLog, RECORD } = await import('${new URL('records.ts', import.meta.url)}');
    const log = await exchangeLog({ style: 'auto' });
    for (let at = 0; at < 5_000; at += 1) log.record({ ...RECORD, id: 'req_' + at });
    await log.close(5_000);
    process.exit(0);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', file.fd, 'inherit'],
  });
  expect(await new Promise<number | null>((resolve) => child.once('exit', resolve))).toBe(0);
  await file.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  rmSync(folder, { recursive: true });
  expect(lines).toHaveLength(5_000);
  expect(lines.map((line) => lineOf(line)['id'])).toEqual(lines.map((_, at) => `req_${at}`));
});

function parseTold(text: string): { readonly dropped: number; readonly turns: number } {
  const told = parseJson(text);
  if (!isObject(told)) throw new Error(text);
  return { dropped: Number(told['dropped']), turns: Number(told['turns']) };
}
