/** The operator's own functions before and after: what they see, change and refuse, and what happens if they fail. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/config/check-config.ts';
import { readConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { HookContext, Hooks } from '../../src/conversation/hooks.ts';
import type { Prompt } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  ask,
  native,
  streamedAnswer,
  translated,
  type UpstreamWay,
  wholeAnswer,
} from '../faults/upstream-ways.ts';
import { type FaultUpstream, type Script, startFaultUpstream } from '../support/fault-upstream.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';

const ways = [...native, ...translated];

let upstream: FaultUpstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startFaultUpstream();
});
afterEach(async () => {
  await gateway?.close();
  await upstream.close();
});

type Given = Partial<Hooks>;

/** The reports about hooks that failed. */
const told: string[] = [];

async function open(hooks: Given | undefined, input: ConfigInput = {}): Promise<void> {
  told.length = 0;
  const config = {
    vendors: vendorsAtUrl(`http://127.0.0.1:${upstream.port}`),
    retries: { limit: 0 },
    ...(hooks && { hooks }),
    ...input,
  };
  gateway = await startGateway(config, undefined, (made) =>
    made.hooks === undefined
      ? made
      : { ...made, hooks: { ...made.hooks, report: (sentence) => void told.push(sentence) } },
  );
}

/** Asks in one way; the vendor answers as it usually does. */
async function asked(way: UpstreamWay, stream: boolean): Promise<{ status: number; text: string }> {
  upstream.script((wire) =>
    stream ? wire.wholeStream([streamedAnswer(way.spoken)]) : wire.answer(200, wholeAnswer(way.spoken)),
  );
  const response = await ask(gateway.url, way, stream);
  return { status: response.status, text: await response.text() };
}

const sent = (): string => upstream.requests.at(-1)?.body.toString() ?? '';

/** The prompt with each `Hello` replaced. */
function redacted(prompt: Prompt): Prompt {
  const turns = prompt.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) =>
      part.kind === 'text' ? { ...part, text: part.text.replaceAll('Hello', '…') } : part,
    ),
  }));
  return { ...prompt, turns };
}

describe.each(ways)('$name', (way) => {
  test.each([true, false])('onRequest sees the prompt, and may change it (streamed: %s)', async (stream) => {
    const seen: [string, Pick<HookContext, 'key' | 'model' | 'format' | 'operation'>][] = [];
    await open({
      onRequest(prompt, { key, model, format, operation }) {
        seen.push([JSON.stringify(prompt.turns), { key, model, format, operation }]);
        return { prompt: redacted(prompt) };
      },
    });
    const { status } = await asked(way, stream);
    expect(status).toBe(200);
    expect(seen).toEqual([
      [
        expect.stringContaining('Hello'),
        { key: 'test', model: expect.stringContaining('/'), format: way.format, operation: 'generate' },
      ],
    ]);
    expect(sent()).toContain('…');
    expect(sent()).not.toContain('Hello');
  });

  test.each([true, false])('onReplyEvent may change the answer (streamed: %s)', async (stream) => {
    await open({
      onReplyEvent(event, out) {
        out.enqueue(event.type === 'part-delta' ? { ...event, text: '[redacted]' } : event);
      },
    });
    const { status, text } = await asked(way, stream);
    expect(status).toBe(200);
    expect(text).toContain('[redacted]');
  });

  test('a hook may refuse, in the format of the caller', async () => {
    await open({ onRequest: (_, { refuse }) => refuse('No greetings here.') });
    const { status, text } = await asked(way, true);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toHaveProperty('error.message', 'No greetings here.');
    expect(upstream.requests).toHaveLength(0);
  });
});

const [way] = native;

