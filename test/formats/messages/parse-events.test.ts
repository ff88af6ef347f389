import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import { safeName } from '../../../src/formats/messages/outbound/tool-names.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';
import { block, PROMPT, parsed, parsedWhole, stream } from './answers.ts';

const partsOf = (blocks: readonly JsonObject[], prompt?: PromptOutline) =>
  collect(parsed(stream(blocks), prompt)).choices[0]?.parts;

const endOf = (delta: JsonObject, blocks: readonly JsonObject[] = []) =>
  collect(parsed(stream(blocks, delta))).choices[0]?.end;

const usageOf = (first: JsonObject, last: JsonObject) => {
  const events = stream([], {}, first).map((event) =>
    event['type'] === 'message_delta' ? { ...event, usage: last } : event,
  );
  return collect(parsed(events)).usage;
};

const CALL = block(
  0,
  { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
  { type: 'input_json_delta', partial_json: '' },
  { type: 'input_json_delta', partial_json: '{"at":' },
  { type: 'input_json_delta', partial_json: '12345678901234567890}' },
);

describe('blocks', () => {
  test('each event of a text', () => {
    const blocks = block(
      0,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Hel' },
      { type: 'text_delta', text: '' },
      { type: 'text_delta', text: 'lo' },
    );
    expect(parsed([...stream(blocks).slice(0, 2), { type: 'ping' }, ...stream(blocks).slice(2)])).toEqual([
      { type: 'reply-start', id: 'msg_1', model: 'claude' },
      { type: 'part-start', choice: 0, index: 0, part: { kind: 'text' } },
      { type: 'part-delta', choice: 0, index: 0, text: 'Hel' },
      { type: 'part-delta', choice: 0, index: 0, text: 'lo' },
      { type: 'part-end', choice: 0, index: 0 },
      { type: 'choice-end', choice: 0, finish: 'stop' },
      { type: 'reply-end' },
    ]);
  });

  test('thinking with a signature, without one, and a signature without text', () => {
    expect(
      partsOf([
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'So' },
          { type: 'signature_delta', signature: 'Eq+/=' },
        ),
        ...block(1, { type: 'thinking', thinking: 'Well', signature: '' }),
        ...block(
          2,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'signature_delta', signature: 'EoX' },
        ),
        ...block(3, { type: 'redacted_thinking', data: 'Er==' }),
      ]),
    ).toEqual([
      { kind: 'thinking', text: 'So', signature: { origin: 'anthropic', value: 'Eq+/=' } },
      { kind: 'thinking', text: 'Well' },
      { kind: 'thinking', text: '', signature: { origin: 'anthropic', value: 'EoX' } },
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'Er==' } },
    ]);
  });

  test('a call keeps every digit of its numbers', () => {
    expect(partsOf(CALL)).toEqual([
      { kind: 'tool-call', id: 'toolu_1', name: 'look', arguments: '{"at":12345678901234567890}' },
    ]);
  });

  test('a call with all arguments in its start, and a call without arguments', () => {
    const start = { type: 'tool_use', id: 'toolu_1', name: 'look' };
    expect(partsOf(block(0, { ...start, input: { a: [1] } }))).toMatchObject([{ arguments: '{"a":[1]}' }]);
    expect(
      partsOf(block(0, { ...start, input: {} }, { type: 'input_json_delta', partial_json: '' })),
    ).toMatchObject([{ arguments: '{}' }]);
    const call = '{"type":"tool_use","id":"a","name":"b","input":{"n":12345678901234567890}}';
    const body = `{"type":"message","role":"assistant","content":[${call}],"stop_reason":"tool_use"}`;
    expect(collect(parsedWhole(body)).choices[0]?.parts).toMatchObject([
      { arguments: '{"n":12345678901234567890}' },
    ]);
  });

  test('blocks of tools that the vendor runs are opaque and complete', () => {
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ url: 'https://a.b' }],
    };
    expect(
      partsOf([
        ...block(
          0,
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '{"query":' },
          { type: 'input_json_delta', partial_json: '"x"}' },
        ),
        ...block(1, result),
        ...block(2, { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'n', server_name: 's', input: { a: 1 } }),
        ...block(
          3,
          { type: 'compaction', content: null },
          { type: 'compaction_delta', content: 'Earlier: ' },
          { type: 'compaction_delta', content: 'hello.' },
        ),
      ]),
    ).toEqual(
      [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        result,
        { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'n', server_name: 's', input: { a: 1 } },
        { type: 'compaction', content: 'Earlier: hello.' },
      ].map((value) => ({
        kind: 'opaque',
        format: 'messages',
        value,
        ...(value['type'] === 'server_tool_use' && { searches: ['x'] }),
      })),
    );
  });

  test('citations keep their own fields', () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://a.b/c',
      title: 'C',
      cited_text: 'so it is',
      encrypted_index: 'Eo8=',
    };
    expect(
      partsOf(
        block(
          0,
          { type: 'text', text: '', citations: [] },
          { type: 'text_delta', text: 'So.' },
          { type: 'citations_delta', citation },
        ),
      ),
    ).toEqual([
      {
        kind: 'text',
        text: 'So.',
        citations: [
          {
            url: 'https://a.b/c',
            title: 'C',
            citedText: 'so it is',
            formatSpecific: { format: 'messages', fields: citation },
          },
        ],
      },
    ]);
  });

  test('a block that was not stopped ends with the next block or with the message', () => {
    const [start, delta] = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'a' });
    const open = [start ?? {}, delta ?? {}];
    expect(partsOf([...open, ...block(1, { type: 'text', text: 'b' }), ...open])).toMatchObject([
      { text: 'a' },
      { text: 'b' },
      { text: 'a' },
    ]);
  });

  test('deltas of unknown types are ignored', () => {
    const blocks = block(0, { type: 'text', text: 'a' }, { type: 'sparkle_delta', text: '!' });
    expect(partsOf(blocks)).toEqual([{ kind: 'text', text: 'a' }]);
  });

  test('a piece of arguments without an open call breaks the stream', () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
    const [start, delta, end] = block(0, call, { type: 'input_json_delta', partial_json: '{}' });
    expect(partsOf([start, delta, end].map((event) => event ?? {}))).toMatchObject([{ name: 'f' }]);
    const [text] = block(0, { type: 'text', text: '' });
    for (const blocks of [[delta], [start, end, delta], [start, { ...delta, index: 1 }], [text, delta]]) {
      expect(gatewayErrorOf(() => parsed(stream(blocks.map((event) => event ?? {})))).fault).toBe(
        'upstream-broken',
      );
    }
  });

  test('a text in a block of an unknown type stays there', () => {
    const blocks = block(0, { type: 'sparkle', text: '' }, { type: 'text_delta', text: 'a' });
    expect(partsOf(blocks)).toMatchObject([{ kind: 'opaque', value: { type: 'sparkle', text: 'a' } }]);
  });

  test('a text or a thought without an open block of its type begins one', () => {
    const [start, delta, end] = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'a' });
    const thought = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: 'b' },
    };
    const a = { kind: 'text', text: 'a' };
    const b = { kind: 'thinking', text: 'b' };
    const empty = { kind: 'text', text: '' };
    for (const [blocks, parts] of [
      [[delta], [a]],
      [[thought], [b]],
      [
        [start, delta, end, delta],
        [a, a],
      ],
      [
        [start, delta, { ...delta, index: 1 }],
        [a, a],
      ],
      [
        [start, thought, thought, delta],
        [empty, { ...b, text: 'bb' }, a],
      ],
    ] as const) {
      expect(partsOf(blocks.map((event) => event ?? {}))).toEqual(parts);
    }
  });
});

