/** Data stored in the vendors' accounts: a key may use all of it, only what its own answers have stored, or nothing. */

import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { asObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { STORED_PLACES, STORING } from '../../src/pipeline/restrictions/stored-places.ts';
import { connect } from '../server/websocket/stage.ts';
import { KEY } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { sdkFields } from '../support/sdk-fields.ts';
import { json } from '../support/upstream.ts';
import { useStage } from './stage.ts';

const OWN = 'gw-own-key-of-the-tests';
/** A key whose answers are all translated. */
const CACHED = 'gw-cached-key-of-the-tests';
const OTHER = 'gw-other-key-of-the-tests';
const NONE = 'gw-none-key-of-the-tests';
const GROUPED = 'gw-grouped-key-of-the-tests';
const RESTRICTED = 'gw-restricted-key-of-the-tests';
const FREED = 'gw-freed-key-of-the-tests';

const models = ['openai/*', 'anthropic/*', 'google/*'];
const stage = useStage({
  cache: { keys: ['cached'], seconds: 60 },
  groups: [{ name: 'closed', stored: 'none' }],
  keys: [
    { name: 'own', key: OWN, stored: 'own' },
    { name: 'cached', key: CACHED, stored: 'own' },
    { name: 'other', key: OTHER, stored: 'own' },
    { name: 'none', key: NONE, stored: 'none' },
    { name: 'grouped', key: GROUPED, group: 'closed', stored: 'all' },
    { name: 'restricted', key: RESTRICTED, models },
    { name: 'freed', key: FREED, models, stored: 'all' },
  ],
});
beforeEach(() => stage.respondWith((_, response) => json(response, {})));

const PATHS: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': ['/v1/chat/completions'],
  responses: ['/v1/responses', '/v1/responses/compact', '/v1/responses/input_tokens'],
  messages: ['/v1/messages', '/v1/messages/count_tokens'],
  'generate-content': [
    '/v1beta/models/gemini-2.5-pro:generateContent',
    '/v1beta/models/gemini-2.5-pro:countTokens',
  ],
};

const LEAST: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'x' }] },
  responses: { model: 'openai/gpt-4.1', input: 'x' },
  messages: {
    model: 'anthropic/claude-haiku-4-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'x' }],
  },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
};

async function post(path: string, body: JsonObject, key: string, headers: Record<string, string> = {}) {
  const before = stage.upstream.received.length;
  const response = await postJson(stage.gateway.url + path, body, {
    key,
    headers: { connection: 'close', ...headers },
  });
  return {
    status: response.status,
    text: await response.text(),
    asked: stage.upstream.received.length - before,
  };
}

const sent = (): JsonObject => asObject(parseJson(String(stage.upstream.received.at(-1)?.body))) ?? {};

const message = (content: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [content] }] });
const item = (value: JsonObject): JsonObject => ({ input: [value] });
const part = (value: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [value] }] });

