/**
 * What Cursor sends to chat-completions: responses requests, and tools, calls and results in the form of other formats.
 */

import { describe, expect, test } from 'vitest';
import { asObjects, asText, isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { decodeSse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import {
  at,
  CLAUDE,
  claudeStream,
  completion,
  GEMINI,
  json,
  listAt,
  namedStream,
  OPENAI,
  QWEN,
  useDoor,
} from '../checklist/support.ts';
import { postJson } from '../support/post-json.ts';
import { json as answerJson } from '../support/upstream.ts';

const door = useDoor();

const THINKER = 'openai/gpt-5.4';
const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+ok\n*** End Patch';

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "ok"' };
const flatFunction = { type: 'function', name: 'read_file', description: 'Reads', parameters: schema };
const flatCustom = { type: 'custom', name: 'ApplyPatch', description: 'Patches', format: grammar };

/** A responses request, as Cursor's agent sends it. */
const agents: JsonObject = {
  messages: [],
  input: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Add a file.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'ApplyPatch', arguments: PATCH },
    { type: 'function_call_output', call_id: 'call_1', output: 'Done!' },
    { role: 'user', content: [{ type: 'input_text', text: 'And another.' }] },
  ],
  tools: [flatFunction, flatCustom],
  reasoning: { effort: 'low' },
  metadata: { cursorConversationId: 'c-1' },
};

const asking = { include_usage: true, include_obfuscation: false };

const usage = { input_tokens: 4, output_tokens: 3, total_tokens: 7 };
const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'ApplyPatch' };
const response = (status: string, output: readonly JsonObject[]): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5.4',
  status,
  output,
  ...(status === 'completed' && { usage }),
});
const done = { ...item, input: PATCH, status: 'completed' };
const inBits = namedStream(
  { type: 'response.created', sequence_number: 0, response: response('in_progress', []) },
  {
    type: 'response.output_item.added',
    sequence_number: 1,
    output_index: 0,
    item: { ...item, input: '', status: 'in_progress' },
  },
  {
    type: 'response.custom_tool_call_input.delta',
    sequence_number: 2,
    output_index: 0,
    item_id: 'ctc_1',
    delta: PATCH.slice(0, 20),
  },
  {
    type: 'response.custom_tool_call_input.delta',
    sequence_number: 3,
    output_index: 0,
    item_id: 'ctc_1',
    delta: PATCH.slice(20),
  },
  {
    type: 'response.custom_tool_call_input.done',
    sequence_number: 4,
    output_index: 0,
    item_id: 'ctc_1',
    input: PATCH,
  },
  { type: 'response.output_item.done', sequence_number: 5, output_index: 0, item: done },
  { type: 'response.completed', sequence_number: 6, response: response('completed', [done]) },
);

/** Sends as Cursor does. Its custom tool calls violate the protocol of the format, so no validator checks them here. */
async function ask(
  model: string,
  body: JsonObject,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await postJson(`${door.url()}/v1/chat/completions`, { model, ...body });
  return { status: answer.status, text: await answer.text() };
}

const objectIn = (text: string): JsonObject => {
  const value = parseJson(text);
  if (!isObject(value)) throw new TypeError('This is no object.');
  return value;
};

const callsOf = (text: string): readonly JsonObject[] =>
  listAt(objectIn(text), 'choices.0.message.tool_calls');

async function chunksOf(model: string, body: JsonObject): Promise<readonly JsonObject[]> {
  const { text } = await ask(model, { ...body, stream: true, stream_options: asking });
  const events = run(decodeSse(), [new TextEncoder().encode(text)]);
  expect(events.at(-1)?.data).toBe('[DONE]');
  return events.slice(0, -1).map(({ data }) => objectIn(data));
}

/** The one call of a stream, its pieces joined. */
function callIn(chunks: readonly JsonObject[]): JsonObject {
  const pieces = chunks.flatMap((each) => asObjects(at(each, 'choices.0.delta.tool_calls')));
  return {
    ...pieces[0],
    function: {
      name: at(pieces[0], 'function.name') ?? null,
      arguments: pieces.map((piece) => asText(at(piece, 'function.arguments')) ?? '').join(''),
    },
  };
}

const patching = { type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } };
const paths = (): (string | undefined)[] => door.upstream().received.map(({ url }) => url);

