/** Checklist, section 5: the envelope of a messages stream. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { validator } from '../../src/protocol/validate.ts';
import { fuse, run } from '../../src/streams/step.ts';
import { KEY } from '../support/gateway.ts';
import { ASKED, PERMISSIVE, PROMPT } from '../support/meaning.ts';
import {
  at,
  CLAUDE,
  chatStream,
  chunk,
  GEMINI,
  gemini,
  geminiStream,
  namedStream,
  QWEN,
  type Said,
  useDoor,
} from './support.ts';

const door = useDoor();

/** A messages stream in short: each event except deltas, with its index and the kind of its block. */
function envelope(data: readonly JsonObject[]): readonly string[] {
  return data
    .filter(({ type }) => type !== 'content_block_delta' && type !== 'ping')
    .map((event) => {
      const kind = at(event, 'content_block.type');
      return [event['type'], event['index'], kind].filter((word) => word !== undefined).join(' ');
    });
}

/** The envelope of an answer with blocks of these kinds. */
function blocks(...kinds: readonly string[]): readonly string[] {
  return [
    'message_start',
    ...kinds.flatMap((kind, index) => [
      `content_block_start ${index} ${kind}`,
      `content_block_stop ${index}`,
    ]),
    'message_delta',
    'message_stop',
  ];
}

const call = (index: number, name: string): JsonObject => ({
  tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '{}' } }],
});
const weather = { functionCall: { name: 'get_weather', args: { city: 'Rom' } } };

describe('checklist 47: blocks count 0, 1, 2 …, each with one start and one stop', () => {
  const answers: [name: string, model: string, said: Said, kinds: string[]][] = [
    [
      'calls that begin at index 5',
      QWEN,
      chatStream(
        chunk({ content: 'I look.' }),
        chunk(call(5, 'a')),
        chunk(call(9, 'b')),
        chunk({}, 'tool_calls'),
      ),
      ['text', 'tool_use', 'tool_use'],
    ],
    [
      'text that is empty between calls',
      GEMINI,
      geminiStream(gemini([weather, { text: '' }, weather]), gemini([{ text: '' }], 'STOP')),
      ['tool_use', 'tool_use'],
    ],
    ['nothing but an end', GEMINI, geminiStream(gemini([], 'STOP')), []],
    [
      'a thought and nothing else',
      QWEN,
      chatStream(chunk({ reasoning_content: 'Hm.' }), chunk({}, 'stop')),
      ['thinking'],
    ],
  ];
  test.each(answers)('checklist 47: %s', async (_, model, said, kinds) => {
    door.answers(said);
    expect(envelope((await door.stream('messages', model)).data)).toEqual(blocks(...kinds));
  });
});

describe('checklist 48: a new kind of content opens a new block', () => {
  const kinds = ['thinking', 'text', 'thinking', 'tool_use'];
  const answers: [name: string, model: string, said: Said][] = [
    [
      'chat-completions',
      QWEN,
      chatStream(
        chunk({ role: 'assistant', content: '', reasoning_content: 'Hm. ' }),
        chunk({ reasoning_content: 'So.' }),
        chunk({ content: 'First, ' }),
        chunk({ content: 'this.' }),
        chunk({ reasoning_content: 'And then?' }),
        chunk(call(0, 'get_weather')),
        chunk({}, 'tool_calls'),
      ),
    ],
    [
      'generate-content',
      GEMINI,
      geminiStream(
        gemini([{ text: 'Hm. ', thought: true }]),
        gemini([{ text: 'So.', thought: true }, { text: 'First, ' }]),
        gemini([{ text: 'this.' }, { text: 'And then?', thought: true }, weather], 'STOP'),
      ),
    ],
  ];
  test.each(answers)('checklist 48: from %s', async (_, model, said) => {
    door.answers(said);
    const { data, reply } = await door.stream('messages', model);
    expect(envelope(data)).toEqual(blocks(...kinds));
    expect(reply().choices[0]?.parts.map((part) => ('text' in part ? part.text : part.kind))).toEqual([
      'Hm. So.',
      'First, this.',
      'And then?',
      'tool-call',
    ]);
  });
});

test('checklist 49: a block starts with all the fields of its kind', async () => {
  door.answers(
    geminiStream(
      gemini([{ text: 'Hm.', thought: true }, { text: 'Yes.' }, { functionCall: { name: 'now' } }], 'STOP'),
    ),
  );
  const { data } = await door.stream('messages', GEMINI);
  const starts = data.flatMap((event) => at(event, 'content_block') ?? []);
  expect(starts).toEqual([
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'text', text: '', citations: [] },
    { type: 'tool_use', id: expect.stringMatching(/./), name: 'now', input: {}, caller: { type: 'direct' } },
  ]);
});

