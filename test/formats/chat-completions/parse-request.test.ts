/** What a caller's body means, and how an invalid one is refused. */

import { describe, expect, test } from 'vitest';
import type { FormatSpecific, Prompt } from '../../../src/conversation/prompt.ts';
import { parseRequest } from '../../../src/formats/chat-completions/inbound/parse-request.ts';
import { unreported } from '../../../src/formats/format.ts';
import { type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';
import { objectOf } from './requests.ts';

const USER = { role: 'user', content: 'Hello' };

const parse = (body: JsonObject): Prompt =>
  parseRequest({ model: 'm', messages: [USER], ...body }, unreported);

const own = (fields: JsonObject): FormatSpecific => ({ format: 'chat-completions', fields });

const refusal = (body: Json) => gatewayErrorOf(() => parseRequest(objectOf(body), unreported));

describe('refused', () => {
  const messages = [USER];
  const call = (fields: JsonObject) => ({
    model: 'm',
    messages: [{ role: 'assistant', tool_calls: [fields] }],
  });
  const tool = (fields: JsonObject) => ({ model: 'm', messages, tools: [fields] });
  const content = (part: Json) => ({ model: 'm', messages: [{ role: 'user', content: [part] }] });

  test.each<[string, JsonObject, string, RegExp]>([
    ['no model', { messages }, 'model', /^you must provide a model parameter$/],
    ['an empty model', { model: '', messages }, 'model', /model parameter/],
    ['no messages', { model: 'm' }, 'messages', /^Missing required parameter: 'messages'\.$/],
    ['null messages', { model: 'm', messages: null }, 'messages', /Missing required/],
    [
      'messages that are none',
      { model: 'm', messages: 'Hi' },
      'messages',
      /expected an array of objects, but got a string instead/,
    ],
    [
      'no message',
      { model: 'm', messages: [] },
      'messages',
      /^Invalid 'messages': empty array\. Expected an array with minimum length 1/,
    ],
    [
      'a message that is none',
      { model: 'm', messages: ['Hi'] },
      'messages[0]',
      /expected an object, but got a string/,
    ],
    ['no role', { model: 'm', messages: [{ content: 'a' }] }, 'messages[0].role', /Missing required/],
    [
      'an unknown role',
      { model: 'm', messages: [{ role: 'tom', content: 'a' }] },
      'messages[0].role',
      /^Invalid value: 'tom'\. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'\.$/,
    ],
    ['no content', { model: 'm', messages: [{ role: 'user' }] }, 'messages[0].content', /Missing required/],
    [
      'null content',
      { model: 'm', messages: [{ role: 'user', content: null }] },
      'messages[0].content',
      /expected a string, got null/,
    ],
    [
      'content of a wrong type',
      { model: 'm', messages: [{ role: 'user', content: 5 }] },
      'messages[0].content',
      /string or array of objects, but got an integer/,
    ],
    [
      'a choice that nobody knows',
      { model: 'm', messages, tool_choice: 'sometimes' },
      'tool_choice',
      /^Invalid value: 'sometimes'\. Supported values are: 'none', 'auto', and 'required'\.$/,
    ],
    [
      'an old one',
      { model: 'm', messages, function_call: 'maybe' },
      'function_call',
      /^Invalid value: 'maybe'/,
    ],
    [
      'a choice that is none',
      { model: 'm', messages, tool_choice: true },
      'tool_choice',
      /string or an object/,
    ],
    [
      'a choice of no function',
      { model: 'm', messages, tool_choice: { type: 'function' } },
      'tool_choice.function',
      /Missing required/,
    ],
    ['a part that is none', content(5), 'messages[0].content[0]', /expected an object, but got an integer/],
    ['a part without type', content({ text: 'a' }), 'messages[0].content[0].type', /Missing required/],
    ['a text without text', content({ type: 'text' }), 'messages[0].content[0].text', /Missing required/],
    [
      'an image without URL',
      content({ type: 'image_url', image_url: {} }),
      'messages[0].content[0].image_url.url',
      /Missing required/,
    ],
    [
      'a file of nothing',
      content({ type: 'file', file: {} }),
      'messages[0].content[0].file.file_data',
      /Missing required/,
    ],
    [
      'audio of nothing',
      content({ type: 'input_audio' }),
      'messages[0].content[0].input_audio.data',
      /Missing required/,
    ],
    [
      'a call of nothing',
      call({ id: 'a', type: 'function' }),
      'messages[0].tool_calls[0].function',
      /Missing required/,
    ],
    [
      'a call without name',
      call({ id: 'a', function: {} }),
      'messages[0].tool_calls[0].function.name',
      /Missing required/,
    ],
    [
      'a custom call without name',
      call({ id: 'a', type: 'custom' }),
      'messages[0].tool_calls[0].custom.name',
      /Missing required/,
    ],
    [
      'a custom call without input',
      call({ id: 'a', type: 'custom', custom: { name: 'f' } }),
      'messages[0].tool_calls[0].custom.input',
      /Missing required/,
    ],
    [
      'a custom call whose input is no text',
      call({ id: 'a', type: 'custom', custom: { name: 'f', input: { a: 1 } } }),
      'messages[0].tool_calls[0].custom.input',
      /expected a string, but got an object/,
    ],
    [
      'a result without id',
      { model: 'm', messages: [{ role: 'tool', content: 'a' }] },
      'messages[0].tool_call_id',
      /Missing required/,
    ],
    [
      'an old result without name',
      { model: 'm', messages: [{ role: 'function', content: 'a' }] },
      'messages[0].name',
      /Missing required/,
    ],
    ['a tool without type', tool({}), 'tools[0].type', /Missing required/],
    ['a function of nothing', tool({ type: 'function' }), 'tools[0].function', /Missing required/],
    [
      'a function without name',
      tool({ type: 'function', function: {} }),
      'tools[0].function.name',
      /Missing required/,
    ],
    [
      'parameters as text',
      tool({ type: 'function', function: { name: 'f', parameters: '{}' } }),
      'tools[0].function.parameters',
      /expected an object, but got a string/,
    ],
    [
      'a description that is none',
      tool({ type: 'custom', custom: { name: 'f', description: {} } }),
      'tools[0].custom.description',
      /expected a string, but got an object/,
    ],
    [
      'strict as text',
      { model: 'm', messages, functions: [{ name: 'f', strict: 'yes' }] },
      'functions[0].strict',
      /expected a boolean/,
    ],
    [
      'an old function without name',
      { model: 'm', messages, functions: [{}] },
      'functions[0].name',
      /Missing required/,
    ],
    [
      'tools that are none',
      { model: 'm', messages, tools: {} },
      'tools',
      /an array of objects, but got an object/,
    ],
    [
      'a schema of nothing',
      { model: 'm', messages, response_format: { type: 'json_schema' } },
      'response_format.json_schema',
      /Missing required/,
    ],
    [
      'a schema as text',
      {
        model: 'm',
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: '{}' } },
      },
      'response_format.json_schema.schema',
      /expected an object, but got a string/,
    ],
    [
      'max_tokens as text',
      { model: 'm', messages, max_tokens: '5' },
      'max_tokens',
      /expected an integer, but got a string/,
    ],
    [
      'half a token',
      { model: 'm', messages, max_completion_tokens: 0.5 },
      'max_completion_tokens',
      /expected an integer, but got a decimal/,
    ],
    [
      'temperature as text',
      { model: 'm', messages, temperature: '1' },
      'temperature',
      /expected a decimal, but got a string/,
    ],
    ['stop as number', { model: 'm', messages, stop: 1 }, 'stop', /string or array of strings/],
    ['a stop that is none', { model: 'm', messages, stop: ['a', 1] }, 'stop[1]', /expected a string/],
    ['stream as text', { model: 'm', messages, stream: 'yes' }, 'stream', /expected a boolean/],
    [
      'reasoning_effort as number',
      { model: 'm', messages, reasoning_effort: 3 },
      'reasoning_effort',
      /expected a string/,
    ],
    [
      'stream_options as text',
      { model: 'm', messages, stream_options: 'x' },
      'stream_options',
      /expected an object/,
    ],
  ])('%s', (_, body, param, message) => {
    expect(refusal(body)).toMatchObject({
      fault: 'invalid-request',
      status: 400,
      param,
      message: expect.stringMatching(message),
    });
  });

  test('a role of any length or type is not repeated in full', () => {
    const role = 'x'.repeat(5000);
    expect(refusal({ model: 'm', messages: [{ role }] }).message.length).toBeLessThan(200);
    expect(refusal({ model: 'm', messages: [{ role: { a: 1 } }] }).message).toContain("'object'");
  });
});