/** Fields that name stored data, and their places. */
const REFERENCES: [format: FormatName, fields: JsonObject, field: string][] = [
  ['responses', { previous_response_id: 'resp_1' }, 'previous_response_id'],
  ['responses', { conversation: 'conv_1' }, 'conversation'],
  ['responses', { conversation: { id: 'conv_1' } }, 'conversation.id'],
  ['responses', { prompt: { id: 'pmpt_1' } }, 'prompt.id'],
  ['responses', item({ type: 'item_reference', id: 'msg_1' }), 'input.id'],
  ['responses', item({ id: 'msg_1' }), 'input.id'],
  ['responses', item({ type: 'reasoning', id: 'rs_1', summary: [] }), 'input.id'],
  ['responses', item({ type: 'image_generation_call', id: 'ig_1' }), 'input.id'],
  // Content of nothing stands for what is stored as well.
  ['responses', item({ id: 'msg_1', content: null }), 'input.id'],
  ['responses', item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: '' }), 'input.id'],
  ['responses', item({ type: 'image_generation_call', id: 'ig_1', result: '' }), 'input.id'],
  [
    'responses',
    item({ type: 'message', role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }),
    'input.content.file_id',
  ],
  [
    'responses',
    item({
      type: 'function_call_output',
      call_id: 'c',
      output: [{ type: 'input_image', file_id: 'file-1' }],
    }),
    'input.output.file_id',
  ],
  ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 'tools.vector_store_ids'],
  ['responses', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools.container'],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
    'tools.container.file_ids',
  ],
  [
    'responses',
    item({
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }],
    }),
    'input.tools.vector_store_ids',
  ],
  [
    'chat-completions',
    message({ type: 'file', file: { file_id: 'file-1' } }),
    'messages.content.file.file_id',
  ],
  ['chat-completions', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }, 'messages.audio.id'],
  ['messages', { container: 'container_1' }, 'container'],
  ['messages', { container: { id: 'container_1' } }, 'container.id'],
  [
    'messages',
    { container: { skills: [{ type: 'custom', skill_id: 'skill_1', version: 'latest' }] } },
    'container.skills.skill_id',
  ],
  ['messages', { thread: { type: 'continue', previous_message_id: 'msg_1' } }, 'thread.previous_message_id'],
  ['messages', message({ type: 'container_upload', file_id: 'file_1' }), 'messages.content.file_id'],
  [
    'messages',
    message({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    'messages.content.source.file_id',
  ],
  ['generate-content', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
  ['generate-content', { cached_content: 'cachedContents/1' }, 'cached_content'],
  ['generate-content', part({ fileData: { fileUri: 'files/1' } }), 'contents.parts.fileData.fileUri'],
  [
    'generate-content',
    part({ file_data: { file_uri: 'gs://bucket/x' } }),
    'contents.parts.file_data.file_uri',
  ],
  ['generate-content', part({ file_data: { fileUri: 'gs://bucket/x' } }), 'contents.parts.file_data.fileUri'],
  [
    'generate-content',
    part({ functionResponse: { name: 'f', parts: [{ file_data: { fileUri: 'files/1' } }] } }),
    'contents.parts.functionResponse.parts.file_data.fileUri',
  ],
  [
    'generate-content',
    part({ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/1' } }),
    'contents.parts.fileData.fileUri',
  ],
  [
    'generate-content',
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/1'] } }] },
    'tools.fileSearch.fileSearchStoreNames',
  ],
  [
    'generate-content',
    { generateContentRequest: { model: 'models/gemini-2.5-pro', cachedContent: 'cachedContents/1' } },
    'generateContentRequest.cachedContent',
  ],
];

describe('S-35 data stored in the account', () => {
  test.each(REFERENCES)(
    '%s %j is refused by name for keys that may not use it',
    async (format, fields, field) => {
      for (const path of PATHS[format]) {
        for (const key of [NONE, GROUPED, OWN, RESTRICTED]) {
          const refused = await post(path, { ...LEAST[format], ...fields }, key);
          expect(refused, `${path} ${refused.text}`).toMatchObject({ status: 403, asked: 0 });
          expect(refused.text).toContain(`'${field}'`);
        }
        for (const key of [KEY, FREED]) {
          expect(await post(path, { ...LEAST[format], ...fields }, key), path).toMatchObject({ asked: 1 });
        }
      }
    },
  );

  test.each<[path: string, model: string]>([
    ['/v1/responses', 'anthropic/claude-haiku-4-5'],
    ['/v1/chat/completions', 'openai/gpt-4.1'],
  ])('also if the body is translated: %s to %s', async (path, model) => {
    const body = { model, input: [{ type: 'item_reference', id: 'msg_1' }] };
    expect(await post(path, body, NONE)).toMatchObject({ status: 403, asked: 0 });
  });

  test('also if the items are more than a call can have arguments', async () => {
    const body = { ...LEAST.responses, input: Array.from({ length: 150_000 }, () => ({ id: 'msg_1' })) };
    expect(await post('/v1/responses', body, NONE)).toMatchObject({ status: 403, asked: 0 });
    expect(await post('/v1/responses', body, OWN)).toMatchObject({ status: 400, asked: 0 });
  });

  test('inline data is not a reference', async () => {
    const items = [
      { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"file_id":"file-1"}' },
      { role: 'user', content: 'previous_response_id: resp_1' },
    ];
    const parameters = { type: 'object', properties: { file_id: { type: 'string' }, container: {} } };
    const tools = [{ type: 'function', name: 'f', parameters }];
    expect(await post('/v1/responses', { ...LEAST.responses, input: items, tools }, NONE)).toMatchObject({
      asked: 1,
    });
    const youtube = part({ fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } });
    expect(await post(PATHS['generate-content'][0] ?? '', youtube, NONE)).toMatchObject({ asked: 1 });
    const skills = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }];
    const pptx = { ...LEAST.messages, container: { skills } };
    expect(await post('/v1/messages', pptx, NONE)).toMatchObject({ asked: 1 });
  });

  test('nothing is stored for a key that may use nothing', async () => {
    for (const store of [undefined, true, false, null]) {
      await post('/v1/responses', { ...LEAST.responses, ...(store !== undefined && { store }) }, NONE);
      expect(sent(), `${store}`).toMatchObject({ ...LEAST.responses, model: 'gpt-4.1', store: false });
      await post('/v1/responses', { ...LEAST.responses, ...(store !== undefined && { store }) }, OWN);
      expect(sent()['store']).toBe(store);
    }
    await post('/v1/chat/completions', { ...LEAST['chat-completions'], store: true }, NONE);
    expect(sent()['store']).toBe(false);
    await post('/v1/chat/completions', LEAST['chat-completions'], NONE);
    expect('store' in sent()).toBe(false);
    await post(PATHS['generate-content'][0] ?? '', { ...LEAST['generate-content'], store: true }, NONE);
    expect(sent()['store']).toBe(false);
    await post('/v1/responses/compact', LEAST.responses, NONE);
    expect('store' in sent()).toBe(false);
    for (const [format, fields] of [
      ['responses', { background: true }],
      ['messages', { thread: { type: 'create' } }],
    ] as const) {
      const path = PATHS[format][0] ?? '';
      expect(await post(path, { ...LEAST[format], ...fields }, NONE)).toMatchObject({
        status: 403,
        asked: 0,
      });
      expect(await post(path, { ...LEAST[format], ...fields }, OWN)).toMatchObject({ asked: 1 });
    }
  });

  test('over a WebSocket too', async () => {
    const client = await connect(stage.gateway.url, { authorization: `Bearer ${NONE}` });
    client.send({ type: 'response.create', ...LEAST.responses, previous_response_id: 'resp_of_another' });
    expect(await client.next()).toMatchObject({
      type: 'error',
      status: 403,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
    client.send({ type: 'response.create', ...LEAST.responses });
    await client.answer();
    expect(sent()['store']).toBe(false);
    client.socket.terminate();
  });
});

/** A stream of events. */
function stream(response: ServerResponse, events: readonly JsonObject[], hasNames = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = hasNames ? `event: ${event['type']}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

describe('S-36 what a key has stored is its own', () => {
  const whole = (id: string): JsonObject => ({
    id,
    object: 'response',
    metadata: { id: `${id}_forged` },
    previous_response_id: `${id}_previous`,
    tools: [{ type: 'function', parameters: { id: `${id}_tool`, object: 'response' } }],
    output: [
      { type: 'reasoning', id: `${id}_rs`, summary: [] },
      { type: 'code_interpreter_call', id: `${id}_ci`, container_id: `${id}_cntr` },
      {
        type: 'shell_call',
        id: `${id}_sh`,
        environment: { type: 'container_reference', container_id: `${id}_shell` },
      },
      { type: 'mcp_list_tools', id: `${id}_mcp`, tools: [{ input_schema: { file_id: `${id}_schema` } }] },
      {
        type: 'message',
        id: `${id}_msg`,
        content: [
          {
            type: 'output_text',
            text: `{"id":"${id}_said"}`,
            annotations: [
              { type: 'container_file_citation', container_id: `${id}_cntr`, file_id: `${id}_file` },
            ],
          },
        ],
      },
    ],
  });
  const goesOn = (id: string, key: string) =>
    post('/v1/responses', { ...LEAST.responses, previous_response_id: id }, key);

  /** Streamed or not, with the events of a service that names them in their data alone; native or translated. */
  const ways: [way: string, key: string, hasNames?: boolean][] = [
    ['whole', OWN],
    ['whole, translated', CACHED],
    ['streamed', OWN],
    ['streamed, translated', CACHED],
    ['streamed without names of events', OWN, false],
  ];

  test.each(ways)(
    'a response, its items, its container and its files: %s',
    async (way, owner, hasNames = true) => {
      const streamed = way.startsWith('streamed');
      const id = `resp_${way.replaceAll(/\W+/g, '_')}`;
      const response = whole(id);
      stage.respondWith((_, to) => {
        if (!streamed) json(to, response);
        else
          stream(
            to,
            [
              { type: 'response.created', response: { ...response, output: [] } },
              { type: 'response.output_text.delta', delta: `"id":"${id}_delta"` },
              { type: 'response.completed', response },
            ],
            hasNames,
          );
      });
      await post('/v1/responses', { ...LEAST.responses, input: way, stream: streamed }, owner);
      for (const own of [id, `${id}_rs`, `${id}_msg`, `${id}_cntr`, `${id}_shell`, `${id}_file`]) {
        expect(await goesOn(own, owner), own).toMatchObject({ status: 200, asked: 1 });
        for (const key of [OTHER, RESTRICTED, NONE])
          expect(await goesOn(own, key), own).toMatchObject({ status: 403, asked: 0 });
      }
      const forged = ['forged', 'previous', 'tool', 'schema', 'said', 'delta', 'none'];
      for (const other of forged.map((word) => `${id}_${word}`))
        expect(await goesOn(other, owner), other).toMatchObject({ status: 403, asked: 0 });
      const both = [
        { type: 'item_reference', id: `${id}_msg` },
        { type: 'item_reference', id: 'msg_of_another' },
      ];
      expect(await post('/v1/responses', { ...LEAST.responses, input: both }, owner)).toMatchObject({
        status: 403,
      });
      expect(
        await post('/v1/responses', { ...LEAST.responses, input: both.slice(0, 1) }, owner),
      ).toMatchObject({ asked: 1 });
    },
  );

  test.each(ways.slice(0, 4))("Anthropic's containers and the files made in them: %s", async (way, owner) => {
    const streamed = way.startsWith('streamed');
    const id = way.replaceAll(/\W+/g, '_');
    const block = {
      type: 'bash_code_execution_tool_result',
      content: {
        type: 'bash_code_execution_result',
        content: [{ type: 'bash_code_execution_output', file_id: `file_${id}` }],
      },
    };
    const answer = {
      id: `msg_${id}`,
      type: 'message',
      content: [block],
      container: { id: `container_${id}` },
    };
    stage.respondWith((_, to) => {
      if (!streamed) json(to, answer);
      else
        stream(to, [
          { type: 'message_start', message: { ...answer, content: [], container: null } },
          { type: 'content_block_start', index: 0, content_block: block },
          { type: 'message_delta', delta: { container: answer.container } },
          { type: 'message_stop' },
        ]);
    });
    await post('/v1/messages', { ...LEAST.messages, system: way, stream: streamed }, owner);
    const uses: JsonObject[] = [
      { container: `container_${id}` },
      message({ type: 'container_upload', file_id: `file_${id}` }),
      { thread: { type: 'continue', previous_message_id: `msg_${id}` } },
    ];
    for (const fields of uses) {
      expect(
        await post('/v1/messages', { ...LEAST.messages, ...fields }, owner),
        JSON.stringify(fields),
      ).toMatchObject({ asked: 1 });
      expect(await post('/v1/messages', { ...LEAST.messages, ...fields }, OTHER)).toMatchObject({
        status: 403,
      });
    }
  });

  test('audio of an answer', async () => {
    stage.respondWith((_, to) => json(to, { choices: [{ message: { audio: { id: 'audio_own' } } }] }));
    await post('/v1/chat/completions', LEAST['chat-completions'], OWN);
    const body = {
      ...LEAST['chat-completions'],
      messages: [{ role: 'assistant', audio: { id: 'audio_own' } }],
    };
    expect(await post('/v1/chat/completions', body, OWN)).toMatchObject({ asked: 1 });
    expect(await post('/v1/chat/completions', body, OTHER)).toMatchObject({ status: 403, asked: 0 });
  });
});

describe('the list', () => {
  /** Ids that name nothing stored: calls, echoes of an answer, people, and whoever has authorized a connector. */
  const HARMLESS = [
    /(?:^|\.)(?:call_id|tool_call_id|tool_use_id|caller_id|tool_id|approval_request_id|user_id|connector_id)$/,
    /\.tool_calls\.id$|\.(?:pending|acknowledged)_safety_checks\.id$/,
    /\.annotations\.(?:container_id|file_id)$|^input\.results\.file_id$|\.(?:tab_id|download_id)$/,
    /^messages\.content\.content\.content\.file_id$|^messages\.content\.id$/,
    /\.(?:codeExecutionResult|executableCode|functionCall|functionResponse|toolCall|toolResponse)\.id$/,
    // The caller's own, for a service elsewhere.
    /\.(?:accessToken|idToken)$/,
    // Decided by its item's type.
    /^input\.id$/,
    // It orders requests, and names nothing that is stored.
    /^background_options\.continuation_id$/,
    // Headers in the SDK, refused for every restricted key.
    /^(?:user_profile_id|workspace_id)$/,
    // Objects whose ids are here, and fields that are forced to be false.
    /^(?:prompt|store)$|\.vertexRagStore$/,
  ];
  const ID =
    /(?:^|[._])ids?$|Ids?$|(?:^|\.)(?:container|conversation|thread|prompt)$|cached|[sS]tores?$|[sS]toreNames$|[uU]ri$|[cC]orp(?:us|ora)$|Token$|engine$/;

  let fields: ReturnType<typeof sdkFields>;
  beforeAll(() => {
    fields = sdkFields(true);
  });

  test.each(FORMAT_NAMES)('%s: each field of the SDKs that can be an id is decided on', (format) => {
    const decided = new Set([...STORED_PLACES[format], ...STORING[format]]);
    const ids = fields[format].fields.filter((path) => ID.test(path));
    expect(ids.length).toBeGreaterThan(2);
    expect(ids.filter((path) => !decided.has(path) && !HARMLESS.some((each) => each.test(path)))).toEqual([]);
  });
});

describe('S-47 answers that a vendor keeps by the idempotency key of a request', () => {
  test.each(FORMAT_NAMES)('are never those of another key: %s', async (format) => {
    const kept = new Map<string, JsonObject>();
    stage.respondWith(({ headers }, response) => {
      const name = String(headers['idempotency-key']);
      const answer = kept.get(name) ?? { id: `resp_${kept.size}` };
      kept.set(name, answer);
      json(response, answer);
    });
    const [path = ''] = PATHS[format];
    const ask = async (key: string, name: string) =>
      (await post(path, LEAST[format], key, { 'idempotency-key': name })).text;
    const first = await ask(OWN, 'order-1');
    expect(await ask(OWN, 'order-1')).toBe(first);
    expect(await ask(OTHER, 'order-1')).not.toBe(first);
    expect(await ask(OWN, 'order-2')).not.toBe(first);
    // Nor can a key name one of the vendor's that it has learned.
    const [learned = ''] = kept.keys();
    expect(await ask(OTHER, learned)).not.toBe(first);
  });
});
