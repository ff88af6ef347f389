/** Prompts that are too long for a model: which other models are asked, and that none is unless the operator wants it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Script } from '../support/fault-upstream.ts';
import { KEY, startGateway, startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { chat, good, status, usePlaces } from './upstream-places.ts';
import { ask, native, streamedAnswer, type UpstreamWay, ways, wholeAnswer } from './upstream-ways.ts';

const { gatewayOf, open, upstreams } = usePlaces();

/** How a vendor of a format refuses a prompt that is too long. */
function refusal(format: FormatName): { readonly status: number; readonly body: object } {
  const file = join(import.meta.dirname, '../../fixtures/errors', format, 'context-too-long.json');
  return JSON.parse(readFileSync(file, 'utf8'));
}

const refuse =
  (format: FormatName): Script =>
  (wire) => {
    const { status: code, body } = refusal(format);
    wire.answer(code, JSON.stringify(body));
  };

const answer =
  (format: FormatName, stream: boolean): Script =>
  (wire) =>
    stream ? wire.wholeStream([streamedAnswer(format)]) : wire.answer(200, wholeAnswer(format));

const PRO = 'google/gemini-2.5-pro';
const CLAUDE = 'anthropic/claude-sonnet-4-5';
const FOR_ALL: ConfigInput = { longPromptFallbacks: { '*': [PRO] } };

/** All vendors at one address, which hears every request in turn. */
async function place(input: ConfigInput, ...scripts: readonly [Script, ...Script[]]) {
  const [vendor] = await upstreams(1);
  if (vendor === undefined) throw new Error('There is no vendor.');
  vendor.script(...scripts);
  const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url), ...input });
  return { gateway, vendor, paths: () => vendor.requests.map(({ path }) => path) };
}

/** The models that were sent, by the bodies or paths of requests. */
function modelsSent(requests: readonly { readonly path: string; readonly body: Buffer }[]): string[] {
  return requests.map(
    ({ path, body }) => /\/models\/([^:]+):/.exec(path)?.[1] ?? JSON.parse(body.toString()).model,
  );
}

describe.each([false, true])('streamed: %j', (stream) => {
  test.each(ways)('$name: a model for longer prompts answers in place of the refusal', async (way) => {
    const { gateway, vendor } = await place(FOR_ALL, refuse(way.spoken), answer('generate-content', stream));
    const response = await ask(gateway.url, way, stream);
    const text = await response.text();
    expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, PRO]);
    expect(text).not.toMatch(/too long|exceeds/);
    expect(modelsSent(vendor.requests).slice(1)).toEqual(['gemini-2.5-pro']);
  });

  test.each(ways)('$name: without such a list the refusal is the answer', async (way) => {
    const { gateway, vendor } = await place(
      { fallbacks: { '*': [PRO] } },
      refuse(way.spoken),
      answer('generate-content', stream),
    );
    const response = await ask(gateway.url, way, stream);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringMatching(/too long|exceeds|reduce the length/i),
    ]);
    expect(response.headers.get('x-gateway-model')).toBeNull();
    expect(vendor.requests).toHaveLength(1);
  });
});

/** A stream that a vendor begins before it has counted the prompt. */
const LATE: Readonly<Record<FormatName, string>> = {
  'chat-completions': `data: ${JSON.stringify(refusal('chat-completions').body)}\n\n`,
  responses: [
    { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', status: 'in_progress' } },
    {
      type: 'response.failed',
      sequence_number: 1,
      response: {
        id: 'resp_1',
        status: 'failed',
        error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' },
      },
    },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(''),
  messages: `event: error\ndata: ${JSON.stringify(refusal('messages').body)}\n\n`,
  'generate-content': `data: ${JSON.stringify(refusal('generate-content').body)}\n\n`,
};

test.each(ways)('$name: a stream that begins with the refusal goes to another model too', async (way) => {
  const { gateway, paths } = await place(
    FOR_ALL,
    (wire) => wire.wholeStream([LATE[way.spoken]]),
    answer('generate-content', true),
  );
  const response = await ask(gateway.url, way, true);
  expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, PRO]);
  expect(await response.text()).not.toContain('exceeds');
  expect(paths()).toHaveLength(2);
});

