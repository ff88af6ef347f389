/** Bodies of `POST /v1/messages` as prompts. */

import { describe, expect, test } from 'vitest';
import type { Part, Prompt } from '../../../src/conversation/prompt.ts';
import { type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/messages/inbound/parse-request.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';

const BASE = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi.' }] };

const parse = (fields: JsonObject): Prompt => parseRequest({ ...BASE, ...fields }, unreported);

/** Parses a conversation of one message, and returns the parts of it. */
const parts = (content: Json, role = 'user'): readonly Part[] =>
  parse({ messages: [{ role, content }] }).turns[0]?.parts ?? [];

describe('refusals in the wording of the vendor', () => {
  test.each<[string, JsonObject, string, string]>([
    ['no messages', { model: 'm', max_tokens: 1 }, 'messages: Field required', 'messages'],
    ['no max_tokens', { model: 'm', messages: BASE.messages }, 'max_tokens: Field required', 'max_tokens'],
    ['no model', { max_tokens: 1, messages: BASE.messages }, 'model: Field required', 'model'],
    ['messages is null', { ...BASE, messages: null }, 'messages: Input should be a valid list', 'messages'],
    [
      'messages is empty',
      { ...BASE, messages: [] },
      'messages: at least one message is required',
      'messages',
    ],
    [
      'max_tokens is a text',
      { ...BASE, max_tokens: '5' },
      'max_tokens: Input should be a valid integer',
      'max_tokens',
    ],
    [
      'max_tokens is a fraction',
      { ...BASE, max_tokens: 1.5 },
      'max_tokens: Input should be a valid integer',
      'max_tokens',
    ],
    [
      'max_tokens is 0',
      { ...BASE, max_tokens: 0 },
      'max_tokens: must be greater than or equal to 1',
      'max_tokens',
    ],
    [
      'a message that is not an object',
      { ...BASE, messages: ['x'] },
      'messages.0: Input should be an object',
      'messages.0',
    ],
    [
      'no role',
      { ...BASE, messages: [{ content: 'x' }] },
      'messages.0.role: Field required',
      'messages.0.role',
    ],
    [
      'a wrong role',
      { ...BASE, messages: [{ role: 'tool', content: 'x' }] },
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
      'messages.0.role',
    ],
    [
      'no content',
      { ...BASE, messages: [{ role: 'user' }] },
      'messages.0.content: Field required',
      'messages.0.content',
    ],
    [
      'content is a number',
      { ...BASE, messages: [{ role: 'user', content: 5 }] },
      'messages.0.content: Input should be a valid list',
      'messages.0.content',
    ],
    [
      'a block without a type',
      { ...BASE, messages: [{ role: 'user', content: [{ text: 'x' }] }] },
      'messages.0.content.0.type: Field required',
      'messages.0.content.0.type',
    ],
    [
      'a text block without text',
      { ...BASE, messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'messages.0.content.0.text.text: Field required',
      'messages.0.content.0.text.text',
    ],
    [
      'a result without an id',
      { ...BASE, messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }] },
      'messages.0.content.0.tool_result.tool_use_id: Field required',
      'messages.0.content.0.tool_result.tool_use_id',
    ],
    [
      'a tool without a name',
      { ...BASE, tools: [{ input_schema: {} }] },
      'tools.0.custom.name: Field required',
      'tools',
    ],
    [
      'a tool without a schema',
      { ...BASE, tools: [{ name: 't' }] },
      'tools.0.custom.input_schema: Field required',
      'tools',
    ],
    ['tools is not a list', { ...BASE, tools: {} }, 'tools: Input should be a valid list', 'tools'],
    [
      'tool_choice is a text',
      { ...BASE, tool_choice: 'auto' },
      'tool_choice: Input should be an object',
      'tool_choice',
    ],
    [
      'tool_choice without a name',
      { ...BASE, tool_choice: { type: 'tool' } },
      'tool_choice.tool.name: Field required',
      'tool_choice.tool.name',
    ],
    [
      'an unknown choice',
      { ...BASE, tool_choice: { type: 'sometimes' } },
      "tool_choice: Input tag 'sometimes' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
      'tool_choice',
    ],
    ['stream is a text', { ...BASE, stream: 'yes' }, 'stream: Input should be a valid boolean', 'stream'],
    [
      'temperature is a text',
      { ...BASE, temperature: 'hot' },
      'temperature: Input should be a valid number',
      'temperature',
    ],
    [
      'stop_sequences is a text',
      { ...BASE, stop_sequences: 'END' },
      'stop_sequences: Input should be a valid list',
      'stop_sequences',
    ],
    [
      'a stop sequence that is not a text',
      { ...BASE, stop_sequences: ['a', 1] },
      'stop_sequences.1: Input should be a valid string',
      'stop_sequences.1',
    ],
  ])('%s', (_, body, message, param) => {
    const error = gatewayErrorOf(() => parseRequest(body, unreported));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ fault: 'invalid-request', status: 400, message, param });
  });

  test.each([{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }])(
    'a thread, with the code on which the SDK continues without one: $type',
    (thread) => {
      const error = gatewayErrorOf(() => parseRequest({ ...BASE, thread }, unreported));
      expect(error).toMatchObject({ status: 400, param: 'thread', code: 'thread_unsupported_request' });
    },
  );
});