describe('the request of the answer', () => {
  test('a changed tool name is restored', () => {
    const name = 'files.read';
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'function', name }] };
    const blocks = block(0, { type: 'tool_use', id: 'toolu_1', name: safeName(name), input: {} });
    expect(safeName(name)).not.toBe(name);
    expect(partsOf(blocks, prompt)).toMatchObject([{ name }]);
  });

  test('a custom tool is called with free text', () => {
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'custom', name: 'sql' }] };
    const blocks = block(
      0,
      { type: 'tool_use', id: 'toolu_1', name: 'sql', input: {} },
      { type: 'input_json_delta', partial_json: '{"input":"select' },
      { type: 'input_json_delta', partial_json: ' 1"}' },
    );
    expect(partsOf(blocks, prompt)).toMatchObject([{ custom: true, arguments: 'select 1' }]);
  });

  describe('an answer that is the input of a tool becomes a text', () => {
    const prompt: PromptOutline = { ...PROMPT, output: { kind: 'json-schema', schema: { type: 'object' } } };
    const start = { type: 'tool_use', id: 'toolu_1', name: 'json_response' };
    const blocks = block(
      0,
      { ...start, input: {} },
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: '{"a":' },
      { type: 'input_json_delta', partial_json: '1}' },
    );

    test.each([
      ['streamed', () => parsed(stream(blocks, { stop_reason: 'tool_use' }), prompt)],
      [
        'whole',
        () =>
          parsedWhole(
            JSON.stringify({
              type: 'message',
              role: 'assistant',
              content: [{ ...start, input: { a: 1 } }],
              stop_reason: 'tool_use',
            }),
            prompt,
          ),
      ],
    ])('%s', (_, events) => {
      const [choice] = collect(events()).choices;
      expect(choice).toEqual({ parts: [{ kind: 'text', text: '{"a":1}' }], end: { finish: 'stop' } });
    });

    test('an empty input is an empty object', () => {
      expect(partsOf(block(0, { ...start, input: {} }), prompt)).toEqual([{ kind: 'text', text: '{}' }]);
    });

    test('a tool of the caller with that name stays a tool', () => {
      const own: PromptOutline = { ...prompt, tools: [{ kind: 'function', name: 'json_response' }] };
      expect(partsOf(blocks, own)).toMatchObject([{ kind: 'tool-call', name: 'json_response' }]);
    });
  });
});