describe('checklist 50: every stream ends by the rules of its format', () => {
  test('checklist 50: a complete one by stop, delta and stop', async () => {
    door.answers(geminiStream(gemini([{ text: 'Yes.' }], 'STOP')));
    const { data } = await door.stream('messages', GEMINI);
    expect(data.slice(-3).map(({ type }) => type)).toEqual([
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test.each([
    ['in the middle of text', chunk({ content: 'Yes, ' })],
    [
      'in the middle of a call',
      chunk({
        tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a' } }],
      }),
    ],
    ['before anything was said', chunk({ role: 'assistant', content: '' })],
  ])('checklist 50: one that breaks off %s by an error, without message_stop', async (_, begun) => {
    door.answers({ type: 'text/event-stream', body: `data: ${JSON.stringify(begun)}\n\n` });
    const { events, data, status } = await door.stream('messages', QWEN);
    if (status !== 200) {
      expect(status).toBe(502);
      return;
    }
    expect(events.at(-1)?.event).toBe('error');
    expect(at(data.at(-1), 'error.type')).toBe('api_error');
    expect(events.map(({ event }) => event)).not.toContain('message_stop');
  });
});

test('checklist 51: the events are in order, whatever a service interleaves', () => {
  const text = fc.constantFrom('', 'a', 'Ü \n"', '{"x":1}', ' ');
  const piece = fc.record(
    {
      index: fc.constantFrom(0, 1, 2, 7),
      id: fc.constantFrom('', 'c1', 'c2', null),
      type: fc.constant('function'),
      function: fc.record(
        {
          name: fc.constantFrom('f', 'g', ''),
          arguments: fc.constantFrom('', '{}', '{"a"', ':1}', '{"a":1}'),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['function'] },
  );
  const delta = fc.record(
    {
      role: fc.constant('assistant'),
      content: fc.oneof(text, fc.constant(null)),
      reasoning_content: text,
      refusal: fc.oneof(text, fc.constant(null)),
      tool_calls: fc.array(piece, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  let whole = 0;
  fc.assert(
    fc.property(
      fc.array(delta, { maxLength: 12 }),
      fc.constantFrom('stop', 'tool_calls', 'length'),
      (deltas, finish) => {
        const source = formats['chat-completions'].outbound.parseEvents(PROMPT, PERMISSIVE);
        const events = [...deltas.map((said) => chunk(said)), chunk({}, finish)];
        const datas = [...events.map((event) => JSON.stringify(event)), '[DONE]'];
        const input = datas.map((data) => ({ data }));
        const judge = validator('messages');
        try {
          for (const event of run(fuse(source, formats.messages.inbound.renderEvents(ASKED)), input))
            judge.add(event);
        } catch {
          // A call without a name is a failure of the vendor.
          return;
        }
        whole += 1;
        // Arguments that are not JSON are the fault of the vendor; everything else would be ours.
        expect(judge.end().filter(({ rule }) => rule !== 'call-arguments')).toEqual([]);
      },
    ),
    { numRuns: 2000 },
  );
  expect(whole).toBeGreaterThan(200);
});

describe('checklist 52: an index that the vendor repeats', () => {
  const said = namedStream(
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  );

  test('checklist 52: passes unchanged on the native path', async () => {
    door.answers(said);
    const response = await fetch(`${door.url()}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({
        model: CLAUDE,
        max_tokens: 10,
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
      headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    });
    expect(await response.text()).toBe(said.body);
  });

  test('checklist 52: does no harm in translation', async () => {
    door.answers(said);
    const { reply } = await door.stream('chat-completions', CLAUDE);
    expect(reply().choices[0]?.parts).toMatchObject([
      { kind: 'text', text: 'Yes.' },
      { kind: 'tool-call', name: 'now', arguments: '{"a":1}' },
    ]);
  });
});

describe('checklist 53: a block starts with its first content, and always stops', () => {
  test.each([
    [
      'an empty text first',
      chatStream(chunk({ role: 'assistant', content: '' }), chunk(call(0, 'a')), chunk({}, 'tool_calls')),
      ['tool_use'],
    ],
    [
      'text that is null',
      chatStream(
        chunk({ role: 'assistant', content: null }),
        chunk(call(0, 'a')),
        chunk(call(1, 'b')),
        chunk({}, 'tool_calls'),
      ),
      ['tool_use', 'tool_use'],
    ],
    ['an end in the same chunk', chatStream(chunk(call(0, 'a'), 'tool_calls')), ['tool_use']],
    [
      'an empty thought first',
      chatStream(chunk({ reasoning_content: '' }), chunk({ content: 'Yes.' }), chunk({}, 'stop')),
      ['text'],
    ],
  ])('checklist 53: %s', async (_, said, kinds) => {
    door.answers(said);
    expect(envelope((await door.stream('messages', QWEN)).data)).toEqual(blocks(...kinds));
  });
});