test('but not once a part of the answer has been sent', async () => {
  const begun = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Well"}}]}\n\n';
  const { gateway, vendor } = await place(FOR_ALL, (wire) =>
    wire.wholeStream([begun, LATE['chat-completions']]),
  );
  const text = await (await ask(gateway.url, chat, true)).text();
  expect(text).toContain('maximum context length');
  expect(vendor.requests).toHaveLength(1);
});

/** A model that an exact list is for. */
const [FOUR_O, ...LIST] = ['openai/gpt-4o', 'openai/gpt-4.1', CLAUDE] as const;
const LISTED: ConfigInput = {
  fallbacks: { [FOUR_O]: ['openai/gpt-5.1', PRO] },
  longPromptFallbacks: { [FOUR_O]: LIST.slice() },
  retries: { limit: 2 },
};
const tooLong = refuse('chat-completions');

describe('the models of the list', () => {
  test.each<[string, Script, string]>([
    ['has an outage', status(503), 'claude-sonnet-4-5'],
    ['refuses the prompt too', tooLong, 'claude-sonnet-4-5'],
  ])('are asked in order, if the first one %s', async (_, second, last) => {
    const { gateway, vendor } = await place(LISTED, tooLong, second, answer('messages', false));
    const response = await ask(gateway.url, chat, false);
    await response.text();
    expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, CLAUDE]);
    expect(modelsSent(vendor.requests)).toEqual(['gpt-4o', 'gpt-4.1', last]);
  });

  test('the body goes to one of the same format as it is, except for the name', async () => {
    const { gateway, vendor } = await place(LISTED, tooLong, good);
    await (await ask(gateway.url, chat, false)).text();
    const [first, second] = vendor.requests.map(({ body }) => body.toString());
    expect(second).toBe(first?.replace('"gpt-4o"', '"gpt-4.1"'));
  });

  test('if none answers, the caller gets the refusal of the requested model', async () => {
    const { gateway } = await place(LISTED, tooLong, status(503), status(529));
    const response = await ask(gateway.url, chat, false);
    expect([response.status, await response.json()]).toEqual([400, refusal('chat-completions').body]);
    expect(response.headers.get('x-gateway-model')).toBeNull();
  });

  test('are asked for a fallback that refuses the prompt, each once', async () => {
    const input: ConfigInput = {
      fallbacks: { [FOUR_O]: ['openai/gpt-4.1'] },
      longPromptFallbacks: { [FOUR_O]: LIST.slice() },
      retries: { limit: 2 },
    };
    const { gateway, vendor } = await place(input, status(503), tooLong, answer('messages', false));
    expect((await ask(gateway.url, chat, false)).headers.get('x-gateway-model')).toBe(CLAUDE);
    expect(modelsSent(vendor.requests)).toEqual(['gpt-4o', 'gpt-4.1', 'claude-sonnet-4-5']);
  });

  test('are not asked in an outage, nor for another refusal', async () => {
    const { gateway, vendor } = await place(LISTED, status(503), good, status(422), good);
    await (await ask(gateway.url, chat, false)).text();
    expect(modelsSent(vendor.requests)).toEqual(['gpt-4o', 'gpt-5.1']);
    expect((await ask(gateway.url, chat, false)).status).toBe(422);
    expect(vendor.requests).toHaveLength(3);
  });

  test('are only those that the key may use', async () => {
    const key = 'gw-a-key-for-two-models';
    const keys = [{ name: 'two', key, models: [FOUR_O, CLAUDE] }];
    const { gateway, vendor } = await place({ ...LISTED, keys }, tooLong, answer('messages', false));
    const response = await ask(gateway.url, chat, false, { headers: { authorization: `Bearer ${key}` } });
    expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, CLAUDE]);
    expect(modelsSent(vendor.requests)).toEqual(['gpt-4o', 'claude-sonnet-4-5']);
  });

  test('and none if the key may use none', async () => {
    const key = 'gw-a-key-for-one-model';
    const keys = [{ name: 'one', key, models: [FOUR_O] }];
    const { gateway, vendor } = await place({ ...LISTED, keys }, tooLong);
    const response = await ask(gateway.url, chat, false, { headers: { authorization: `Bearer ${key}` } });
    expect([response.status, await response.json()]).toEqual([400, refusal('chat-completions').body]);
    expect(vendor.requests).toHaveLength(1);
  });
});

