/** Checklist, section 14: retries, as long as nothing of an answer was sent. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import {
  CALLERS,
  type Caller,
  CLAUDE,
  chunk,
  claudeBoth,
  claudeMessage,
  GEMINI,
  gemini,
  json,
  QWEN,
  RESPONDER,
  useDoor,
} from './support.ts';

const door = useDoor({ retries: { wait: 0 } });

const overloaded =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
const chatOverloaded = 'data: {"error":{"message":"Overloaded","type":"server_error","code":503}}\n\n';

const claude = String(claudeBoth([{ type: 'text', text: 'Yes.' }], 'end_turn').stream.body);
const begun = (body: string): string => body.slice(0, body.indexOf('\n\n') + 2);
const inMiddle = claude.slice(0, claude.indexOf('event: content_block_stop'));

const responses = [
  {
    type: 'response.created',
    sequence_number: 0,
    response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'm', output: [] },
  },
  {
    type: 'response.in_progress',
    sequence_number: 1,
    response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'm', output: [] },
  },
]
  .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
  .join('');
const responsesFailure = `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 2, error: { type: 'server_error', code: 'server_is_overloaded', message: 'Overloaded' } })}\n\n`;

/** What each vendor sends before the content of an answer, and how it then fails. */
const vendors: [
  name: string,
  model: string,
  callers: readonly Caller[],
  lifecycle: string,
  failure: string,
][] = [
  ['messages', CLAUDE, ['chat-completions', 'responses'], begun(claude), overloaded],
  [
    'chat-completions',
    QWEN,
    ['responses', 'messages'],
    `data: ${JSON.stringify(chunk({ role: 'assistant', content: '' }))}\n\n`,
    chatOverloaded,
  ],
  ['responses', RESPONDER, ['chat-completions', 'messages'], responses, responsesFailure],
];
const ways = vendors.flatMap(([name, model, callers, lifecycle, failure]) =>
  callers.map((from) => ({ name, model, from, lifecycle, failure })),
);

/** Answers each request with the next of these; each body in pieces with pauses between them. */
function inTurn(...answers: readonly (readonly string[])[]): void {
  const left = [...answers];
  door.answers(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of left.shift() ?? []) {
      response.write(piece);
      await sleep(40);
    }
    response.end();
  });
}

describe('checklist 112: the first content commits an answer, not the first event', () => {
  test.each(ways)(
    'checklist 112: $name to $from: a failure after the first event has its status',
    async ({ model, from, lifecycle, failure }) => {
      inTurn([lifecycle, failure], [lifecycle, failure]);
      const { status, text } = await door.stream(from, model);
      expect(status, text).toBe(from === 'messages' ? 529 : 503);
      expect(text).toContain('Overloaded');
    },
  );
});

describe('checklist 113, 114: an attempt that fails before its content is retried, and leaves no trace', () => {
  const good: Readonly<Record<string, string>> = {
    [CLAUDE]: claude,
    [QWEN]: `data: ${JSON.stringify(chunk({ role: 'assistant', content: 'Yes.' }))}\n\ndata: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: ${JSON.stringify({ ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })}\n\ndata: [DONE]\n\n`,
  };
  test.each(ways.filter(({ model }) => good[model] !== undefined))(
    'checklist 113, 114: $name to $from',
    async ({ model, from, lifecycle, failure }) => {
      inTurn([lifecycle, failure], [good[model] ?? '']);
      const { text, reply } = await door.stream(from, model);
      expect(door.upstream().received).toHaveLength(2);
      // support.ts checks the protocol too: one start, one end.
      expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
      expect(text).not.toContain('Overloaded');
    },
  );
});