describe('settings', () => {
  test.each<[JsonObject, Partial<Prompt>]>([
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 9 }, { maxTokens: 9 }],
    [
      { max_tokens: null, temperature: null, tools: null, stop: null, user: null, stream: null },
      { stream: false },
    ],
    [{ stop: 'a' }, { stop: ['a'] }],
    [
      { n: 2, top_k: 5, seed: 1 },
      { choices: 2, topK: 5, seed: 1 },
    ],
    [{ random_seed: 3 }, { seed: 3 }],
    [{ safety_identifier: 'u' }, { user: 'u', formatSpecific: own({ safety_identifier: 'u' }) }],
    [{ safety_identifier: 'u', user: 'v' }, { user: 'v' }],
    [
      { stream: true, stream_options: { include_usage: true } },
      { stream: true, includeUsage: true },
    ],
    [{ response_format: { type: 'text' } }, { output: { kind: 'text' } }],
    [{ response_format: { type: 'json_object' } }, { output: { kind: 'json' } }],
    ...['json_object', 'json_schema'].map((type): [JsonObject, Partial<Prompt>] => [
      { response_format: { type, schema: { type: 'object' } } },
      { output: { kind: 'json-schema', schema: { type: 'object' } } },
    ]),
    [
      { response_format: { type: 'grammar', x: 1 } },
      { formatSpecific: own({ response_format: { type: 'grammar', x: 1 } }) },
    ],
    [{ logit_bias: { '5': 1 } }, { formatSpecific: own({ logit_bias: { '5': 1 } }) }],
    [{ cache_control: { type: 'ephemeral', ttl: '1h' } }, { cacheBreakpoint: { ttl: '1h' } }],
    [{ nope: 1 }, { unknownFields: { nope: 1 } }],
  ])('%j', (body, expected) => {
    expect(parse(body)).toMatchObject(expected);
  });

  test('absent fields are absent from the prompt', () => {
    expect(parse({ tools: [], stop: [], functions: [], metadata: null, nope: null })).toEqual({
      model: 'm',
      turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }],
      stream: false,
      formatSpecific: own({}),
    });
  });
});