describe('signature carriers', () => {
  const carrier = (index: number, signature: string) =>
    block(index, { type: 'thinking', thinking: '', signature: '' }, { type: 'signature_delta', signature });
  const call = (index: number) =>
    block(index, { type: 'tool_use', id: `toolu_${index}`, name: 'f', input: {} });
  const signature = { origin: 'google', value: 'AbC' };

  test('a carrier before a call signs the call', () => {
    expect(partsOf([...carrier(0, 'google#c.AbC'), ...call(1), ...call(2)])).toEqual([
      { kind: 'tool-call', id: 'toolu_1', name: 'f', arguments: '{}', signature },
      { kind: 'tool-call', id: 'toolu_2', name: 'f', arguments: '{}' },
    ]);
  });

  test('a carrier behind a text signs the text', () => {
    const blocks = [...block(0, { type: 'text', text: 'a' }), ...carrier(1, 'google#p.AbC')];
    expect(partsOf(blocks)).toEqual([{ kind: 'text', text: 'a', signature }]);
  });

  test('a carrier alone becomes an empty text', () => {
    const empty = { kind: 'text', text: '', signature };
    expect(partsOf(carrier(0, 'google#c.AbC'))).toEqual([empty]);
    expect(partsOf([...carrier(0, 'google#c.AbC'), ...block(1, { type: 'text', text: 'a' })])).toEqual([
      empty,
      { kind: 'text', text: 'a' },
    ]);
  });
});

describe('the end', () => {
  test.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context-length'],
    ['tool_use', 'stop'],
    ['a_new_reason', 'other'],
    [null, 'stop'],
  ])('%s without a call is %s', (stop_reason, finish) => {
    expect(endOf({ stop_reason })?.finish).toBe(finish);
  });

  test('with a call, end_turn means tool-calls, and max_tokens still means length', () => {
    expect(endOf({ stop_reason: 'tool_use' }, CALL)).toEqual({ finish: 'tool-calls' });
    expect(endOf({ stop_reason: 'end_turn' }, CALL)).toEqual({ finish: 'tool-calls' });
    expect(endOf({ stop_reason: 'max_tokens' }, CALL)).toEqual({ finish: 'length' });
  });

  test('calls of code that Anthropic runs may already have results', () => {
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
    const blocks = block(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 }, caller });
    expect(endOf({ stop_reason: 'end_turn' }, blocks)?.finish).toBe('stop');
    expect(endOf({ stop_reason: 'tool_use' }, blocks)?.finish).toBe('tool-calls');
  });

  test('a stop sequence is passed on', () => {
    expect(endOf({ stop_reason: 'stop_sequence', stop_sequence: '###' })).toEqual({
      finish: 'stop-sequence',
      stopSequence: '###',
    });
  });

  test("a refusal keeps the vendor's explanation and its other fields", () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'No.' };
    expect(endOf({ stop_reason: 'refusal', stop_details, container: { id: 'c' }, novel: 1 })).toEqual({
      finish: 'refusal',
      native: 'refusal',
      explanation: 'No.',
      formatSpecific: { format: 'messages', fields: { stop_details, container: { id: 'c' } } },
      unknownFields: { novel: 1 },
    });
  });
});