describe('a responses request', () => {
  test('goes to OpenAI unchanged, and its answer comes as chunks in which every call is a function call', async () => {
    door.answers(inBits);
    const chunks = await chunksOf(THINKER, agents);
    expect(paths()).toEqual(['/v1/responses']);
    expect(door.sent()).toMatchObject({
      model: 'gpt-5.4',
      stream: true,
      stream_options: { include_obfuscation: false },
      reasoning: { effort: 'low' },
      tools: [flatFunction, flatCustom],
    });
    expect(door.sent()['messages']).toBeUndefined();
    const items = listAt(door.sent(), 'input');
    expect(items.find(({ type }) => type === 'custom_tool_call')?.['input']).toBe(PATCH);
    expect(items.find(({ type }) => type === 'custom_tool_call_output')?.['output']).toBe('Done!');
    expect(callIn(chunks)).toEqual({ index: 0, id: 'call_2', ...patching });
    expect(chunks.at(-1)?.['usage']).toMatchObject({ prompt_tokens: 4, completion_tokens: 3 });
  });

  test('is answered non-streamed as well, and needs no `messages`', async () => {
    door.answers(json(response('completed', [done])));
    const { messages: _, ...body } = agents;
    for (const asked of [agents, body]) {
      const { text } = await ask(THINKER, asked);
      expect(callsOf(text)).toEqual([{ id: 'call_2', ...patching }]);
    }
  });

  test("goes to another vendor's model, whose patch becomes text again", async () => {
    const use = { type: 'tool_use', id: 'toolu_1', name: 'ApplyPatch', input: {} };
    const bits = { type: 'input_json_delta', partial_json: JSON.stringify({ input: PATCH }) };
    door.answers(claudeStream([[use, bits]], 'tool_use'));
    const chunks = await chunksOf(CLAUDE, agents);
    expect(paths()).toEqual(['/v1/messages']);
    expect(callIn(chunks)).toEqual({ index: 0, id: 'toolu_1', ...patching });
    expect(at(door.sent(), 'messages.1.content.0')).toMatchObject({
      name: 'ApplyPatch',
      input: { input: PATCH },
    });
  });

  test.each([OPENAI, GEMINI, QWEN])('with all its content reaches %s', async (model) => {
    const sent = JSON.stringify(await door.sentFor('chat-completions', model, agents));
    for (const said of ['Be brief.', 'Add a file.', 'Done!', 'And another.', 'read_file', 'ApplyPatch'])
      expect(sent).toContain(said);
  });

  test('is cached by its dialogue, without any cache marks', async () => {
    const claude = await door.sentFor('chat-completions', CLAUDE, agents);
    expect(claude['cache_control']).toEqual({ type: 'ephemeral' });
    expect((await door.sentFor('chat-completions', THINKER, agents))['prompt_cache_key']).toBe('c-1');
    const { metadata = null } = agents;
    const chat = { messages: [{ role: 'user', content: 'Hi' }], metadata };
    expect((await door.sentFor('chat-completions', CLAUDE, chat))['cache_control']).toBeDefined();
    const own = await door.sentFor('chat-completions', THINKER, { ...agents, prompt_cache_key: 'mine' });
    expect(own['prompt_cache_key']).toBe('mine');
  });

  test('is held to the models of its key, and a missing field is reported', async () => {
    expect(await ask('openai/gpt-none', agents)).toMatchObject({ status: 404 });
    const { status, text } = await ask(CLAUDE, { ...agents, input: 7 });
    expect([status, at(objectIn(text), 'error.param')]).toEqual([400, 'input']);
    expect(door.upstream().received).toHaveLength(0);
  });
});

/** OpenAI, which refuses flat tools at chat-completions. */
function refuseFlatTools(answer: JsonObject): void {
  door.answers(({ url, body }, vendor) => {
    const tools = listAt(objectIn(body.toString('utf8')), 'tools');
    const flat = tools.findIndex((tool) => tool['name'] !== undefined);
    if (flat < 0 || url !== '/v1/chat/completions') return answerJson(vendor, answer);
    const param = `tools[${flat}].function`;
    answerJson(vendor, { error: { message: `Missing required parameter: '${param}'.`, param } }, 400);
  });
}