describe('thinking', () => {
  const googles = (thinking_config: JsonObject): JsonObject => ({
    extra_body: { google: { thinking_config } },
  });

  test.each<[JsonObject, Prompt['thinking']]>([
    [{ reasoning_effort: 'high' }, { effort: 'high' }],
    [{ reasoning_effort: 'HIGH' }, { effort: 'high' }],
    [{ reasoning_effort: 'none' }, { effort: 'none' }],
    [{ reasoning: { effort: 'low', exclude: true } }, { effort: 'low', visible: false }],
    [{ reasoning: { max_tokens: 3000 } }, { budget: 3000 }],
    [{ reasoning: { enabled: true } }, { adaptive: true }],
    [{ reasoning: { enabled: false } }, { effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, { budget: 2048 }],
    [{ thinking: { type: 'enabled' } }, { adaptive: true }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ enable_thinking: true, thinking_budget: 500 }, { budget: 500 }],
    [{ enable_thinking: false }, { effort: 'none' }],
    [googles({ thinking_level: 'HIGH', include_thoughts: true }), { effort: 'high', visible: true }],
    [googles({ thinking_budget: 800 }), { budget: 800 }],
    [googles({ thinking_budget: 0 }), { budget: 0 }],
    [googles({ thinking_budget: -1, include_thoughts: false }), { adaptive: true, visible: false }],
    [
      { reasoning_effort: 'low', ...googles({ include_thoughts: true }) },
      { effort: 'low', visible: true },
    ],
    [{}, undefined],
  ])('%j', (body, expected) => {
    expect(parse(body).thinking).toEqual(expected);
  });

  test.each<[JsonObject, JsonObject | undefined]>([
    [{ thinking_config: { thinking_budget: 800 } }, undefined],
    [{ thinking_config: { thinking_budget: 800, x: 1 } }, { google: { thinking_config: { x: 1 } } }],
    [{ thinking_config: { thinking_budget: 800 }, y: 1 }, { google: { y: 1 } }],
    [{ cached_content: 1 }, { google: { cached_content: 1 } }],
    [{ cached_content: 'cachedContents/1' }, undefined],
  ])('of what stands beside it in extra_body, %j, the vendor is to judge', (google, left) => {
    expect(parse({ extra_body: { google } }).unknownFields).toEqual(left && { extra_body: left });
  });

  test("Vertex AI's safety settings pass on under the name that they have in Gemini's own requests", () => {
    const safety_settings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    const { thinking, unknownFields } = parse({
      extra_body: { google: { safety_settings, thinking_config: { thinking_budget: 800 } } },
    });
    expect(thinking).toEqual({ budget: 800 });
    expect(unknownFields).toEqual({ safety_settings });
    expect(parse({ extra_body: { google: { safety_settings, y: 1 } } }).unknownFields).toEqual({
      safety_settings,
      extra_body: { google: { y: 1 } },
    });
  });

  test('an unknown effort passes on for the vendor to refuse', () => {
    const { thinking, formatSpecific: kept } = parse({ reasoning_effort: 'ultra' });
    expect(thinking).toBeUndefined();
    expect(kept).toEqual(own({ reasoning_effort: 'ultra' }));
  });
});

