/**
 * The setting for callers' faults: a gateway in its own process, raw sockets in front of it, a scripted vendor behind
 * it.
 */

import type { ServerResponse } from 'node:http';
import { afterAll, expect } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type Answer, call } from '../support/caller.ts';
import { KEY, vendorsAtUrl } from '../support/gateway.ts';
import { type GatewayProcess, type ProcessOptions, spawnGateway } from '../support/process.ts';
import { childrenOf } from '../support/process-tree.ts';
import { eventually } from '../support/raw.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

export interface Stage {
  readonly gateway: GatewayProcess;
  readonly upstream: TestUpstream;
  /** How the vendor answers from now on. */
  respondWith(respond: Respond): void;
  /** Sends a request of a way. @param stream whether it asks for a stream. */
  ask(way: Way, stream?: boolean): Promise<Answer>;
  /** Asks for the health of the gateway, over a connection of its own. @param path such as `/health/live`. */
  health(path: string): Promise<Response>;
  /** How many of the vendor's answers are still in progress. */
  live(): number;
  /**
   * The end of every file: the gateway is alive, nothing is in progress or held open, and no secret was written: no key
   * of the configuration, nor any of `secrets`.
   */
  expectUnharmed(secrets?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A number small enough for every run, or the full one: `FULL=1 vitest run test/faults`. */
export const sized = (small: number, full: number): number =>
  process.env['FULL'] === undefined ? small : full;

/** What no output may ever hold. Prompts of these tests contain the first of them. */
export const CANARY = 'canary-4f1d9c';

export async function openStage(config: ConfigInput = {}, options: ProcessOptions = {}): Promise<Stage> {
  let respond: Respond = (_, response) => json(response, {});
  let live = 0;
  const upstream = await startUpstream((received, response, request) => {
    live++;
    response.once('close', () => live--);
    respond(received, response, request);
  });
  // Never busy: on a machine that runs many tests at once it would refuse work that these tests need.
  const limits = { eventLoopDelay: 600_000, ...config.limits };
  const gateway = await spawnGateway({ vendors: vendorsAtUrl(upstream.url), ...config, limits }, options);
  const keys = [KEY, ...(config.keys ?? []).flatMap(({ key }) => key ?? [])];
  const atRest = gateway.sockets();
  const health = (path: string): Promise<Response> =>
    fetch(`${gateway.url}${path}`, { headers: { connection: 'close' } });
  return {
    gateway,
    upstream,
    respondWith: (next) => {
      respond = next;
    },
    ask: (way, stream = true) => call(gateway.url, way.path, requestOf(way, stream)),
    health,
    live: () => live,
    async expectUnharmed(secrets = []) {
      expect(gateway.alive(), gateway.output()).toBe(true);
      await eventually(() => live === 0, 'every answer of the vendor has ended');
      // Idle connections to the vendor are closed after 4 s, callers' when their callers close them.
      await eventually(() => gateway.sockets() <= atRest, 'every socket is closed');
      expect((await health('/health/live')).status).toBe(200);
      const output = gateway.output();
      for (const secret of [CANARY, 'vendor-key', ...keys, ...secrets]) expect(output).not.toContain(secret);
      // The code of the reason why a vendor could not be reached may be shown.
      const surprises = output.replaceAll(/"fault":"upstream-[a-z]+","cause":"[A-Z0-9_]+"/g, '');
      expect(surprises).not.toMatch(/uncaught|unhandled|ERR_|^\s+at .+:\d+:\d+/im);
    },
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** A stage for all tests of a file, which leave it unharmed. `secrets` are more of what it must not write. */
export function useStage(
  config: ConfigInput = {},
  options: ProcessOptions = {},
  secrets: readonly string[] = [],
): Stage {
  const stage = whileTestsRun(() => openStage(config, options));
  afterAll(() => stage().expectUnharmed(secrets));
  return {
    get gateway() {
      return stage().gateway;
    },
    get upstream() {
      return stage().upstream;
    },
    respondWith: (respond) => stage().respondWith(respond),
    ask: (way, stream) => stage().ask(way, stream),
    health: (path) => stage().health(path),
    live: () => stage().live(),
    expectUnharmed: (more) => stage().expectUnharmed(more),
    close: () => stage().close(),
  };
}

/** The processor time that the gateway takes for `run`, in milliseconds. */
export async function costOf({ gateway }: Stage, run: () => Promise<unknown>): Promise<number> {
  const before = gateway.cpu();
  await run();
  return gateway.cpu() - before;
}

/** The bound on the cost of work `size` times as large as work that costs `ordinary`: only quadratic growth exceeds it. */
export const alike = (ordinary: number, size = 1): number => 5 * size * ordinary + 1_000;

/** The two ways through the gateway to a vendor that speaks chat-completions. */
export const ways = [
  { way: 'native', path: '/v1/chat/completions', model: 'gpt-4o' },
  { way: 'translated', path: '/v1/messages', model: 'openai/gpt-4o' },
] as const;

export type Way = (typeof ways)[number];

/** A request of a way, as JSON text. */
export function requestOf(
  { model }: { readonly model: string },
  stream: boolean,
  text: string = CANARY,
): string {
  return JSON.stringify({ model, stream, max_tokens: 9, messages: [{ role: 'user', content: text }] });
}

/** One event of a chat-completions stream. */
export function chunk(text: string): string {
  const choices = [{ index: 0, delta: { content: text }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

/** How such a stream ends. */
export const STREAM_END = `data: ${JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;

/** Answers with `count` events, one every `pause` milliseconds, and then the end; `made` returns the text of each. */
export function streamEvents(
  response: ServerResponse,
  count: number,
  pause: number,
  made: (at: number) => string = (at) => `word ${at} `,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let at = 0;
  const timer = setInterval(() => {
    if (at < count) {
      response.write(chunk(made(at++)));
      return;
    }
    clearInterval(timer);
    response.end(STREAM_END);
  }, pause);
  response.once('close', () => clearInterval(timer));
}

/** The processes of a stage of two workers. */
export function twoWorkersOf({ gateway }: Stage): number[] {
  const workers = childrenOf(gateway.pid);
  expect(workers).toHaveLength(2);
  return workers;
}

/** A dozen streams, of every way in turn. */
export function openStreams(url: string): Promise<Answer[]> {
  const [native] = ways;
  return Promise.all(
    Array.from({ length: 12 }, (_, at) => {
      const way = ways[at % 2] ?? native;
      return call(url, way.path, requestOf(way, true));
    }),
  );
}
