/** The load of the benches counts what is wrong with an answer, and its processes with all that they start. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { closedLoad } from '../../bench/load/drive.ts';
import { cpuOf, memoryOf, treeOf } from '../../bench/load/observe.ts';
import { start } from '../../bench/load/processes.ts';
import { inWordsOf, type Scenario, scenarios } from '../../bench/load/scenarios.ts';
import { chat, EVENTS } from '../../bench/load/voices.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** What the load says of a vendor whose every answer is this body. */
async function loadedWith(scenario: Scenario, body: string) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const address = { host: '127.0.0.1', port, secure: false };
  const { broken, judged, rules } = await closedLoad(
    address,
    scenario.direct,
    { ...scenario, connections: 1 },
    0,
  );
  expect(judged).toBe(1);
  return { broken, rules };
}

const scenarioNamed = (name: string): Scenario => {
  const found = scenarios().find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no scenario ${name}.`);
  return found;
};
const whole = scenarioNamed('native, 0.5 KB, whole');
const streamed = scenarioNamed('native, 200 events');
const streamOf = (events: number): string => [...chat.head, chat.delta.repeat(events), ...chat.tail].join('');

describe('an answer', () => {
  test.each([
    ['a whole answer', whole, chat.whole, []],
    ['a whole answer that is an error', whole, '{"error":{"message":"no"}}', ['failed', 'text']],
    ['what is not JSON', whole, 'no', ['failed', 'text']],
    ['a stream', streamed, streamOf(EVENTS), []],
    ['a stream that lost a word', streamed, streamOf(EVENTS - 1), ['text']],
    ['a stream that says a word twice', streamed, streamOf(EVENTS + 1), ['text']],
    ['a stream that ends early', streamed, chat.head.join(''), ['cut-off', 'text']],
  ])('%s', async (_, scenario, body, rules) => {
    const loaded = await loadedWith(scenario, body);
    expect(loaded.rules).toEqual(rules);
    expect(loaded.broken).toBe(rules.length === 0 ? 0 : 1);
  });
});

test('a peer is asked the same in its own words', () => {
  const { path, headers, body } = inWordsOf(scenarioNamed('messages to openai, 200 events'), 'theirs', {
    authorization: 'Bearer their-key',
  });
  expect(path).toBe('/v1/messages');
  expect(headers).toEqual({ 'content-type': 'application/json', authorization: 'Bearer their-key' });
  const ours = JSON.parse(scenarioNamed('messages to openai, 200 events').gateway.body);
  expect(JSON.parse(body)).toEqual({ ...ours, model: 'theirs' });
});

test.runIf(process.platform === 'linux')(
  'a process is measured and stopped with those that it has started',
  async () => {
    // It holds the port, and its child 100 MB.
    const child =
      'const held = Buffer.alloc(1e8, 1); setInterval(() => held.at(0), 1000); console.log("ready")';
    const parent = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.once('data', () =>
        require('node:http').createServer((request, response) => response.end()).listen(Number(process.argv[1]), '127.0.0.1'));`;
    const port = 21_000 + (process.pid % 10_000);
    const running = await start([process.execPath, '-e', parent, String(port)], port, {});
    stops.push(() => running.stop());
    const all = treeOf(running.pid);
    expect(all).toHaveLength(2);
    expect(memoryOf(running.pid).now).toBeGreaterThan(memoryOf(all[1] ?? 0).now + 1e7);
    expect(memoryOf(all[1] ?? 0).peak).toBeGreaterThan(1e8);
    expect(cpuOf(running.pid)).toBeGreaterThan(cpuOf(all[1] ?? 0));
    running.stop();
    const alive = (pid: number): boolean => memoryOf(pid).now > 0;
    await expect.poll(() => all.some(alive)).toBe(false);
  },
);
