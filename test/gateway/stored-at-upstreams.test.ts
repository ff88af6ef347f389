/** What a vendor stores is in one account, and each of several upstreams is asked for it. */

import { describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { usePlaces } from '../faults/upstream-places.ts';
import { native, streamedAnswer, wholeAnswer } from '../faults/upstream-ways.ts';
import { connect } from '../server/websocket/stage.ts';
import type { FaultUpstream, Script } from '../support/fault-upstream.ts';
import { KEY, startRecorded, type TestGateway } from '../support/gateway.ts';

const vendors = usePlaces();

interface Kind {
  readonly format: FormatName;
  readonly fields: JsonObject;
  /** How the vendor refuses it at an account that has not stored it. */
  readonly status: number;
  readonly error: JsonObject;
}

const input = 'And then?';
const responses = (fields: JsonObject, status: number, message: string, more: JsonObject = {}): Kind => ({
  format: 'responses',
  fields: { input, ...fields },
  status,
  error: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
});
const asked = [{ role: 'user', parts: [{ text: input }] }];

const UNKNOWN = {
  param: 'previous_response_id',
  code: 'previous_response_not_found',
};
const CHAIN = responses(
  { previous_response_id: 'resp_1' },
  400,
  "Previous response with id 'resp_1' not found.",
  UNKNOWN,
);

const THOUGHT = responses(
  {
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: input },
    ],
  },
  404,
  "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
  { param: 'input' },
);

const kinds: readonly [name: string, kind: Kind][] = [
  ['previous_response_id', CHAIN],
  ['conversation', responses({ conversation: 'conv_1' }, 404, "Conversation with id 'conv_1' not found.")],
  [
    'an item by its id',
    responses(
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      404,
      "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false.",
      { param: 'input' },
    ),
  ],
  ['a thought by its id', THOUGHT],
  [
    'a container',
    responses(
      { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
      404,
      "Container with id 'cntr_1' not found.",
    ),
  ],
  [
    'a file of chat-completions',
    {
      format: 'chat-completions',
      fields: { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      status: 404,
      error: {
        error: { message: 'No such File object: file-1', type: 'invalid_request_error', param: null },
      },
    },
  ],
  [
    "Anthropic's files",
    {
      format: 'messages',
      fields: {
        max_tokens: 9,
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
        ],
      },
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error', message: 'File not found: file_1' } },
    },
  ],
  [
    "Google's cached content",
    {
      format: 'generate-content',
      fields: { contents: asked, cachedContent: 'cachedContents/1' },
      status: 403,
      error: {
        error: {
          code: 403,
          message: 'CachedContent not found (or permission denied)',
          status: 'PERMISSION_DENIED',
        },
      },
    },
  ],
  [
    "Vertex AI's cached content",
    {
      format: 'generate-content',
      fields: { contents: asked, cachedContent: 'projects/1/locations/eu/cachedContents/1' },
      status: 403,
      error: {
        error: {
          code: 403,
          message:
            "Permission 'aiplatform.cachedContents.get' denied on resource '//aiplatform.googleapis.com/projects/1/locations/eu/cachedContents/1' (or it may not exist).",
          status: 'PERMISSION_DENIED',
        },
      },
    },
  ],
  [
    "Google's files",
    {
      format: 'generate-content',
      fields: {
        contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'text/plain', fileUri: 'files/1' } }] }],
      },
      status: 403,
      error: {
        error: {
          code: 403,
          message: 'You do not have permission to access the File 1 or it may not exist.',
          status: 'PERMISSION_DENIED',
        },
      },
    },
  ],
];

const MODELS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'openai/gpt-4o',
  responses: 'openai/gpt-4o',
  messages: 'anthropic/claude-sonnet-4-5',
  'generate-content': 'gemini-2.5-flash',
};

const PATHS: Readonly<Record<FormatName, string>> = {
  'chat-completions': '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  'generate-content': '/v1beta/models/gemini-2.5-flash:generateContent',
};

async function gatewayAt(places: readonly FaultUpstream[], more: ConfigInput = {}) {
  const at = (path: string) => ({
    upstreams: places.map(({ url }, place) => ({ baseUrl: `${url}${path}`, apiKey: `vendor-key-${place}` })),
  });
  const gateway = await startRecorded({
    vendors: { openai: at('/v1'), anthropic: at(''), google: at('') },
    ...more,
  });
  vendors.open.push(gateway);
  return gateway;
}

async function ask(
  { url }: TestGateway,
  { format, fields }: Kind,
): Promise<{ status: number; text: string }> {
  const named = format === 'generate-content' ? {} : { model: MODELS[format] };
  const response = await fetch(url + PATHS[format], {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ ...named, ...fields }),
  });
  return { status: response.status, text: await response.text() };
}

const refusing =
  ({ status, error }: Kind): Script =>
  (wire) =>
    wire.answer(status, JSON.stringify(error));
/** Answers in the format that its path says, streamed or whole. */
const answering: Script = (wire, { path, body }) => {
  const way = native.find(({ path: of }) => path.startsWith(of(false)));
  if (way === undefined) throw new Error(`Nothing is at ${path}.`);
  if (body.includes('"stream":true')) wire.wholeStream([streamedAnswer(way.spoken)]);
  else wire.answer(200, wholeAnswer(way.spoken));
};
const answeringWithout =
  (kind: Kind): Script =>
  (wire, request) =>
    request.body.includes('rs_1') ? refusing(kind)(wire, request) : answering(wire, request);
const counts = (places: readonly FaultUpstream[]): number[] => places.map(({ requests }) => requests.length);