test('a hook knows the group of the key and the tag of the request', async () => {
  const seen: unknown[] = [];
  const onRequest: Hooks['onRequest'] = (_, { group, tag }) => {
    seen.push({ group, tag });
  };
  await open(
    { onRequest },
    {
      groups: [{ name: 'search' }],
      keys: [{ name: 'one', key: 'a-key-in-a-group', group: 'search' }],
    },
  );
  const [way] = native;
  const headers = { authorization: 'Bearer a-key-in-a-group', 'x-gateway-tag': 'nightly' };
  upstream.script((wire) => wire.answer(200, wholeAnswer(way.spoken)));
  const answer = await ask(gateway.url, way, false, { headers });
  expect(answer.status).toBe(200);
  expect(seen).toEqual([{ group: 'search', tag: 'nightly' }]);
});

test('without a change, a native request stays byte for byte what it was', async () => {
  await open({ onRequest: async () => undefined });
  const { text } = await asked(way, false);
  expect(sent()).toContain('"model":"gpt-4o"');
  expect(text).toBe(wholeAnswer(way.spoken));
});

describe('S-49 a native request that the vendor may read otherwise than the hook', () => {
  const twice: [path: string, body: string][] = [
    [
      '/v1/chat/completions',
      '{"model":"gpt-4o","messages":[{"role":"user","content":"bad","content":"good"}]}',
    ],
    [
      '/v1/chat/completions',
      '{"model":"gpt-4o","messages":[{"role":"user","Content":"bad","content":"good"}]}',
    ],
    ['/v1/responses', '{"model":"gpt-4o","input":[{"role":"user","content":"bad","content":"good"}]}'],
    ['/v1/responses', '{"model":"gpt-4o","Input":"bad","input":"good"}'],
    [
      '/v1/messages',
      '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"bad","text":"good"}]}]}',
    ],
    [
      '/v1beta/models/gemini-2.5-flash:generateContent',
      '{"contents":[{"parts":[{"text":"Hi"}]}],"system_instruction":{"parts":[{"text":"bad"}]},"systemInstruction":{"parts":[{"text":"good"}]}}',
    ],
    [
      '/v1beta/models/gemini-2.5-flash:generateContent',
      '{"contents":[{"parts":[{"text":"good","Text":"bad"}]}]}',
    ],
  ];
  const ask = (path: string, body: string): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body,
    });

  test.each(twice)('is a 400: %s %s', async (path, body) => {
    await open({ onRequest: () => undefined });
    expect((await ask(path, body)).status).toBe(400);
    expect(upstream.requests).toHaveLength(0);
  });

  test('but arguments and schemas may have any names', async () => {
    await open({ onRequest: () => undefined });
    const properties = { a_b: { type: 'string' }, aB: { type: 'string' } };
    const call = { functionCall: { name: 'f', args: { a_b: '1', aB: '2' } } };
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [call] },
    ];
    const tools = [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object', properties } }] }];
    upstream.script((wire) => wire.answer(200, wholeAnswer('generate-content')));
    const path = '/v1beta/models/gemini-2.5-flash:generateContent';
    expect((await ask(path, JSON.stringify({ contents, tools }))).status).toBe(200);
  });
});

/** What only the vendor itself can answer, since it points to something stored there or asks for more than an answer. */
const STATEFUL: readonly [path: string, request: JsonObject][] = [
  ...[
    { previous_response_id: 'resp_1', input: 'Hello' },
    { conversation: 'conv_1', input: 'Hello' },
    { prompt: { id: 'pmpt_1' } },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
    { input: [{ id: 'msg_1' }, { role: 'user', content: 'Hello' }] },
    { input: [{ role: 'user', content: 'Hello' }, { type: 'compaction_trigger' }] },
    { background: true, store: true, input: 'Hello' },
    { prompt_cache_options: { prewarm: true }, input: 'Hello' },
  ].map((fields): [string, JsonObject] => ['/v1/responses', { model: 'gpt-5.5', ...fields }]),
  ...[
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
    { compaction: { type: 'compact_20260401' } },
  ].map((fields): [string, JsonObject] => {
    const messages = [{ role: 'user', content: 'Hello' }];
    return ['/v1/messages', { model: 'claude-opus-4-8', max_tokens: 9, messages, ...fields }];
  }),
];

