/**
 * SIGTERM while callers send requests without pause: every connected caller is answered, and slow callers stay within
 * their time limits.
 */

import { Agent, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { errorCode } from '../../src/lib/error-code.ts';
import { chatCompletion } from '../support/chat-completion.ts';
import { KEY } from '../support/gateway.ts';
import { childrenOf } from '../support/process-tree.ts';
import { eventually, post, rawClient, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { openStage, requestOf, STREAM_END, type Stage, streamEvents, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** `SIGTERM_RUNS=50 npx vitest run test/faults/process-drain-load.test.ts` makes more runs. */
const RUNS = Number(process.env['SIGTERM_RUNS'] ?? 3);
const CALLERS = 64;

type Outcome = 'answered' | 'refused' | `lost: ${string}`;

/** One request, whose answer is read to its end. */
function ask(port: number, at: number, agent: Agent | false): Promise<Outcome> {
  const way = ways[at % 2] ?? ways[0];
  return new Promise((resolve) => {
    const lost = (error: Error): void => resolve(`lost: ${errorCode(error)} ${error.message}`);
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        path: way.path,
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      },
      (response) => {
        let text = '';
        response.setEncoding('latin1').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', lost);
        response.on('end', () => {
          const isWhole = response.statusCode === 200 && response.complete;
          resolve(isWhole ? 'answered' : `lost: ${response.statusCode} ${text.slice(0, 200)}`);
        });
      },
    );
    // A reset while the connection is made is a refusal too: not a byte of the request has been sent.
    asked.on('error', (error) => (isOfConnect(error) ? resolve('refused') : lost(error)));
    asked.end(requestOf(way, way.way === 'native' && at % 4 === 0));
  });
}

/** Whether no connection was made: nothing listens any more, or stopped just then. */
function isOfConnect(error: Error): boolean {
  const code = errorCode(error);
  if (code === 'ECONNREFUSED') return true;
  return code === 'ECONNRESET' && 'syscall' in error && error.syscall === 'connect';
}

/** Sends requests again and again until nothing listens any more. */
async function call(port: number, at: number, tell: (outcome: Outcome) => void): Promise<void> {
  const agent = at % 2 === 0 && new Agent({ keepAlive: true, maxSockets: 1 });
  for (let round = at; ; round++) {
    const outcome = await ask(port, round, agent);
    tell(outcome);
    if (outcome !== 'answered') break;
  }
  if (agent !== false) agent.destroy();
}

describe.each([1, 2])('SIGTERM under load, %d serving process(es)', (workers) => {
  test(`P-22 none of ${CALLERS} callers loses a request, in ${RUNS} runs`, {
    timeout: 180_000 * RUNS,
  }, async () => {
    for (let run = 0; run < RUNS; run++) {
      stage = await openStage({ workers });
      if (workers > 1) expect(childrenOf(stage.gateway.pid)).toHaveLength(workers);
      stage.respondWith(({ body }, response) => {
        if (JSON.parse(body.toString()).stream) streamEvents(response, 3, 5);
        else json(response, chatCompletion());
      });
      const outcomes: Outcome[] = [];
      const calls = Array.from({ length: CALLERS }, (_, at) =>
        call(stage.gateway.port, at, (outcome) => outcomes.push(outcome)),
      );
      await eventually(() => outcomes.length > 4 * CALLERS + 10 * run, 'all callers are busy');
      stage.gateway.signal('SIGTERM');
      await Promise.all(calls);
      expect(outcomes.filter((outcome) => outcome.startsWith('lost'))).toEqual([]);
      expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(CALLERS);
      expect(await stage.gateway.ended, stage.gateway.output()).toBe(0);
      if (run + 1 < RUNS) await stage.close();
    }
  });
});

describe('slow callers after SIGTERM', () => {
  test.each([1, 2])('P-23 half a head and half a body do not hold up %d process(es)', async (workers) => {
    stage = await openStage({ workers, timeouts: { requestHead: 1_500, requestBody: 3_000 } });
    const whole = post(ways[0].path, requestOf(ways[0], false));
    const head = rawClient(stage.gateway.port, whole.slice(0, 40));
    const body = rawClient(stage.gateway.port, whole.slice(0, -10));
    const kept = rawClient(stage.gateway.port, whole);
    await kept.until((text) => text.includes('{}'));
    stage.gateway.signal('SIGTERM');
    const drip = setInterval(() => body.socket.writable && body.socket.write(' '), 500);
    expect(statusOf(await head.over)).toBe(408);
    const refused = await body.over;
    clearInterval(drip);
    expect(statusOf(refused)).toBe(408);
    expect(refused).toContain('"code":"request_timeout"');
    // `drain` is 600 s: the time limits on heads and bodies end them.
    expect(await stage.gateway.ended, stage.gateway.output()).toBe(0);
  });

  test('P-23 a request on a kept connection is answered while the process ends', async () => {
    stage = await openStage();
    const told = Promise.withResolvers<void>();
    stage.respondWith(({ body }, response) => {
      if (!JSON.parse(body.toString()).stream) return json(response, { id: 'kept' });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n');
      void told.promise.then(() => response.end(STREAM_END));
    });
    const stream = rawClient(stage.gateway.port, post(ways[0].path, requestOf(ways[0], true)));
    await stream.until((text) => text.includes('200 OK'));
    const idle = rawClient(stage.gateway.port, post(ways[0].path, requestOf(ways[0], false)));
    await idle.until((text) => text.includes('"kept"'));
    stage.gateway.signal('SIGTERM');
    await eventually(() => stage.gateway.output().includes('Shutting down once'), 'it has begun to end');
    idle.socket.write(post(ways[0].path, requestOf(ways[0], false)));
    const text = await idle.over;
    expect(text.match(/"kept"/g)).toHaveLength(2);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    told.resolve();
    expect(await stream.over).toContain('[DONE]');
    expect(await stage.gateway.ended).toBe(0);
  });
});