test('the record names the model that was asked for, and why it did not answer', async () => {
  const [vendor] = await upstreams(1);
  const gateway = await startRecorded({ vendors: vendorsAtUrl(vendor?.url ?? ''), ...FOR_ALL });
  open.push(gateway);
  vendor?.script(tooLong, answer('generate-content', false));
  await (await ask(gateway.url, chat, false)).text();
  const gaveWay = [{ model: FOUR_O, vendor: 'openai', fault: 'context-too-long', attempts: 1 }];
  await expect.poll(() => gateway.records).toMatchObject([{ model: PRO, vendor: 'google', gaveWay }]);
});

test.each([
  ['/v1/responses/input_tokens', { model: FOUR_O, input: 'Hi' }],
  ['/v1beta/models/gemini-2.5-flash:generateContent', { contents: [], model: 'models/gemini-2.5-flash' }],
])('nothing goes elsewhere that no other model can answer: %s', async (path, body) => {
  const format = path.startsWith('/v1beta') ? 'generate-content' : 'responses';
  const { gateway, vendor } = await place(FOR_ALL, refuse(format));
  const response = await postJson(gateway.url + path, body, { headers: { 'x-goog-api-key': KEY } });
  await response.text();
  expect(response.status).toBe(400);
  expect(vendor.requests).toHaveLength(1);
});

describe('for all models at once', () => {
  const lists = {
    '*': ['openai/gpt-4.1-mini'],
    'OpenAI/*': ['openai/gpt-4o', 'openai/gpt-4.1'],
    'openai/gpt-5.1': ['openai/gpt-4o-mini'],
    'openai/gpt-5': [],
  };
  const asking = (model: string): UpstreamWay => ({
    ...chat,
    body: () => JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });

  describe.each<[keyof ConfigInput, Script, Script]>([
    ['fallbacks', status(401), status(401)],
    ['longPromptFallbacks', tooLong, refuse('messages')],
  ])('%s', (field, openai, anthropic) => {
    test.each([
      ['the list of its own', 'openai/gpt-5.1', ['gpt-5.1', 'gpt-4o-mini']],
      ['an empty one of its own', 'openai/gpt-5', ['gpt-5']],
      ['that of its vendor', 'openai/gpt-4.1', ['gpt-4.1', 'gpt-4o']],
      ['that of its vendor, without itself', FOUR_O, ['gpt-4o', 'gpt-4.1']],
      ['that of all', CLAUDE, ['claude-sonnet-4-5', 'gpt-4.1-mini']],
    ])('%s holds for a model', async (_, model, sent) => {
      const first = model === CLAUDE ? anthropic : openai;
      const { gateway, vendor } = await place({ [field]: lists }, first, good);
      await (await ask(gateway.url, asking(model), false)).text();
      expect(modelsSent(vendor.requests)).toEqual(sent);
    });

    test('a model that is alone in the list for all has none', async () => {
      const { gateway, vendor } = await place({ [field]: { '*': [FOUR_O] } }, openai);
      expect((await ask(gateway.url, chat, false)).status).toBeGreaterThanOrEqual(400);
      expect(vendor.requests).toHaveLength(1);
    });
  });
});

test('the sandbox refuses what is too long for a model, and one with a longer context answers', async () => {
  const gateway = await startGateway({ longPromptFallbacks: { 'openai/*': ['openai/gpt-4.1'] } });
  open.push(gateway);
  const messages = [{ role: 'user', content: 'word '.repeat(200_000) }];
  const short = await postJson(`${gateway.url}/v1/chat/completions`, { model: 'gpt-4o-mini', messages });
  expect([short.status, short.headers.get('x-gateway-model')]).toEqual([200, 'openai/gpt-4.1']);
  expect(await short.json()).toMatchObject({ object: 'chat.completion' });
});

test.each(native)('$name: an agent that shortens its dialogue still gets the refusal', async (way) => {
  const { gateway } = await place({ longPromptFallbacks: { 'x-ai/*': [PRO] } }, refuse(way.spoken));
  const response = await ask(gateway.url, way, false);
  expect([response.status, await response.json()]).toEqual([400, refusal(way.spoken).body]);
});