describe.each<[string, Given | undefined, ConfigInput]>([
  ['onRequest', { onRequest: async () => undefined }, {}],
  ['a cache', undefined, { cache: { keys: ['test'], seconds: 60 } }],
])('with %s', (_, hooks, config) => {
  test.each(STATEFUL)('what the vendor keeps is its own matter: %s %o', async (path, request) => {
    await open(hooks, config);
    const answer = JSON.stringify({ id: 'resp_2', object: 'response', status: 'completed', output: [] });
    for (let at = 0; at < 2; at++) {
      upstream.script((wire) => wire.answer(200, answer));
      const response = await postJson(gateway.url + path, request, { key: KEY });
      expect([response.status, await response.text()]).toEqual([200, answer]);
      expect(JSON.parse(sent())).toEqual(request);
    }
    expect(upstream.requests).toHaveLength(2);
  });
});

test('a hook sees what the client sends of a stored conversation, and cannot change it', async () => {
  const seen: string[] = [];
  await open({
    onRequest(prompt) {
      seen.push(JSON.stringify(prompt.turns));
      return { prompt: redacted(prompt) };
    },
  });
  const request = { model: 'openai/gpt-5.5', previous_response_id: 'resp_1', input: 'Hello' };
  const response = await postJson(`${gateway.url}/v1/responses`, request, { key: KEY });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: 'previous_response_not_found' } },
  ]);
  expect(seen).toEqual([expect.stringContaining('Hello')]);
  expect(upstream.requests).toHaveLength(0);
});

test('a changed request has the order of messages that its service requires', async () => {
  const mistralai = { baseUrl: `http://127.0.0.1:${upstream.port}/v1`, apiKey: 'vendor-key-mistral' };
  await open({ onRequest: (prompt) => ({ prompt: redacted(prompt) }) }, { vendors: { mistralai } });
  const call = { id: 'aaaaaaaa1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const messages = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: 'Done.' },
    { role: 'user', content: 'Hello' },
  ];
  upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions')));
  const request = { model: 'mistralai/mistral-medium-3-5', messages };
  expect((await postJson(`${gateway.url}/v1/chat/completions`, request, { key: KEY })).status).toBe(200);
  // Mistral refuses the user after a tool, and nothing else has to be left out for that.
  expect(JSON.parse(sent())).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: 'Done.\n…' }],
  });
});

test('a compaction may be refused, but not changed', async () => {
  const compact = async () =>
    (await postJson(`${gateway.url}/v1/responses/compact`, { model: 'openai/gpt-5.1', input: 'Hello' }))
      .status;
  await open({ onRequest: (prompt) => ({ prompt: redacted(prompt) }) });
  expect(await compact()).toBe(400);
  await gateway.close();
  await open({ onRequest: (_, { refuse }) => refuse('Not here.') });
  expect([await compact(), upstream.requests.length]).toEqual([403, 0]);
});

test.each(['refuse', 'ignore'] as const)(
  'onReplyEvent may refuse, whatever happens if it fails (%s)',
  async (failure) => {
    await open({ failure, onReplyEvent: (_, __, { refuse }) => refuse('Not this answer.') });
    for (const stream of [true, false]) {
      const { status, text } = await asked(way, stream);
      expect([status, JSON.parse(text).error.message]).toEqual([403, 'Not this answer.']);
    }
    expect(told).toEqual([]);
  },
);

/** A hook in JavaScript, which no type holds back. */
const returning = (make: (prompt: Prompt) => unknown): Given => ({
  onRequest: (prompt) => JSON.parse(JSON.stringify(make(prompt))),
});