describe('tools', () => {
  test.each<[Json, Prompt['toolChoice']]>([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    ['any', { mode: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { mode: 'required', allowed: ['f'] },
    ],
    [
      { type: 'custom', custom: { name: 'c' } },
      { mode: 'required', allowed: ['c'] },
    ],
    [{ name: 'f' }, { mode: 'required', allowed: ['f'] }],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      { mode: 'auto', allowed: ['f'] },
    ],
    [{ type: 'openrouter:web_search' }, undefined],
  ])('choice %j', (choice, expected) => {
    expect(parse({ tool_choice: choice }).toolChoice).toEqual(expected);
  });

  test('current and older functions', () => {
    const fn = { name: 'f', description: 'd', parameters: { type: 'object' } };
    const expected = { kind: 'function', name: 'f', description: 'd', parameters: { type: 'object' } };
    expect(parse({ functions: [fn] }).tools).toEqual([expected]);
    expect(parse({ tools: [{ type: 'function', function: { ...fn, strict: true } }] }).tools).toEqual([
      { ...expected, strict: true },
    ]);
    expect(parse({ tools: [{ function: fn }] }).tools).toEqual([expected]);
  });

  test('custom tools', () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' };
    const custom = { name: 'c', description: 'd', format: { type: 'grammar', grammar } };
    expect(parse({ tools: [{ type: 'custom', custom }] }).tools).toEqual([{ kind: 'custom', ...custom }]);
    expect(parse({ tools: [{ type: 'custom', custom: { name: 'c' } }] }).tools).toEqual([
      { kind: 'custom', name: 'c' },
    ]);
  });

  test("a vendor's hosted tools, and the search at the top of the body", () => {
    expect(parse({ tools: [{ type: 'browser' }], web_search_options: {} }).tools).toEqual([
      { kind: 'hosted', format: 'chat-completions', value: { type: 'browser' }, webSearch: false },
      {
        kind: 'hosted',
        format: 'chat-completions',
        value: { type: 'web_search_options', web_search_options: {} },
        webSearch: true,
      },
    ]);
  });
});