/** Several upstreams, of which only the last has stored it. */
async function storedAtLast(kind: Kind, count = 3): Promise<FaultUpstream[]> {
  const places = await vendors.upstreams(count);
  for (const place of places) place.script(refusing(kind));
  places.at(-1)?.script(answering);
  return places;
}

describe('what a vendor has stored in one of several accounts', () => {
  test.each(kinds)('%s is found, and no upstream is blamed', async (_, kind) => {
    const places = await storedAtLast(kind);
    const gateway = await gatewayAt(places, { retries: { limit: 0 } });
    const sent = JSON.stringify(kind.fields).slice(1, -1);
    for (let at = 0; at < 6; at += 1) {
      expect(await ask(gateway, kind)).toMatchObject({ status: 200 });
      for (const { requests } of places)
        for (const { body } of requests) expect(body.toString()).toContain(sent);
    }
    const [first = 0, second = 0, last] = counts(places);
    expect(last).toBe(6);
    // The first to be asked is chosen by turns, also after refusals. A dialogue has its own, which may be the last.
    if (kind !== THOUGHT) expect(Math.min(first, second)).toBeGreaterThan(1);
  });

  test.each(kinds)(
    '%s that none has is asked for at each, before its caller hears of it',
    async (_, kind) => {
      const places = await vendors.upstreams(3);
      for (const place of places) place.script(refusing(kind));
      const gateway = await gatewayAt(places);
      const { status, text } = await ask(gateway, kind);
      expect({ status, text: JSON.parse(text) }).toEqual({ status: kind.status, text: kind.error });
      // A thought that nobody knows may be left out, so other forms of the request follow.
      const [count, ...others] = counts(places);
      if (kind !== THOUGHT) expect(count).toBe(1);
      for (const other of others) expect(other).toBeGreaterThanOrEqual(1);
    },
  );

  test('a thought that none has is left out after that', async () => {
    const places = await vendors.upstreams(2);
    for (const place of places) place.script(answeringWithout(THOUGHT));
    const gateway = await gatewayAt(places);
    expect(await ask(gateway, THOUGHT)).toMatchObject({ status: 200 });
    expect(counts(places).sort()).toEqual([1, 2]);
  });

  test.each([
    ['a stream', { fields: { ...CHAIN.fields, stream: true } }, {}],
    ['a request that a hook has seen', {}, { hooks: { onRequest: () => undefined } }],
    ['a request that the cache has seen', {}, { cache: { keys: ['test'], seconds: 60 } }],
  ] satisfies [string, Partial<Kind>, ConfigInput][])(
    '%s is asked elsewhere too',
    async (_, change, more) => {
      const places = await storedAtLast(CHAIN);
      const gateway = await gatewayAt(places, more);
      for (let at = 0; at < 3; at += 1)
        expect(await ask(gateway, { ...CHAIN, ...change })).toMatchObject({ status: 200 });
    },
  );

  test('what the gateway refuses itself is sent nowhere', async () => {
    const places = await storedAtLast(CHAIN);
    const hooks: ConfigInput['hooks'] = {
      onRequest: (prompt) => ({ prompt: { ...prompt, temperature: 0.5 } }),
    };
    const gateway = await gatewayAt(places, { hooks });
    expect(await ask(gateway, CHAIN)).toMatchObject({ status: 400 });
    expect(counts(places)).toEqual([0, 0, 0]);
    await vi.waitFor(() => expect(gateway.records).toMatchObject([{ repairs: undefined }]));
  });

  test('a WebSocket continues a response that its connection does not know', async () => {
    const places = await storedAtLast(CHAIN);
    const gateway = await gatewayAt(places);
    const client = await connect(gateway.url);
    for (let at = 0; at < 3; at += 1) {
      client.send({ type: 'response.create', model: 'openai/gpt-4o', ...CHAIN.fields });
      expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
    }
    client.socket.close();
  });

  test('the word of an account that knows it counts, whatever it is', async () => {
    const places = await storedAtLast(CHAIN, 2);
    places[1]?.script((wire) =>
      wire.answer(400, JSON.stringify({ error: { message: 'Too hot.', param: 'temperature' } })),
    );
    const gateway = await gatewayAt(places);
    for (let at = 0; at < 2; at += 1)
      expect(await ask(gateway, CHAIN)).toMatchObject({
        status: 400,
        text: expect.stringContaining('Too hot.'),
      });
    const [others = 0, its] = counts(places);
    expect(its).toBe(2);
    await vi.waitFor(() =>
      expect(gateway.records.flatMap(({ repairs = [] }) => repairs)).toEqual(
        Array(others).fill('other-upstream'),
      ),
    );
  });

  test('an account over its limit is asked, and its caller told when to try again', async () => {
    const places = await storedAtLast(CHAIN, 2);
    places[1]?.script((wire) =>
      wire.answer(429, '{"error":{"message":"Slow down."}}', { 'retry-after': '60' }),
    );
    const gateway = await gatewayAt(places, { retries: { limit: 0 } });
    for (let at = 0; at < 4; at += 1) expect(await ask(gateway, CHAIN)).toMatchObject({ status: 429 });
  });

  test('a request that names nothing stored is not asked again', async () => {
    const places = await vendors.upstreams(2);
    for (const place of places) place.script(refusing(CHAIN));
    const gateway = await gatewayAt(places);
    expect(await ask(gateway, { ...CHAIN, fields: { input } })).toMatchObject({ status: 400 });
    expect(counts(places).sort()).toEqual([0, 1]);
  });
});
