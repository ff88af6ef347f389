/**
 * Shared by the suites of the vendors' own SDKs: a gateway in front of its sandbox, and the models to ask.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

/** A gateway while the tests of a file run. */
export function useGateway(input: ConfigInput = {}): () => TestGateway {
  return whileTestsRun(() => startGateway(input));
}

export interface Scripted {
  readonly gateway: TestGateway;
  readonly upstream: TestUpstream;
  /** Sets the vendors' answers from now on, and forgets the requests they received. */
  answer(respond: Respond): void;
  /** Answers with a stream that begins with the text `begun`; `fail` ends it with the vendor's own error. */
  answerUntilFailure(format: FormatName): { readonly begun: string; fail(): void };
  /** Answers with the first events of a long stream, and closes the connection. */
  breakOff(format: FormatName): void;
  /** Answers with the first events of a long stream, and sends nothing more. */
  stall(format: FormatName): void;
  close(): Promise<void>;
}

/** A gateway whose vendors all answer as a test sets. */
export function useScripted(): () => Scripted {
  return whileTestsRun(startScripted);
}

async function startScripted(): Promise<Scripted> {
  let respond: Respond = (_, response) => response.writeHead(500).end();
  const upstream = await startUpstream((received, response, request) => respond(received, response, request));
  // Requests are counted here: those of the SDK, not the gateway's own.
  const gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url), retries: { limit: 0 } });
  const answer = (next: Respond): void => {
    upstream.received.length = 0;
    respond = next;
  };
  return {
    gateway,
    upstream,
    answer,
    answerUntilFailure(format) {
      const { text, failure } = failingStream(format);
      let fail = (): void => {};
      answer((_, response) => {
        response.writeHead(200, EVENTS).write(text);
        fail = () => response.end(failure);
      });
      return { begun: 'This answer begins well, and then', fail: () => fail() };
    },
    breakOff(format) {
      answer((_, response) => {
        response.writeHead(200, EVENTS).write(startOfStream(format), () => response.destroy());
      });
    },
    stall: (format) => answer((_, response) => response.writeHead(200, EVENTS).write(startOfStream(format))),
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

const EVENTS = { 'content-type': 'text/event-stream' };

export interface Subject {
  readonly model: string;
  /** The format in which its vendor is asked by a caller of chat-completions. */
  readonly spoken: FormatName;
  readonly thinks: boolean;
  /** Whether the thoughts are shown to a caller of chat-completions. */
  readonly shows: boolean;
}

const openai = { spoken: 'chat-completions', shows: false } as const;
const anthropic = { spoken: 'messages', thinks: true, shows: true } as const;
const google = { spoken: 'generate-content', thinks: true, shows: true } as const;
const other = { spoken: 'chat-completions', thinks: true, shows: true } as const;

/** Models of each vendor, with reasoning by effort, by a budget, and without reasoning. */
export const SUBJECTS: readonly Subject[] = [
  { model: 'openai/gpt-4.1', ...openai, thinks: false },
  { model: 'openai/gpt-5.4', ...openai, thinks: true },
  { model: 'anthropic/claude-sonnet-4-5', ...anthropic },
  { model: 'anthropic/claude-opus-4-8', ...anthropic },
  { model: 'google/gemini-2.5-flash', ...google },
  { model: 'google/gemini-3-flash-preview', ...google },
  { model: 'deepseek/deepseek-v4-flash', ...other },
  { model: 'mistralai/mistral-medium-3-5', ...other },
];

/** Answers that the sandbox plays, each of another kind. */
export const PLAYED = [
  'plain-text',
  'long-text',
  'tool-call',
  'parallel-tool-calls',
  'thinking',
  'json-schema',
  'refusal',
  'length',
] as const;

/** An image of one pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A document without pages. */
export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
).toString('base64');

/** As in JSON: without methods, prototypes and undefined values. */
export function plain(value: unknown): JsonObject {
  const read = parseJson(JSON.stringify(value));
  if (!isObject(read)) throw new TypeError('no object');
  return read;
}

/** A recorded stream in two pieces: before the first event for which `ends` is true, and from there on. */
function cutStream(format: FormatName, name: string, ends: (frame: string) => boolean): [string, string] {
  const file = join(import.meta.dirname, '../../fixtures/replies', format, `${name}.sse`);
  const frames = readFileSync(file, 'utf8').split(/(?<=\r?\n\r?\n)/);
  const at = frames.findIndex(ends);
  return [frames.slice(0, at).join(''), frames.slice(at).join('')];
}

/** The first events of a long answer in a format, as a vendor sends them. */
export function startOfStream(format: FormatName): string {
  let events = 0;
  return cutStream(format, 'long-text', () => {
    events += 1;
    return events > 8;
  })[0];
}

/** An answer with some text, and then the vendor's own error event. */
function failingStream(format: FormatName): { readonly text: string; readonly failure: string } {
  const [text, failure] = cutStream(format, 'error-in-stream', (frame) => /"error":\s*\{/.test(frame));
  return { text, failure };
}

/** Each vendor's rate limit error, and its error for an unknown key of the gateway. */
export const RATE_LIMITED = {
  'chat-completions': {
    error: { message: 'Too many requests', type: 'requests', code: 'rate_limit_exceeded' },
  },
  responses: { error: { message: 'Too many requests', type: 'requests', code: 'rate_limit_exceeded' } },
  messages: { type: 'error', error: { type: 'rate_limit_error', message: 'Too many requests' } },
  'generate-content': { error: { code: 429, message: 'Too many requests', status: 'RESOURCE_EXHAUSTED' } },
} as const;

export const UNAUTHENTICATED = {
  'chat-completions': {
    error: { message: 'Bad key', type: 'invalid_request_error', code: 'invalid_api_key' },
  },
  responses: { error: { message: 'Bad key', type: 'invalid_request_error', code: 'invalid_api_key' } },
  messages: { type: 'error', error: { type: 'authentication_error', message: 'Bad key' } },
  'generate-content': { error: { code: 401, message: 'Bad key', status: 'UNAUTHENTICATED' } },
} as const;

/** A `fetch` that counts the requests of an SDK. */
export function countingFetch(): { readonly fetch: typeof fetch; readonly count: () => number } {
  let sent = 0;
  return {
    fetch: (input, init) => {
      sent += 1;
      return fetch(input, init);
    },
    count: () => sent,
  };
}

/** The error with which a promise is rejected: it must be of `type`. */
export async function rejection<E>(
  promise: PromiseLike<unknown>,
  type: abstract new (...args: never[]) => E,
): Promise<E> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