describe('messages', () => {
  const turns = (...messages: Json[]) => parseRequest({ model: 'm', messages }, unreported).turns;
  const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
  const text = (words: string) => ({ kind: 'text', text: words });

  test('null, an empty text and an empty list give no text', () => {
    const calls = [call('a', 'f')];
    const expected = [{ kind: 'tool-call', id: 'a', name: 'f', arguments: '{}' }];
    for (const content of [null, '', [], [{ type: 'text', text: '' }]]) {
      expect(turns({ role: 'assistant', content, tool_calls: calls })[0]?.parts).toEqual(expected);
    }
    expect(turns({ role: 'assistant', tool_calls: calls })[0]?.parts).toEqual(expected);
  });

  test('consecutive results are one turn, and get the names of their calls', () => {
    expect(
      turns(
        { role: 'assistant', tool_calls: [call('a', 'f'), call('b', 'g')] },
        { role: 'tool', tool_call_id: 'b', content: 'B' },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A' }] },
        USER,
      ).slice(1),
    ).toEqual([
      {
        role: 'user',
        parts: [
          { kind: 'tool-result', id: 'b', name: 'g', content: [text('B')] },
          { kind: 'tool-result', id: 'a', name: 'f', content: [text('A')] },
        ],
      },
      { role: 'user', parts: [text('Hello')] },
    ]);
  });

  test('custom calls, their results, and a refusal', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'sql', input: 'select 1' } };
    expect(
      turns(
        { role: 'assistant', content: null, refusal: 'No.', tool_calls: [custom] },
        { role: 'tool', tool_call_id: 'a', content: 'A' },
      ).map(({ parts }) => parts),
    ).toEqual([
      [
        { kind: 'refusal', text: 'No.' },
        { kind: 'tool-call', id: 'a', name: 'sql', arguments: 'select 1', custom: true },
      ],
      [{ kind: 'tool-result', id: 'a', name: 'sql', content: [text('A')], custom: true }],
    ]);
  });

  test('calls without ids get ids, and their results find them in order', () => {
    const bare = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const read = turns(
      { role: 'assistant', tool_calls: [{ ...bare, id: '' }, bare] },
      { role: 'tool', tool_call_id: '', content: '1' },
      { role: 'tool', tool_call_id: '', name: 'f', content: '2' },
    );
    expect(read[0]?.parts).toMatchObject([{ id: 'call_0_0' }, { id: 'call_0_1' }]);
    expect(read[1]?.parts).toMatchObject([{ id: 'call_0_0' }, { id: 'call_0_1' }]);
  });

  test('a repeated id belongs to the next call', () => {
    const read = turns(
      { role: 'assistant', tool_calls: [call('a', 'f'), call('a', 'g')] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'a', content: '2' },
      { role: 'tool', tool_call_id: 'a', content: '3' },
    );
    expect(read[1]?.parts).toMatchObject([{ name: 'f' }, { name: 'g' }, { id: 'a' }]);
    expect(read[1]?.parts[2]).not.toHaveProperty('name');
  });

  test('function messages', () => {
    const read = turns(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'A' },
    );
    expect(read).toEqual([
      { role: 'assistant', parts: [{ kind: 'tool-call', id: 'call_0_0', name: 'f', arguments: '{"a":1}' }] },
      { role: 'user', parts: [{ kind: 'tool-result', id: 'call_0_0', name: 'f', content: [text('A')] }] },
    ]);
  });

  test('a developer message is a system turn marked as such', () => {
    expect(turns({ role: 'developer', content: 'a' }, USER)[0]).toEqual({
      role: 'system',
      parts: [text('a')],
      developer: true,
    });
  });

  // Envoy AI Gateway, ChatCompletionAssistantMessageParamContent.
  test('thoughts in the content may be written as Envoy AI Gateway does', () => {
    const content = [
      { type: 'thinking', text: 'a', signature: 'S' },
      { type: 'redacted_thinking', redactedContent: 'D' },
      { type: 'text', text: 'b' },
    ];
    expect(turns({ role: 'assistant', content })[0]?.parts).toEqual([
      { kind: 'thinking', text: 'a', signature: { origin: 'anthropic', value: 'S' } },
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'D' } },
      text('b'),
    ]);
  });

  const thought = (fields: JsonObject) =>
    turns({ role: 'assistant', content: 'Hi', ...fields })[0]?.parts.slice(0, -1);

  test.each<[string, JsonObject, JsonObject[]]>([
    ['plain text', { reasoning_content: 'a' }, [{ kind: 'thinking', text: 'a' }]],
    ['plain text, elsewhere', { reasoning: 'a' }, [{ kind: 'thinking', text: 'a' }]],
    [
      "LiteLLM's blocks win over all",
      {
        reasoning_content: 'a',
        reasoning_details: [{ type: 'reasoning.text', text: 'b' }],
        thinking_blocks: [{ type: 'thinking', thinking: 'c', signature: 'S' }],
      },
      [{ kind: 'thinking', text: 'c', signature: { origin: 'anthropic', value: 'S' } }],
    ],
    [
      'several blocks, each with its own',
      {
        thinking_blocks: [
          { type: 'thinking', thinking: 'a', signature: 'S' },
          { type: 'redacted_thinking', data: 'D' },
          { type: 'thinking', thinking: '', signature: 'openai#E' },
        ],
      },
      [
        { kind: 'thinking', text: 'a', signature: { origin: 'anthropic', value: 'S' } },
        { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'D' } },
        { kind: 'thinking', text: '', signature: { origin: 'openai', value: 'E' } },
      ],
    ],
    [
      "OpenRouter's details win over text",
      {
        reasoning: 'a',
        reasoning_details: [
          { type: 'reasoning.summary', summary: 's', format: 'openai-responses-v1' },
          { type: 'reasoning.encrypted', data: 'E', format: 'openai-responses-v1' },
        ],
      },
      [{ kind: 'thinking', text: 's', signature: { origin: 'openai', value: 'E' } }],
    ],
    [
      'a proof of thoughts that are not shown',
      { reasoning_details: [{ type: 'reasoning.text', signature: 'S', format: 'anthropic-claude-v1' }] },
      [{ kind: 'thinking', text: '', signature: { origin: 'anthropic', value: 'S' } }],
    ],
    [
      "OpenAI's thoughts, one without a summary",
      {
        reasoning_details: [
          { type: 'reasoning.encrypted', data: 'E', format: 'openai-responses-v1' },
          { type: 'reasoning.encrypted', data: 'F', format: 'azure-openai-responses-v1' },
        ],
      },
      [
        { kind: 'thinking', text: '', signature: { origin: 'openai', value: 'E' } },
        { kind: 'thinking', text: '', signature: { origin: 'openai', value: 'F' } },
      ],
    ],
    [
      "OpenRouter's details of Claude's thoughts, one of them for Claude alone",
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'a', signature: 'S', format: 'anthropic-claude-v1' },
          { type: 'reasoning.encrypted', data: 'D', format: 'anthropic-claude-v1' },
        ],
      },
      [
        { kind: 'thinking', text: 'a', signature: { origin: 'anthropic', value: 'S' } },
        { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'D' } },
      ],
    ],
  ])('thoughts: %s', (_, fields, expected) => {
    expect(thought(fields)).toEqual(expected);
  });

  test("Google's signatures, on a call and elsewhere in the message", () => {
    const signed = { ...call('a', 'f'), extra_content: { google: { thought_signature: 'G' } } };
    const signature = { origin: 'google', value: 'G' };
    expect(turns({ role: 'assistant', tool_calls: [signed, call('b', 'g')] })[0]?.parts).toMatchObject([
      { id: 'a', signature },
      { id: 'b' },
    ]);
    const details = [{ type: 'reasoning.encrypted', data: 'G', id: 'b', format: 'google-gemini-v1' }];
    const apart = turns({
      role: 'assistant',
      tool_calls: [call('a', 'f'), call('b', 'g')],
      reasoning_details: details,
    });
    expect(apart[0]?.parts).toMatchObject([{ id: 'a' }, { id: 'b', signature }]);
    expect(apart[0]?.parts[0]).not.toHaveProperty('signature');
    expect(
      turns({ role: 'assistant', content: '', extra_content: { google: { thought_signature: 'G' } } })[0]
        ?.parts,
    ).toEqual([{ kind: 'text', text: '', signature }]);
  });

  test('fields of the message on a part that a client made of the content', () => {
    const google = (signature: string) => ({ google: { thought_signature: signature } });
    const signed = { ...call('a', 'f'), extra_content: google('G') };
    const said = {
      reasoning_content: 'Hm.',
      extra_content: google('T'),
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }],
    };
    const plain = { role: 'assistant', content: 'Hi', ...said, tool_calls: [signed] };
    const [turn] = turns(plain);
    expect(turn?.parts).toMatchObject([
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'Hi', signature: { value: 'T' }, citations: [{ title: 'A' }] },
      { id: 'a', signature: { value: 'G' } },
    ]);
    const part = {
      type: 'text',
      text: 'Hi',
      role: 'assistant',
      refusal: null,
      ...said,
      tool_calls: [signed],
    };
    const pieces = { role: 'assistant', content: [part], tool_calls: [signed], extra_content: google('G') };
    expect(turns(pieces)).toEqual([turn]);
    expect(turns({ ...pieces, content: null })[0]?.parts).toMatchObject([{ id: 'a' }]);
    const refusal = { type: 'refusal', refusal: 'No.', role: 'assistant', content: null };
    expect(turns({ role: 'assistant', content: [refusal] })[0]?.parts).toEqual([
      { kind: 'refusal', text: 'No.' },
    ]);
  });

  test.each<[JsonObject, JsonObject]>([
    [
      { type: 'image_url', image_url: 'https://a.example/b.png' },
      { media: 'image', source: { kind: 'url', url: 'https://a.example/b.png' } },
    ],
    [
      { type: 'image_url', image_url: { url: 'data:image/png;charset=x;base64,AA==', detail: 'high' } },
      { media: 'image', mediaType: 'image/png', detail: 'high', source: { kind: 'base64', data: 'AA==' } },
    ],
    [
      { type: 'image_url', image_url: { url: 'gs://bucket/a', format: 'image/webp' } },
      { media: 'image', mediaType: 'image/webp', source: { kind: 'url', url: 'gs://bucket/a' } },
    ],
    [
      { type: 'image_url', image_url: { url: 'gs://bucket/a', format: 'video/mp4' } },
      { media: 'video', mediaType: 'video/mp4', source: { kind: 'url', url: 'gs://bucket/a' } },
    ],
    [
      { type: 'image_url', image_url: 'https://a.example/b.pdf?c=1' },
      {
        media: 'document',
        mediaType: 'application/pdf',
        source: { kind: 'url', url: 'https://a.example/b.pdf?c=1' },
      },
    ],
    [
      { type: 'image_url', image_url: { url: 'data:image/svg+xml,<svg/>' } },
      { media: 'image', mediaType: 'image/svg+xml', source: { kind: 'base64', data: 'PHN2Zy8+' } },
    ],
    [
      { type: 'file', file: { file_id: 'file-1' } },
      { media: 'document', source: { kind: 'file', id: 'file-1', format: 'chat-completions' } },
    ],
    [
      { type: 'file', file: { file_data: 'JVBERi0=', filename: 'a.pdf' } },
      {
        media: 'document',
        mediaType: 'application/pdf',
        name: 'a.pdf',
        source: { kind: 'base64', data: 'JVBERi0=' },
      },
    ],
    [
      { type: 'file', file: { file_data: 'https://a.example/b.pdf', filename: 'b.pdf' } },
      { media: 'document', name: 'b.pdf', source: { kind: 'url', url: 'https://a.example/b.pdf' } },
    ],
    [
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { media: 'audio', mediaType: 'audio/mp3', source: { kind: 'base64', data: 'AA==' } },
    ],
    [
      { type: 'document_url', document_url: 'https://a.example/b.pdf' },
      { media: 'document', source: { kind: 'url', url: 'https://a.example/b.pdf' } },
    ],
    [
      { type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } },
      { media: 'video', source: { kind: 'url', url: 'https://a.example/b.mp4' } },
    ],
  ])('part %j', (part, expected) => {
    expect(turns({ role: 'user', content: [part] })[0]?.parts[0]).toMatchObject({
      kind: 'media',
      ...expected,
    });
  });

  test('annotations count over the whole message, citations over their part', () => {
    const url_citation = { start_index: 7, end_index: 10, title: 'T', url: 'https://a.example' };
    const annotation = { type: 'url_citation', url_citation };
    const content = ['Hello ', 'World'].map((words) => ({ type: 'text', text: words }));
    expect(turns({ role: 'assistant', content, annotations: [annotation] })[0]?.parts).toEqual([
      text('Hello '),
      {
        ...text('World'),
        citations: [
          { url: 'https://a.example', title: 'T', start: 1, end: 4, formatSpecific: own(annotation) },
        ],
      },
    ]);
  });

  test('a part of an unknown type is kept in an assistant message, and otherwise refused as OpenAI does', () => {
    const part = { type: 'hologram', size: 3 };
    expect(turns({ role: 'assistant', content: [part] })[0]?.parts).toEqual([
      { kind: 'opaque', format: 'chat-completions', value: part },
    ]);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    for (const role of ['user', 'system', 'tool']) {
      const message = { role, tool_call_id: 'c', content: [{ type: 'text', text: 'Look' }, image] };
      expect(() => turns(message)).toThrow(
        expect.objectContaining({
          status: 400,
          param: 'messages[0].content[1].type',
          message: expect.stringContaining("Invalid value: 'image'"),
        }),
      );
    }
  });

  test('cache breakpoints on a part and on a message, in both spellings', () => {
    const marked = turns(
      {
        role: 'user',
        content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      { role: 'user', content: 'b', cache_control: { type: 'ephemeral' } },
      { role: 'user', content: [{ type: 'text', text: 'c', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    );
    expect(marked.map((turn) => turn.parts[0]?.cacheBreakpoint)).toEqual([{ ttl: '1h' }, {}, {}]);
  });

  test('long numbers in arguments keep their digits', () => {
    const json = '{"order":12345678901234567890}';
    const body = parseJson(
      JSON.stringify({
        model: 'm',
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: json } }] },
        ],
      }),
    );
    expect(parseRequest(objectOf(body), unreported).turns[0]?.parts).toMatchObject([{ arguments: json }]);
  });
});