describe('tools, calls and results of other formats in a chat-completions request', () => {
  const listing = { type: 'function', function: { name: 'list_dir', parameters: schema } };
  const mixed: JsonObject = {
    messages: [
      { role: 'user', content: 'Add a file.' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', ...patching }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Done!' },
    ],
    tools: [listing, flatFunction, flatCustom],
    tool_choice: { type: 'function', name: 'read_file' },
  };

  test("flat tools: sent unchanged, and if refused, in the vendor's form", async () => {
    const calls = [{ id: 'call_2', type: 'custom', custom: { name: 'ApplyPatch', input: PATCH } }];
    refuseFlatTools(completion({ content: null, tool_calls: calls }, 'tool_calls'));
    const { text } = await ask(OPENAI, mixed);
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(objectIn(door.upstream().received[0]?.body.toString('utf8') ?? '')).toEqual({
      model: 'gpt-4o',
      ...mixed,
    });
    expect(door.sent()).toMatchObject({
      tools: [
        listing,
        { type: 'function', function: { name: 'read_file', description: 'Reads', parameters: schema } },
        { type: 'custom', custom: { name: 'ApplyPatch', description: 'Patches' } },
      ],
      tool_choice: { type: 'function', function: { name: 'read_file' } },
    });
    expect(at(door.sent(), 'tools.2.custom.format.grammar.definition')).toBe(grammar.definition);
    expect(at(door.sent(), 'messages.1.tool_calls.0')).toEqual({
      id: 'call_1',
      type: 'custom',
      custom: { name: 'ApplyPatch', input: PATCH },
    });
    expect(callsOf(text)).toEqual([{ id: 'call_2', ...patching }]);
  });

  test('flat tools: for a reasoning model, through responses', async () => {
    refuseFlatTools(response('completed', [done]));
    expect(callsOf((await ask(THINKER, mixed)).text)).toEqual([{ id: 'call_2', ...patching }]);
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/responses']);
  });

  test.each([CLAUDE, GEMINI])('flat tools: %s gets them in its own form at once', async (model) => {
    const sent = JSON.stringify(await door.sentFor('chat-completions', model, mixed));
    expect(door.upstream().received).toHaveLength(1);
    for (const name of ['list_dir', 'read_file', 'ApplyPatch']) expect(sent).toContain(name);
  });

  test('a custom tool in the form of this format is called in the form of this format', async () => {
    const tools = [
      { type: 'custom', custom: { name: 'ApplyPatch', format: { type: 'text' } } },
      flatFunction,
    ];
    const use = { type: 'tool_use', id: 'toolu_1', name: 'ApplyPatch', input: {} };
    const bits = { type: 'input_json_delta', partial_json: JSON.stringify({ input: PATCH }) };
    door.answers(claudeStream([[use, bits]], 'tool_use'));
    const { reply } = await door.stream('chat-completions', CLAUDE, { tools, tool_choice: { type: 'any' } });
    expect(reply().choices[0]?.parts).toMatchObject([{ name: 'ApplyPatch', arguments: PATCH, custom: true }]);
  });

  const anthropics: JsonObject = {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Read it.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I shall.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.txt' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'No file.' }],
            is_error: true,
          },
          { type: 'text', text: 'Go on.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' } },
        ],
      },
    ],
    tools: [{ name: 'read_file', description: 'Reads', input_schema: schema }],
    tool_choice: { type: 'any' },
  };

  test("Anthropic's: in Anthropic's form, to Anthropic", async () => {
    const sent = await door.sentFor('chat-completions', CLAUDE, anthropics);
    expect(sent).toMatchObject({
      tools: [{ name: 'read_file', description: 'Reads', input_schema: schema }],
      tool_choice: { type: 'any' },
    });
    expect(at(sent, 'messages.1.content')).toEqual(at(anthropics, 'messages.1.content'));
    const { content = null } = listAt(sent, 'messages').at(-1) ?? {};
    expect(asObjects(content).map(({ type }) => type)).toEqual(['tool_result', 'text', 'image']);
    expect(JSON.stringify(content)).toContain('No file.');
  });

  test("Anthropic's: in OpenAI's form, to OpenAI", async () => {
    refuseFlatTools(completion({ content: 'Well.' }, 'stop'));
    expect((await ask(OPENAI, anthropics)).status).toBe(200);
    const sent = door.sent();
    expect(sent).toMatchObject({
      tools: [{ type: 'function', function: { name: 'read_file', parameters: schema } }],
      tool_choice: 'required',
    });
    expect(listAt(sent, 'messages').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(at(sent, 'messages.1.tool_calls.0.function')).toEqual({
      name: 'read_file',
      arguments: '{"path":"a.txt"}',
    });
    expect(JSON.stringify(sent)).toContain('data:image/png;base64,iVBORw0K');
  });
});

describe("Anthropic's cache marks and its `system`, as Cursor sends them", () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const marked: JsonObject = {
    system: [{ type: 'text', text: 'Be brief.', ...mark }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Read it.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, ...mark }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Read.', ...mark }],
      },
    ],
    tools: [{ name: 'f', input_schema: schema, ...mark }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  };

  test('reach Anthropic unchanged', async () => {
    const sent = await door.sentFor('chat-completions', CLAUDE, marked);
    expect(sent).toMatchObject({
      system: marked['system'],
      tools: marked['tools'],
      tool_choice: marked['tool_choice'],
    });
    expect(at(sent, 'messages.1.content.0')).toMatchObject({ type: 'tool_use', ...mark });
    expect(at(sent, 'messages.2.content.0')).toMatchObject({ type: 'tool_result', ...mark });
  });

  test('keep a system message of the dialogue, and the text of `system`', async () => {
    const messages = [{ role: 'system', content: 'In English.' }, ...listAt(marked, 'messages')];
    const sent = await door.sentFor('chat-completions', CLAUDE, { ...marked, messages });
    expect(JSON.stringify(sent['system'])).toMatch(/Be brief\..*In English\./);
  });

  test.each([GEMINI, OPENAI, THINKER])('%s gets the system text, and no marks', async (model) => {
    door.answers(({ body }, vendor) => {
      const isAnthropics = objectIn(body.toString('utf8'))['system'] !== undefined;
      const error = { message: "Unknown parameter: 'system'.", param: 'system' };
      answerJson(vendor, isAnthropics ? { error } : {}, isAnthropics ? 400 : 500);
    });
    await ask(model, marked);
    const sent = JSON.stringify(door.sent());
    expect(sent).toContain('Be brief.');
    expect(sent).not.toContain('cache_control');
    expect(door.sent()['system']).toBeUndefined();
    if (model !== GEMINI) expect(door.sent()['parallel_tool_calls']).toBe(false);
  });
});