describe('usage', () => {
  test('input includes cache reads and writes, and later figures replace earlier ones', () => {
    expect(
      usageOf(
        {
          input_tokens: 3,
          cache_read_input_tokens: 20,
          cache_creation_input_tokens: 100,
          cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
          output_tokens: 1,
        },
        {
          output_tokens: 9,
          output_tokens_details: { thinking_tokens: 4 },
          server_tool_use: { web_search_requests: 1 },
        },
      ),
    ).toEqual({
      input: 123,
      cacheRead: 20,
      cacheWrite: 100,
      cacheWriteHour: 40,
      output: 9,
      reasoning: 4,
      formatSpecific: { format: 'messages', fields: { server_tool_use: { web_search_requests: 1 } } },
    });
    expect(usageOf({ input_tokens: 0, output_tokens: 0 }, { input_tokens: 7, output_tokens: 2 })).toEqual({
      input: 7,
      output: 2,
    });
  });

  test('null is ignored, and no figure is negative', () => {
    expect(
      usageOf(
        { input_tokens: 5, cache_read_input_tokens: null, output_tokens: 1 },
        { input_tokens: null, output_tokens: -3 },
      ),
    ).toEqual({ input: 5, output: 0 });
  });

  test('the service tier belongs to the answer', () => {
    expect(parsed(stream([], {}, { input_tokens: 1, service_tier: 'standard' }))[0]).toMatchObject({
      serviceTier: 'default',
    });
  });
});

describe('failures', () => {
  test.each([
    ['overloaded_error', 'upstream-overloaded'],
    ['rate_limit_error', 'rate-limited'],
    ['api_error', 'upstream-broken'],
    ['timeout_error', 'upstream-timeout'],
    ['authentication_error', 'upstream-auth'],
  ])('an error event of type %s means %s', (type, fault) => {
    const [start] = stream([]);
    const events = [start ?? {}, { type: 'error', error: { type, message: 'Oh.' } }];
    expect(gatewayErrorOf(() => parsed(events)).fault).toBe(fault);
  });

  test('a whole body that is an error', () => {
    const body = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    expect(gatewayErrorOf(() => parsedWhole(body))).toMatchObject({
      fault: 'upstream-overloaded',
      message: 'Overloaded',
    });
  });

  test.each(['{"type":', '[]', '17', '"x"'])('data that is not an object: %s', (data) => {
    expect(gatewayErrorOf(() => parsedWhole(data)).fault).toBe('upstream-broken');
  });

  test('a stream without message_stop, and an empty one', () => {
    expect(gatewayErrorOf(() => parsed(stream([]).slice(0, -1))).fault).toBe('upstream-broken');
    expect(gatewayErrorOf(() => parsed([])).fault).toBe('upstream-broken');
    expect(gatewayErrorOf(() => parsed([{ type: 'ping' }, { type: 'novelty' }])).fault).toBe(
      'upstream-broken',
    );
  });

  test('a value that is nested too deeply', () => {
    const deep = `${'['.repeat(9000)}${']'.repeat(9000)}`;
    const start = `{"type":"content_block_start","index":0,"content_block":{"type":"novel","x":${deep}}}`;
    expect(gatewayErrorOf(() => parsedWhole(start)).fault).toBe('upstream-broken');
  });

  test('events after message_stop are ignored', () => {
    const events = [...stream([]), { type: 'error', error: { type: 'api_error', message: '' } }];
    expect(parsed(events)).toEqual(parsed(stream([])));
  });
});