describe('checklist 113, 114: a native stream that fails before its content', () => {
  const role = (delta: JsonObject): string => `data: ${JSON.stringify(chunk(delta))}\n\n`;
  const filtered = `data: ${JSON.stringify({ ...chunk({}), choices: [], prompt_filter_results: [] })}\n\n`;
  const whole = [{ role: 'assistant', content: 'Yes.' }].map(role).join('');
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const last = { ...chunk({}), choices: [], usage };
  const end = `data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`;
  const messageStart = claude.slice(0, claude.indexOf('\n\n') + 2);
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

  test.each<[name: string, model: string, from: Caller, begun: string, failure: string, good: string]>([
    ['a message without content', CLAUDE, 'messages', messageStart, overloaded, claude],
    ['a message without content, and a ping', CLAUDE, 'messages', messageStart + ping, overloaded, claude],
    [
      'a role',
      QWEN,
      'chat-completions',
      role({ role: 'assistant', content: '' }),
      chatOverloaded,
      whole + end,
    ],
    [
      'a role and empty fields',
      QWEN,
      'chat-completions',
      role({ content: null, reasoning_content: '', role: 'assistant' }),
      chatOverloaded,
      whole + end,
    ],
    ["Azure's filters", QWEN, 'chat-completions', filtered, chatOverloaded, whole + end],
  ])('checklist 113, 114: %s, to %s', async (_, model, from, begun, failure, good) => {
    inTurn([begun, failure], [good]);
    const { text, reply } = await door.stream(from, model);
    expect(door.upstream().received).toHaveLength(2);
    expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
    expect(text).toBe(good);
  });

  test.each<[model: string, from: Caller, pieces: readonly string[]]>([
    [CLAUDE, 'messages', [messageStart, claude.slice(messageStart.length)]],
    [QWEN, 'chat-completions', [role({ role: 'assistant', content: '' }), role({ content: 'Yes.' }), end]],
    [QWEN, 'chat-completions', [role({ role: 'assistant', content: '' }), end]],
  ])('checklist 113, 114: %s to %s: what was held is passed on', async (model, from, pieces) => {
    inTurn(pieces);
    expect((await door.stream(from, model)).text).toBe(pieces.join(''));
    expect(door.upstream().received).toHaveLength(1);
  });
});

describe('checklist 115: nothing is retried after content', () => {
  const cases: [name: string, model: string, callers: readonly Caller[], begun: string, failure: string][] = [
    ['messages', CLAUDE, ['chat-completions', 'responses'], inMiddle, overloaded],
    [
      'chat-completions',
      QWEN,
      ['responses', 'messages'],
      `data: ${JSON.stringify(chunk({ content: 'Yes' }))}\n\n`,
      chatOverloaded,
    ],
    [
      'generate-content',
      GEMINI,
      CALLERS,
      `data: ${JSON.stringify(gemini([{ text: 'Yes' }]))}\r\n\r\n`,
      'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\r\n\r\n',
    ],
  ];
  test.each(
    cases.flatMap(([name, model, callers, said, failure]) =>
      callers.map((from) => ({ name, model, from, said, failure })),
    ),
  )('checklist 115: $name to $from', async ({ model, from, said, failure }) => {
    const { status, text } = await door.streamInTwo(from, model, 'Yes', { begun: said, rest: failure });
    expect(status).toBe(200);
    expect(text).toContain('Yes');
    expect(text).toContain('Overloaded');
    expect(door.upstream().received).toHaveLength(1);
  });
});

describe('checklist 117: only failures of the vendor eject it', () => {
  const strict = useDoor({ ejection: { lone: true, failures: 2 }, retries: { limit: 0 } });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
  const ask = (path: string, signal?: AbortSignal): Promise<Response> =>
    fetch(strict.url() + path, {
      method: 'POST',
      body: JSON.stringify({ model: CLAUDE, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }),
      headers,
      ...(signal && { signal }),
    });
  const good = json(claudeMessage([{ type: 'text', text: 'Yes.' }], 'end_turn'));

  test('checklist 117: a service that counts no tokens', async () => {
    strict.answers((_, response) => response.writeHead(404).end('{"error":{"message":"not found"}}'));
    for (let count = 0; count < 5; count++) expect((await ask('/v1/messages/count_tokens')).status).toBe(404);
    strict.answers(good);
    expect((await ask('/v1/messages')).status).toBe(200);
  });

  test('checklist 117: callers who leave', async () => {
    for (let count = 0; count < 5; count++) {
      const leave = new AbortController();
      const asked = new Promise<void>((resolve) => strict.answers(() => resolve()));
      const answer = ask('/v1/messages', leave.signal);
      answer.catch(() => undefined);
      await asked;
      leave.abort();
      await expect(answer).rejects.toThrow();
    }
    strict.answers(good);
    expect((await ask('/v1/messages')).status).toBe(200);
  });

  test('checklist 117: while failures do', async () => {
    strict.answers((_, response) => response.destroy());
    for (let count = 0; count < 2; count++) expect((await ask('/v1/messages')).status).toBe(502);
    strict.answers(good);
    expect((await ask('/v1/messages')).status).toBe(529);
  });
});