test.each([
  ['a block of its own', [{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=fa690;' }]],
  ['the first line', 'x-anthropic-billing-header: cc_version=2.1; cch=0aaa9;\nBe brief.'],
])('the line for Anthropic’s accounting is removed from the prompt: %s', (_, system) => {
  const blocks = Array.isArray(system) ? [...system, { type: 'text', text: 'Be brief.' }] : system;
  const { turns } = parseRequest({ ...BASE, system: blocks }, unreported);
  expect(turns[0]).toEqual({ role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] });
  expect(parseRequest({ ...BASE, system }, unreported).turns.map(({ role }) => role)).toEqual(
    Array.isArray(system) ? ['user'] : ['system', 'user'],
  );
});

test('fields that are null count as missing', () => {
  const empty = parse({
    tools: null,
    tool_choice: null,
    stop_sequences: null,
    temperature: null,
    stream: null,
  });
  expect(empty).toEqual(parse({}));
});

test('null lists in a tool’s schema count as missing', () => {
  const input_schema = { type: 'object', properties: null, required: null };
  const { tools } = parseRequest({ ...BASE, tools: [{ name: 'now', input_schema }] }, unreported);
  expect(tools).toMatchObject([{ name: 'now', parameters: { type: 'object' } }]);
  expect(tools?.[0]).toEqual(
    parseRequest({ ...BASE, tools: [{ name: 'now', input_schema: { type: 'object' } }] }, unreported)
      .tools?.[0],
  );
});

test('sampling of -1 counts as missing, as LangChain sent it before 1.0', () => {
  expect(parse({ top_p: -1, top_k: -1 })).toEqual(parse({}));
});

describe('settings', () => {
  test.each<[string, JsonObject, Partial<Prompt>]>([
    ['sampling', { temperature: 0.5, top_p: 0.9, top_k: 4 }, { temperature: 0.5, topP: 0.9, topK: 4 }],
    ['stop', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
    ['the user', { metadata: { user_id: 'u-1' } }, { user: 'u-1' }],
    ['the standard tier', { service_tier: 'standard_only' }, { serviceTier: 'default' }],
    [
      'an unknown tier',
      { service_tier: 'z' },
      { formatSpecific: { format: 'messages', fields: { service_tier: 'z' } } },
    ],
    ['any tier', { service_tier: 'auto' }, { serviceTier: 'auto' }],
    ['choice: auto', { tool_choice: { type: 'auto' } }, { toolChoice: { mode: 'auto' } }],
    ['choice: none', { tool_choice: { type: 'none' } }, { toolChoice: { mode: 'none' } }],
    [
      'choice: any, one at a time',
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { toolChoice: { mode: 'required' }, parallelToolCalls: false },
    ],
    [
      'choice: one tool',
      { tool_choice: { type: 'tool', name: 't', disable_parallel_tool_use: false } },
      { toolChoice: { mode: 'required', allowed: ['t'] }, parallelToolCalls: true },
    ],
    [
      'thinking by budget',
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
      { thinking: { budget: 2048 } },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { thinking: { effort: 'none' } }],
    [
      'adaptive thinking',
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'xhigh' } },
      { thinking: { adaptive: true, visible: false, effort: 'xhigh' } },
    ],
    [
      'a schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      { output: { kind: 'json-schema', schema: { type: 'object' } } },
    ],
    [
      'a schema in the beta field',
      { output_format: { type: 'json_schema', schema: { type: 'object' } } },
      { output: { kind: 'json-schema', schema: { type: 'object' } } },
    ],
    ['an unknown field', { colour: 'green' }, { unknownFields: { colour: 'green' } }],
    [
      'a cache breakpoint',
      { cache_control: { type: 'ephemeral', ttl: '5m' } },
      { cacheBreakpoint: { ttl: '5m' } },
    ],
  ])('%s', (_, fields, expected) => {
    expect(parse(fields)).toMatchObject(expected);
  });

  test('fields of this format are kept apart from unknown fields', () => {
    const prompt = parse({
      speed: 'fast',
      mcp_servers: [],
      context_management: {},
      colour: 'green',
      size: null,
    });
    expect(prompt.formatSpecific).toEqual({
      format: 'messages',
      fields: { speed: 'fast', mcp_servers: [], context_management: {} },
    });
    expect(prompt.unknownFields).toEqual({ colour: 'green' });
  });

  test('thinking with further fields is parsed, and also kept unchanged', () => {
    const thinking = { type: 'adaptive', display: 'updates', block_binding: null };
    const prompt = parse({ thinking });
    expect(prompt.thinking).toEqual({ adaptive: true, visible: true });
    expect(prompt.formatSpecific).toMatchObject({
      fields: { thinking: { display: 'updates', block_binding: null } },
      roundTrip: { thinking },
    });
  });

  test('a choice that names no tool says nothing of a toolset, which has no name either', () => {
    const tools = [{ type: 'mcp_toolset', mcp_server_name: 's' }];
    expect(parse({ tools, tool_choice: { type: 'auto' } }).formatSpecific?.fields).toEqual({});
  });

  test('what the prompt cannot express is kept unchanged', () => {
    const thinking = { type: 'between_tools' };
    expect(parse({ thinking }).formatSpecific).toMatchObject({
      fields: { thinking },
      roundTrip: { thinking },
    });
    const choice = { type: 'any', from: 'tomorrow' };
    expect(parse({ tool_choice: choice })).toMatchObject({
      toolChoice: { mode: 'required' },
      formatSpecific: { fields: { tool_choice: { from: 'tomorrow' } }, roundTrip: { tool_choice: choice } },
    });
    const mark = { type: 'ephemeral', ttl: '4h' };
    expect(parse({ cache_control: mark }).formatSpecific?.fields).toEqual({ cache_control: mark });
  });
});

describe('turns', () => {
  test('system comes first, and a later system message stays in its place', () => {
    const { turns } = parse({
      system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
      messages: [...BASE.messages, { role: 'system', content: 'b' }],
    });
    expect(turns.map(({ role }) => role)).toEqual(['system', 'user', 'system']);
    expect(turns[0]?.parts).toEqual([{ kind: 'text', text: 'a', cacheBreakpoint: {} }]);
  });

  test('a result has the name of its call', () => {
    const { turns } = parse({
      messages: [
        ...BASE.messages,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'i', name: 'Bash', input: { command: 'ls' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'i', content: 'x', is_error: true }] },
      ],
    });
    expect(turns[1]?.parts).toEqual([
      { kind: 'tool-call', id: 'i', name: 'Bash', arguments: '{"command":"ls"}' },
    ]);
    expect(turns[2]?.parts).toEqual([
      { kind: 'tool-result', id: 'i', name: 'Bash', content: [{ kind: 'text', text: 'x' }], isError: true },
    ]);
  });

  test('a call without arguments has none', () => {
    expect(parts([{ type: 'tool_use', id: 'i', name: 't', input: {} }], 'assistant')).toMatchObject([
      { kind: 'tool-call', arguments: '' },
    ]);
  });

  test('each thinking block keeps its signature, even if it has no text', () => {
    const content = [
      { type: 'thinking', thinking: 'one', signature: 'AAA=' },
      { type: 'thinking', thinking: '', signature: 'BBB=' },
      { type: 'redacted_thinking', data: 'CCC=' },
      { type: 'thinking', thinking: 'of another vendor', signature: '' },
      { type: 'thinking', thinking: 'of one that signs nothing', signature: 'none#' },
      { type: 'thinking', thinking: 'joined', signature: 'none#google#AbC=' },
    ];
    expect(parts(content, 'assistant')).toEqual([
      { kind: 'thinking', text: 'one', signature: { origin: 'anthropic', value: 'AAA=' } },
      { kind: 'thinking', text: '', signature: { origin: 'anthropic', value: 'BBB=' } },
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'CCC=' } },
      { kind: 'thinking', text: 'of another vendor' },
      { kind: 'thinking', text: 'of one that signs nothing' },
      { kind: 'thinking', text: 'joined', signature: { origin: 'google', value: 'AbC=' } },
    ]);
  });

  test('a carried signature returns to its call, or to an empty text', () => {
    const carrier = { type: 'thinking', thinking: '', signature: 'google#c.AbC=' };
    const signature = { origin: 'google', value: 'AbC=' };
    const call = { type: 'tool_use', id: 'i', name: 't', input: {} };
    expect(parts([carrier, call], 'assistant')).toMatchObject([{ kind: 'tool-call', signature }]);
    const unmarked = { ...carrier, signature: 'google#AbC=' };
    expect(parts([unmarked, call], 'assistant')).toMatchObject([{ kind: 'tool-call', signature }]);
    expect(parts([call, carrier], 'assistant')).toEqual([
      { kind: 'tool-call', id: 'i', name: 't', arguments: '' },
      { kind: 'text', text: '', signature },
    ]);
  });

  test('a carried signature that a client merged into a thought returns to its part', () => {
    const merged = { type: 'thinking', thinking: 'Hm.', signature: 'google#c.AbC=' };
    const signature = { origin: 'google', value: 'AbC=' };
    const thought = { kind: 'thinking', text: 'Hm.' };
    const call = { type: 'tool_use', id: 'i', name: 't', input: {} };
    const called = { kind: 'tool-call', id: 'i', name: 't', arguments: '' };
    expect(parts([merged, call], 'assistant')).toEqual([thought, { ...called, signature }]);
    const text = { type: 'text', text: 'Ah.' };
    const behind = { ...merged, signature: 'google#p.AbC=' };
    const said = { kind: 'text', text: 'Ah.' };
    expect(parts([text, behind, call], 'assistant')).toEqual([{ ...said, signature }, thought, called]);
    const own = { ...merged, signature: 'google#AbC=' };
    expect(parts([own, call], 'assistant')).toEqual([{ ...thought, signature }, called]);
  });

  test('images and documents of each kind of source', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBO' };
    expect(parts([{ type: 'image', source }])).toEqual([
      { kind: 'media', media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'iVBO' } },
    ]);
    expect(parts([{ type: 'image', source: { type: 'url', url: 'https://a.example/b' } }])).toEqual([
      { kind: 'media', media: 'image', source: { kind: 'url', url: 'https://a.example/b' } },
    ]);
    expect(parts([{ type: 'document', title: 'D', source: { type: 'file', file_id: 'file_1' } }])).toEqual([
      {
        kind: 'media',
        media: 'document',
        name: 'D',
        source: { kind: 'file', id: 'file_1', format: 'messages' },
      },
    ]);
    expect(
      parts([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }]),
    ).toEqual([
      { kind: 'media', media: 'document', mediaType: 'text/plain', source: { kind: 'text', text: 'x' } },
    ]);
  });

  test('a search result becomes a text for other vendors', () => {
    const notes: Note[] = [];
    const block = {
      type: 'search_result',
      source: 'https://a.example',
      title: 'T',
      content: [{ type: 'text', text: 'x' }],
    };
    const prompt = parseRequest(
      { ...BASE, messages: [{ role: 'user', content: [block] }] },
      reportInto(notes),
    );
    expect(prompt.turns[0]?.parts).toMatchObject([{ kind: 'text', text: 'T\nhttps://a.example\nx' }]);
    expect(notes).toMatchObject([{ field: 'messages[].content', outcome: 'approximated' }]);
  });

  test('blocks that only Anthropic can read are kept whole', () => {
    const block = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } };
    expect(parts([block], 'assistant')).toEqual([{ kind: 'opaque', format: 'messages', value: block }]);
  });

  test('an unknown block of a user is refused, as by Anthropic', () => {
    const block = { type: 'input_text', text: 'x' };
    expect(() => parts([block])).toThrow("messages.0.content: Input tag 'input_text' found using 'type'");
    // This one cannot be written as a text.
    expect(() => parts([{ type: { toString: 1, valueOf: null } }])).toThrow("Input tag 'object' found");
    // In an assistant's answer, it may be a block of a newer type.
    expect(parts([block], 'assistant')).toEqual([{ kind: 'opaque', format: 'messages', value: block }]);
  });

  test.each<[JsonObject, string]>([
    [{ type: 'image' }, 'image.source: Field required'],
    [{ type: 'image', source: { type: 's3' } }, "image.source: Input tag 's3' found"],
    [{ type: 'document', source: {} }, "document.source: Input tag '' found"],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }, 'base64.data: Field required'],
    [{ type: 'image', source: { type: 'base64', data: '' } }, 'base64.data: String should have at least 1'],
    [{ type: 'image', source: { type: 'url' } }, 'image.source.url.url: Field required'],
    [{ type: 'image', source: { type: 'url', url: 1 } }, 'url.url: Input should be a valid string'],
    [{ type: 'document', source: { type: 'file' } }, 'document.source.file.file_id: Field required'],
    [{ type: 'document', source: { type: 'text' } }, 'document.source.text.data: Field required'],
    [
      {
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: { type: 'url' } }] },
      },
      'document.source.content.0.image.source.url.url: Field required',
    ],
    [{ type: 'resource', resource: { text: 'x' } }, "content.0: Input tag 'resource' found"],
  ])('an unknown block in the result of a tool is refused: %j', (block, said) => {
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [block] };
    expect(() => parts([result])).toThrow(said);
    if (block['type'] !== 'resource') expect(() => parts([block])).toThrow(said);
    expect(() => parts([{ ...result, content: [{ type: 'browser_state' }] }])).not.toThrow();
  });

  test.each(['web_search_tool_result', 'mcp_tool_result', 'tool_removal', 'server_tool_use'])(
    'a block of Anthropic’s own features may occur in a user’s turn: %s',
    (type) => expect(() => parts([{ type }])).not.toThrow(),
  );
});

describe('tools', () => {
  test('tools of the caller become functions, those of Anthropic hosted tools', () => {
    const search = { type: 'web_search_20260318', name: 'web_search' };
    const fetch = { type: 'web_fetch_20250910', name: 'web_fetch' };
    const own = {
      name: 't',
      description: 'd',
      strict: true,
      input_schema: { type: 'object' },
      eager_input_streaming: true,
      x: 1,
    };
    expect(parse({ tools: [search, fetch, own] }).tools).toEqual([
      { kind: 'hosted', format: 'messages', value: search, webSearch: true },
      { kind: 'hosted', format: 'messages', value: fetch },
      {
        kind: 'function',
        name: 't',
        description: 'd',
        strict: true,
        parameters: { type: 'object' },
        formatSpecific: { format: 'messages', fields: { eager_input_streaming: true } },
        unknownFields: { x: 1 },
      },
    ]);
  });
});