describe('a hook that fails', () => {
  const broken: readonly (readonly [string, Given])[] = [
    ['throws', { onRequest: () => Promise.reject(new Error('a bug')) }],
    ['is slow', { onRequest: () => new Promise(() => undefined), timeout: 50 }],
    ['returns the prompt itself', returning(redacted)],
    ['returns a text', returning(() => 'openai/gpt-4o')],
    ['returns true', returning(() => true)],
    ['returns a misspelt field', returning((prompt) => ({ prmopt: redacted(prompt) }))],
    ['returns a model that is no text', returning(() => ({ model: {} }))],
    ['returns no turns', returning(() => ({ prompt: {} }))],
    ['returns an unknown role', returning(() => ({ prompt: { turns: [{ role: 'tool', parts: [] }] } }))],
    [
      'returns a part without a kind',
      returning((prompt) => ({
        prompt: { ...prompt, turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] },
      })),
    ],
    ['returns a model that does not exist', returning(() => ({ model: 'anthropic/none' }))],
    [
      'is asynchronous at an event',
      {
        onReplyEvent: (event) =>
          Reflect.get({ made: Promise.reject(new Error(`a bug at ${event.type}`)) }, 'made'),
      },
    ],
    [
      'throws at an event',
      {
        onReplyEvent() {
          throw new Error('a bug');
        },
      },
    ],
  ];

  test.each(broken)('%s: a 500 that tells nothing of it', async (_, hooks) => {
    await open(hooks);
    const { status, text } = await asked(way, false);
    expect(status).toBe(500);
    expect(text).toMatch(/The hook on\w+ of this gateway failed\./);
    expect(text).not.toContain('a bug');
  });

  test.each(broken)('%s, and is to be ignored: the request goes on without it', async (_, hooks) => {
    await open({ ...hooks, failure: 'ignore' });
    const { status, text } = await asked(way, false);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toHaveProperty('choices');
    expect(text).toContain(JSON.parse(wholeAnswer(way.spoken)).choices[0].message.content);
  });

  test.each<[string, NonNullable<Given['onReplyEvent']>]>([
    [
      'throws',
      (event, out) => {
        out.enqueue(event);
        throw new Error('a bug');
      },
    ],
    [
      'is asynchronous',
      (event, out) => {
        out.enqueue(event);
        return Reflect.get({ made: Promise.resolve() }, 'made');
      },
    ],
  ])('%s after it has passed an event on: it is not passed on twice', async (_, onReplyEvent) => {
    const words = async (hook: NonNullable<Given['onReplyEvent']>): Promise<unknown> => {
      await open({ onReplyEvent: hook, failure: 'ignore' });
      const answers = [await asked(way, true), await asked(way, false)];
      return answers.map(({ text }) => text.match(/"content":"[^"]*"/g));
    };
    const plain = await words((event, out) => out.enqueue(event));
    await gateway.close();
    expect(await words(onReplyEvent)).toEqual(plain);
  });

  test.each([true, false])('an answer without its end is none (streamed: %s)', async (stream) => {
    await open({ onReplyEvent: () => undefined });
    const { text } = await asked(way, stream);
    expect(text).toContain('The hook onReplyEvent of this gateway failed.');
    expect(text).not.toContain('[DONE]');
  });

  test.each(broken)('%s: the operator gets a report', async (_, hooks) => {
    await open(hooks);
    await asked(way, false);
    expect(new Set(told)).toEqual(new Set([expect.stringMatching(/^The hook on\w+ failed\.$/)]));
  });

  test('in the middle of a stream: the error is the last event', async () => {
    let events = 0;
    await open({
      onReplyEvent(event, out) {
        events += 1;
        if (event.type === 'part-end') throw new Error('a bug');
        out.enqueue(event);
      },
    });
    const whole = streamedAnswer(way.spoken);
    const half = whole.lastIndexOf('data:', whole.indexOf('finish_reason":"stop"'));
    let rest = (): void => undefined;
    upstream.script((wire) => {
      wire.stream([whole.slice(0, half)]);
      rest = () => {
        wire.chunk(whole.slice(half));
        wire.lastChunk();
      };
    });
    const response = await ask(gateway.url, way, true);
    rest();
    const text = await response.text();
    expect([response.status, events > 2]).toEqual([200, true]);
    expect(text).toContain('The hook onReplyEvent of this gateway failed.');
    expect(text).not.toContain('"finish_reason":"stop"');
  });
});

