/** Parses a caller's body of `POST /v1/responses`. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import { type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/responses/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/responses/outbound/render-request.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';

const parse = (fields: JsonObject): Prompt =>
  parseRequest({ model: 'm', input: 'Hi', ...fields }, unreported);

const turnsOf = (...input: JsonObject[]) => parse({ input }).turns;

const notesOf = (fields: JsonObject): Note[] => {
  const notes: Note[] = [];
  parseRequest({ model: 'm', input: 'Hi', ...fields }, reportInto(notes));
  return notes;
};

describe('settings', () => {
  test.each<[JsonObject, Partial<Prompt>]>([
    [
      { max_output_tokens: 5, temperature: 0.5, top_p: 1 },
      { maxTokens: 5, temperature: 0.5, topP: 1 },
    ],
    [
      { max_output_tokens: null, temperature: null, tools: null, text: null, reasoning: null, stream: null },
      {},
    ],
    [
      { stream: true, service_tier: 'flex', metadata: { a: 'b' } },
      { stream: true, serviceTier: 'flex', metadata: { a: 'b' } },
    ],
    [{ reasoning: { effort: 'XHigh', summary: 'auto' } }, { thinking: { effort: 'xhigh', visible: true } }],
    [{ reasoning: { effort: null, summary: null } }, {}],
    [{ reasoning: { generate_summary: 'concise' } }, { thinking: { visible: true } }],
    [{ top_logprobs: 2 }, { logprobs: true, topLogprobs: 2 }],
    [{ include: ['message.output_text.logprobs'] }, { logprobs: true }],
    [{ user: 'u', safety_identifier: 's' }, { user: 'u' }],
    [{ safety_identifier: 's' }, { user: 's' }],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
    [{ text: { format: { type: 'text' } } }, { output: { kind: 'text' } }],
    [{ text: { format: { type: 'json_object' } } }, { output: { kind: 'json' } }],
    [
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: null } } },
      { output: { kind: 'json-schema', name: 'n', schema: { type: 'object' } } },
    ],
    [{ colour: 'red', size: null }, { unknownFields: { colour: 'red' } }],
    [{ background: false, previous_response_id: null, conversation: null, prompt: null }, {}],
  ])('%j', (fields, expected) => {
    const { formatSpecific: _, ...prompt } = parse(fields);
    const turns = [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }];
    expect(prompt).toEqual({ model: 'm', stream: false, turns, ...expected });
  });

  test('fields that only OpenAI understands are format-specific', () => {
    const fields = { truncation: 'auto', prompt_cache_key: 'k', include: ['file_search_call.results'] };
    expect(
      parse({ ...fields, text: { verbosity: 'low' }, reasoning: { context: 'all_turns' } }).formatSpecific,
    ).toEqual({
      format: 'responses',
      fields: { ...fields, text: { verbosity: 'low' }, reasoning: { context: 'all_turns' } },
    });
  });

  test.each([
    { type: 'message', role: 'user', content: 'Hi' },
    { type: 'message', role: 'assistant', content: 'Hi' },
    { type: 'function_call', call_id: 'c', name: 'f', namespace: 'n', arguments: '{}', created_by: 'm' },
    { type: 'function_call_output', call_id: 'c', output: '', name: 'f', namespace: 'n', caller: {} },
    { type: 'custom_tool_call_output', call_id: 'c', output: '', created_by: 'm', caller: null },
  ])('fields of items that only OpenAI understands are format-specific, also those of Codex: %j', (item) => {
    const codex = { internal_chat_message_metadata_passthrough: { turn_id: 't' } };
    const fields = { client_metadata: { 'x-codex-window-id': 'w' }, personality: 'friendly' };
    const prompt = parse({ input: [{ ...item, ...codex }], ...fields });
    expect(JSON.stringify(prompt)).not.toContain('"unknownFields"');
    expect(JSON.stringify(prompt)).toContain('"turn_id"');
  });

  test('`store: true` is dropped and reported, `store: false` is not', () => {
    expect(notesOf({ store: true })).toMatchObject([{ field: 'store', outcome: 'dropped' }]);
    expect(notesOf({ store: false })).toEqual([]);
    expect(parse({ store: true }).formatSpecific).toBeUndefined();
  });

  test('an unknown field is reported as passed on', () => {
    expect(notesOf({ colour: 1 })).toMatchObject([{ field: 'colour', outcome: 'passed-on' }]);
  });
});

describe('tools', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const open = { type: 'object', properties: { a: { type: 'string' } } };

  test.each<[JsonObject, boolean | undefined]>([
    [{ parameters: closed }, true],
    [{ parameters: { ...closed, properties: { a: {} } } }, undefined],
    [{ parameters: open }, undefined],
    [{ parameters: open, strict: null }, undefined],
    [{ parameters: open, strict: true }, true],
    [{ parameters: closed, strict: false }, false],
    [{}, true],
  ])('strict is on for other vendors if the schema allows it: %j', (fields, strict) => {
    const [tool] = parse({ tools: [{ type: 'function', name: 'f', ...fields }] }).tools ?? [];
    expect(tool).toMatchObject({ kind: 'function', name: 'f' });
    expect(tool && 'strict' in tool ? tool.strict : undefined).toBe(strict);
  });

  test.each<[Json, Prompt['toolChoice']]>([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    [null, undefined],
    [
      { type: 'function', name: 'f' },
      { mode: 'required', allowed: ['f'] },
    ],
    [
      { type: 'custom', name: 'c' },
      { mode: 'required', allowed: ['c'] },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'f' },
          { type: 'mcp', name: 'x' },
        ],
      },
      { mode: 'required', allowed: ['f'] },
    ],
    [{ type: 'web_search' }, undefined],
  ])('tool_choice %j', (tool_choice, expected) => {
    expect(parse({ tool_choice }).toolChoice).toEqual(expected);
  });
});

describe('items', () => {
  test('consecutive items of the assistant are one turn, and so are consecutive results', () => {
    const turns = turnsOf(
      { role: 'user', content: 'Go' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'gAAA' },
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'y' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'z' }] },
      { role: 'user', content: 'And?' },
    );
    expect(turns.map(({ role, parts }) => [role, ...parts.map(({ kind }) => kind)])).toEqual([
      ['user', 'text'],
      ['assistant', 'thinking', 'text', 'tool-call', 'tool-call'],
      ['user', 'tool-result', 'tool-result'],
      ['user', 'text'],
    ]);
    expect(turns[1]?.parts[0]).toMatchObject({ text: 'Hm', signature: { origin: 'openai', value: 'gAAA' } });
    expect(turns[2]?.parts).toMatchObject([
      { id: 'b', name: 'g', custom: true, content: [{ kind: 'text', text: 'y' }] },
      { id: 'a', name: 'f', content: [{ kind: 'text', text: 'z' }] },
    ]);
  });

  test('a thought without a signature stays without one', () => {
    const summary = [{ type: 'summary_text', text: 'Hm' }];
    const [turn] = turnsOf({ type: 'reasoning', summary, encrypted_content: 'none#' });
    expect(turn?.parts).toEqual([expect.objectContaining({ kind: 'thinking', text: 'Hm' })]);
    expect(turn?.parts[0]).not.toHaveProperty('signature');
  });

  test('signatures of other vendors return to their parts', () => {
    const carrier = (text: string) => ({ type: 'reasoning', summary: [], encrypted_content: text });
    const [turn] = turnsOf(
      carrier('anthropic#abc'),
      carrier('anthropic#r.def'),
      carrier('google#c.one'),
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { role: 'assistant', content: 'Well.' },
      carrier('google#p.two'),
      carrier('google#c.three'),
    );
    expect(turn?.parts).toMatchObject([
      { kind: 'thinking', text: '', signature: { origin: 'anthropic', value: 'abc' } },
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'def' } },
      { kind: 'tool-call', signature: { origin: 'google', value: 'one' } },
      { kind: 'text', text: 'Well.', signature: { origin: 'google', value: 'two' } },
      { kind: 'text', text: '', signature: { origin: 'google', value: 'three' } },
    ]);
  });

  test('a signature before a message is of its last text, also from the item of the thoughts before it', () => {
    const summary = [{ type: 'summary_text', text: 'Hm' }];
    const content = ['One.', 'Two.', ''].map((text) => ({ type: 'output_text', text, annotations: [] }));
    const [turn] = turnsOf(
      { type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'google#m.one' },
      { role: 'assistant', content: [] },
      { role: 'assistant', content },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'google#m.two' },
    );
    const parts = turn?.parts.map((part) => [part.kind, 'text' in part && part.text, part.signature?.value]);
    expect(parts).toEqual([
      ['thinking', 'Hm', undefined],
      ['text', '', undefined],
      ['text', 'One.', undefined],
      ['text', 'Two.', 'one'],
      ['text', '', undefined],
      ['text', '', 'two'],
    ]);
  });

  test.each([{ content: [] }, { content: 'Let me see.' }])(
    'the signature of a call waits for it across a message: $content',
    ({ content }) => {
      const [turn] = turnsOf(
        { type: 'reasoning', summary: [], encrypted_content: 'google#c.one' },
        { role: 'assistant', content },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      );
      const [text, call] = turn?.parts ?? [];
      expect(text).not.toHaveProperty('signature');
      expect(call).toMatchObject({ kind: 'tool-call', signature: { origin: 'google', value: 'one' } });
    },
  );

  test.each<[JsonObject, JsonObject]>([
    [
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'high' },
      { media: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' }, detail: 'high' },
    ],
    [
      { type: 'input_image', image_url: 'https://a/b.png' },
      { media: 'image', source: { kind: 'url', url: 'https://a/b.png' } },
    ],
    [
      { type: 'input_image', file_id: 'file-1' },
      { media: 'image', source: { kind: 'file', id: 'file-1', format: 'responses' } },
    ],
    [
      { type: 'input_file', filename: 'a.txt', file_data: 'data:,a%20b' },
      { media: 'document', mediaType: 'text/plain', name: 'a.txt', source: { kind: 'base64', data: 'YSBi' } },
    ],
    [
      { type: 'input_file', filename: 'a.csv', file_data: 'YQ==' },
      { media: 'document', mediaType: 'text/csv', name: 'a.csv', source: { kind: 'base64', data: 'YQ==' } },
    ],
    [
      { type: 'input_file', file_url: 'https://a/b.pdf' },
      { media: 'document', source: { kind: 'url', url: 'https://a/b.pdf' } },
    ],
    [
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { media: 'audio', mediaType: 'audio/mp3', source: { kind: 'base64', data: 'AA==' } },
    ],
    [
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { media: 'audio', mediaType: 'audio/wav', source: { kind: 'base64', data: 'AA==' } },
    ],
    [
      { type: 'input_file', filename: 'A.CSV', file_data: 'YQ==' },
      { media: 'document', mediaType: 'text/csv', name: 'A.CSV', source: { kind: 'base64', data: 'YQ==' } },
    ],
  ])('media %j', (part, expected) => {
    const [turn] = turnsOf({ role: 'user', content: [part] });
    expect(turn?.parts).toMatchObject([{ kind: 'media', ...expected }]);
  });
});

describe('errors in OpenAI’s own words', () => {
  test.each<[JsonObject, string, RegExp]>([
    [{ model: undefined }, 'model', /^Missing required parameter: 'model'\.$/],
    [{ input: undefined }, 'input', /^Missing required parameter: 'input'\.$/],
    [{ input: [] }, 'input', /^Invalid 'input': empty array/],
    [{ input: 5 }, 'input', /^Invalid type for 'input'/],
    [{ input: ['x'] }, 'input[0]', /expected an object, but got a string/],
    [{ input: [{}] }, 'input[0].type', /^Missing required/],
    [{ input: [{ type: 'nonsense' }] }, 'input[0].type', /Supported values/],
    [{ input: [{ role: 'tool', content: '' }] }, 'input[0].role', /'developer'/],
    [{ input: [{ role: 'user' }] }, 'input[0].content', /^Missing/],
    [
      { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      'input[0].content[0].type',
      /'input_text'/,
    ],
    [{ input: [{ type: 'function_call', call_id: 'a', name: 'f' }] }, 'input[0].arguments', /^Missing/],
    [{ input: [{ type: 'function_call_output', call_id: 'a' }] }, 'input[0].output', /^Missing/],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].type', /stored/],
    [{ input: [{ id: 'msg_1' }] }, 'input[0].type', /stored/],
    [{ input: [{ type: null, id: 'msg_1' }] }, 'input[0].type', /stored/],
    [{ input: [{ id: 'msg_1' }] }, 'input[0].type', /stored/],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', /stored/],
    [{ conversation: { id: 'conv_1' } }, 'conversation', /stored/],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', /stored/],
    [{ background: true }, 'background', /stored/],
    [{ max_output_tokens: 1.5 }, 'max_output_tokens', /an integer, but got a decimal/],
    [{ temperature: '1' }, 'temperature', /got a string/],
    [{ stream: 'yes' }, 'stream', /a boolean/],
    [{ reasoning: { effort: 'lots' } }, 'reasoning.effort', /'minimal'/],
    [{ text: { format: { type: 'yaml' } } }, 'text.format.type', /'json_schema'/],
    [{ text: { format: { type: 'json_schema', name: 'n' } } }, 'text.format.schema', /^Missing/],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name', /^Missing/],
    [{ tools: [{ name: 'f' }] }, 'tools[0].type', /^Missing/],
    [{ tools: [{ type: 'abacus' }] }, 'tools[0].type', /'mcp'/],
    [{ tool_choice: 'maybe' }, 'tool_choice', /'required'/],
    [{ tool_choice: { type: 'function' } }, 'tool_choice.name', /^Missing/],
    [{ tool_choice: 5 }, 'tool_choice', /a string or an object, but got an integer/],
    [{ tool_choice: {} }, 'tool_choice.type', /^Missing/],
    ...['input_image', 'input_file', 'input_audio'].map((type): [JsonObject, string, RegExp] => [
      { input: [{ role: 'user', content: [{ type }] }] },
      `input[0].content[0].${type === 'input_image' ? 'image_url' : type === 'input_file' ? 'file_data' : type}`,
      /^Missing/,
    ]),
  ])('%j', (fields, param, message) => {
    const error = gatewayErrorOf(() => parse(fields));
    expect(error).toMatchObject({ fault: 'invalid-request', status: 400, param });
    expect(error.message).toMatch(message);
  });
});

describe('hostile bodies', () => {
  const TYPES = [
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'mcp_call',
    'compaction',
  ];
  const PARTS = [
    'input_text',
    'output_text',
    'refusal',
    'input_image',
    'input_file',
    'input_audio',
    'reasoning_text',
  ];
  const KEYS = [
    'type',
    'role',
    'content',
    'text',
    'call_id',
    'name',
    'arguments',
    'output',
    'summary',
    'id',
    '__proto__',
  ];
  const KEYS_MORE = [
    'encrypted_content',
    'image_url',
    'file_data',
    'annotations',
    'status',
    'input',
    'constructor',
  ];
  const words = [...TYPES, ...PARTS, 'user', 'assistant', 'system', 'data:,', 'google#c.x', 'openai#', ''];
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...words),
      fc.constantFrom(null, true, 0, -1.5),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...KEYS, ...KEYS_MORE), tie('value'), { maxKeys: 6 }),
    ),
  }));
  const FIELDS = [
    'input',
    'tools',
    'tool_choice',
    'text',
    'reasoning',
    'include',
    'metadata',
    'instructions',
    '__proto__',
  ];
  const item = fc
    .record({ type: fc.constantFrom(...TYPES), role: fc.constantFrom('user', 'assistant'), rest: value })
    .map(({ rest, ...known }) => ({
      call_id: 'a',
      name: 'n',
      arguments: '',
      output: '',
      summary: [],
      content: rest,
      ...known,
    }));

  test('are parsed or refused with a GatewayError, and pollute no prototype', () => {
    const target = {
      model: 'm',
      maxOutputTokens: 9,
      sampling: false,
      structuredOutput: false,
      dialect: 'openai',
    };
    fc.assert(
      fc.property(fc.array(item), fc.dictionary(fc.constantFrom(...FIELDS), value), (input, fields) => {
        const body = parseJson(JSON.stringify({ input, ...fields, model: 'm' }));
        if (!isObject(body)) throw new TypeError('A request is an object.');
        try {
          const prompt = parseRequest(body, unreported);
          for (const dialect of ['', 'openai'])
            JSON.stringify(renderRequest(prompt, { ...target, dialect }, unreported));
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('may have as many parts as fit into a request', () => {
    const parts = (text: JsonObject) => Array.from({ length: 300_000 }, () => text);
    const items = [
      { type: 'reasoning', summary: parts({ type: 'summary_text', text: 'a' }) },
      { role: 'assistant', content: parts({ type: 'output_text', text: 'b' }) },
    ];
    expect(turnsOf(...items)[0]?.parts).toHaveLength(600_000);
  });

  test('may have a field named __proto__, which is like any other', () => {
    const body = parseJson('{"model":"m","input":"Hi","__proto__":{"polluted":1}}');
    if (!isObject(body)) throw new TypeError('A request is an object.');
    const prompt = parseRequest(body, unreported);
    expect(JSON.stringify(prompt.unknownFields)).toBe('{"__proto__":{"polluted":1}}');
    expect(prompt).not.toHaveProperty('polluted');
  });
});

describe('tools in a namespace', () => {
  const group = {
    type: 'namespace',
    name: 'crm',
    description: 'Customers.',
    tools: [
      { type: 'function', name: 'find', strict: false, description: 'Finds one.' },
      { type: 'custom', name: 'note' },
    ],
  };

  test('are ordinary tools with joined names, in tools, calls and choices', () => {
    const { tools, turns } = parse({
      tools: [group],
      input: [
        { type: 'function_call', call_id: 'c', namespace: 'crm', name: 'find', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'Ada' },
        { type: 'function_call', call_id: 'd', namespace: 'functions', name: 'done', arguments: '{}' },
      ],
    });
    expect(tools).toMatchObject([
      { kind: 'function', name: 'crm__find', description: 'crm__*: Customers.\n\nFinds one.' },
      { kind: 'custom', name: 'crm__note' },
    ]);
    expect(tools?.[1]).not.toHaveProperty('description');
    expect(turns.flatMap(({ parts }) => parts)).toMatchObject([
      { kind: 'tool-call', name: 'crm__find' },
      { kind: 'tool-result', name: 'crm__find' },
      { kind: 'tool-call', name: 'done' },
    ]);
  });

  // A search through the whole list for each choice would block the gateway for minutes.
  test('are matched with a long list of choices in linear time', () => {
    const tools = Array.from({ length: 100_000 }, (_, at) => ({ type: 'function', name: `tool_${at}` }));
    const choices = tools.map(() => ({ type: 'web_search' }));
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: choices };
    expect(parse({ tools, tool_choice }).toolChoice).toEqual({ mode: 'auto', allowed: [] });
  });

  test.each<[JsonObject, string]>([
    [{ name: undefined }, 'tools[0].name'],
    [{ tools: 5 }, 'tools[0].tools'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].tools[0].type'],
    [{ tools: [group] }, 'tools[0].tools[0].type'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].tools[0].name'],
  ])('with %j are refused, and the error names the field', (wrong, param) => {
    const tool = JSON.parse(JSON.stringify({ ...group, ...wrong }));
    expect(gatewayErrorOf(() => parse({ tools: [tool] })).param).toBe(param);
  });
});

describe('items and tools of Codex', () => {
  test('a message of another agent and an unsolicited output become text of the user', () => {
    expect(
      turnsOf(
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        {
          type: 'agent_message',
          author: '/root/a',
          recipient: '/root',
          content: [{ type: 'input_text', text: 'Done.' }],
        },
        { type: 'function_call_output', call_id: null, name: 'g', output: 'Late.' },
      ),
    ).toMatchObject([
      { role: 'assistant' },
      { role: 'user', parts: [{ text: 'Message from /root/a:' }, { text: 'Done.' }] },
      { role: 'user', parts: [{ text: 'Output of g:' }, { text: 'Late.' }] },
    ]);
    const nameless = { type: 'function_call_output', output: 'Late.' };
    expect(gatewayErrorOf(() => turnsOf(nameless)).param).toBe('input[0].call_id');
  });

  test('a compaction trigger is refused', () => {
    const { param, code } = gatewayErrorOf(() =>
      turnsOf({ role: 'user', content: 'Hi' }, { type: 'compaction_trigger' }),
    );
    expect([param, code]).toEqual(['input[1].type', 'unsupported_parameter']);
  });

  test('tools that items of the input add are offered with the others', () => {
    const brought = {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'custom', name: 'exec' }],
    };
    const user = { role: 'user', content: 'Hi' };
    const { tools } = parse({ tools: [{ type: 'function', name: 'f' }], input: [brought, user] });
    expect(tools).toMatchObject([{ name: 'f' }, { kind: 'custom', name: 'exec' }]);
    const wrong = { ...brought, tools: [{ type: 'spanner' }] };
    expect(gatewayErrorOf(() => parse({ input: [wrong, user] })).param).toBe('input[0].tools[0].type');
  });
});