describe('routing', () => {
  const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] };
  const to = (model: string): Given => ({ onRequest: () => ({ model }) });
  const post = (key = KEY) => postJson(`${gateway.url}/v1/chat/completions`, body, { key });

  test('another model answers, of whatever vendor', async () => {
    await open(to('anthropic/claude-sonnet-4-5'));
    upstream.script((wire) => wire.answer(200, wholeAnswer('messages')));
    expect((await post()).status).toBe(200);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/messages']);
    expect(sent()).toContain('"model":"claude-sonnet-4-5"');
  });

  test('but none that the key may not use', async () => {
    const own = { name: 'narrow', key: 'a-key-of-openai-alone', models: ['openai/*'] };
    await open(to('anthropic/claude-sonnet-4-5'), { keys: [own] });
    expect((await post(own.key)).status).toBe(403);
    expect(upstream.requests).toHaveLength(0);
  });

  test.each([
    ['fallbacks', 503, 'overloaded_error', 'busy'],
    ['longPromptFallbacks', 400, 'invalid_request_error', 'prompt is too long: 2 tokens > 1 maximum'],
    ['contentPolicyFallbacks', 400, 'invalid_request_error', 'Output blocked by content filtering policy'],
  ])('then its %s, but not for a token count', async (field, status, type, message) => {
    const instead = 'anthropic/claude-opus-4-8';
    await open(to('anthropic/claude-sonnet-4-5'), {
      [field]: { 'anthropic/*': [instead] },
      retries: { limit: 1, wait: 1 },
    });
    const fail: Script = (wire) =>
      wire.answer(status, JSON.stringify({ type: 'error', error: { type, message } }));
    upstream.script(fail, (wire) => wire.answer(200, wholeAnswer('messages')));
    const answer = await post();
    expect([answer.status, answer.headers.get('x-gateway-model')]).toEqual([200, instead]);
    await answer.text();
    upstream.requests.splice(0);
    upstream.script(fail);
    const counted = await postJson(`${gateway.url}/v1/messages/count_tokens`, {
      model: 'claude-haiku-4-5',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await counted.text();
    const models = upstream.requests.map(({ body: asked }) => JSON.parse(asked.toString()).model);
    expect(new Set(models)).toEqual(new Set(['claude-sonnet-4-5']));
  });

  test('a model that does not exist is a failure of the hook', async () => {
    await open(to('anthropic/none'));
    expect((await post()).status).toBe(500);
  });

  test('what a hook has taken out does not come back in a fallback', async () => {
    await open(
      { onRequest: (prompt) => ({ prompt: redacted(prompt) }) },
      { fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] }, retries: { limit: 1 } },
    );
    upstream.script((wire) => wire.answer(503, '{"error":{"message":"busy"}}'));
    await post();
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/messages']);
    for (const request of upstream.requests) expect(request.body.toString()).not.toContain('Hello');
  });
});

describe('in a configuration', () => {
  test('in code, they are read as they are', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-hooks-'));
    try {
      writeFileSync(
        join(directory, 'gateway.config.ts'),
        `export default {
          hooks: { onRequest: (prompt: { model: string }) => ({ model: prompt.model }), failure: 'ignore' as const },
        };`,
      );
      const { hooks } = await readConfig({}, directory);
      expect(hooks).toMatchObject({ onRequest: expect.any(Function), timeout: 1_000, failure: 'ignore' });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('anything but a function, and several workers, are refused by name', () => {
    const { error } = configSchema.safeParse({ hooks: { onRequest: 'guard.ts' } });
    expect(error?.issues[0]).toMatchObject({ path: ['hooks', 'onRequest'], message: 'must be a function' });
    const late = configSchema.safeParse({ hooks: { onReplyEvent: async () => undefined } });
    expect(late.error?.issues[0]?.message).toBe('must be a function that is not async');
    const config = configSchema.parse({ workers: 2, hooks: { onRequest: () => undefined } });
    expect(() => checkConfig(config, () => undefined)).toThrow('hooks: need workers: 1');
  });
});
