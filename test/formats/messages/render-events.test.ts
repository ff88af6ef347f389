import { describe, expect, test } from 'vitest';
import type { OpenPart, ReplyEvent } from '../../../src/conversation/reply.ts';
import type { Tool } from '../../../src/conversation/tools.ts';
import type { RequestContext } from '../../../src/formats/format.ts';
import { PING, renderEvents } from '../../../src/formats/messages/inbound/render-events.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { validator } from '../../../src/protocol/validate.ts';
import type { Sse } from '../../../src/streams/sse.ts';
import { ASKED, answer, PROMPT, rendered, said } from './answers.ts';

type Detail = Omit<Extract<ReplyEvent, { type: 'part-detail' }>, 'type' | 'choice' | 'index'>;

/** Makes the events of one part. */
function part(
  index: number,
  open: OpenPart,
  texts: readonly string[] = [],
  details: readonly Detail[] = [],
): ReplyEvent[] {
  return [
    { type: 'part-start', choice: 0, index, part: open },
    ...texts.map((text): ReplyEvent => ({ type: 'part-delta', choice: 0, index, text })),
    ...details.map((detail): ReplyEvent => ({ type: 'part-detail', choice: 0, index, ...detail })),
    { type: 'part-end', choice: 0, index },
  ];
}

const TEXT: OpenPart = { kind: 'text' };
const THINKING: OpenPart = { kind: 'thinking' };
const CALL: OpenPart = { kind: 'tool-call', id: 'call_1', name: 'f' };

/** Renders an answer, and returns the events of its blocks. The protocol's rules are checked, too. */
function blocksOf(events: readonly ReplyEvent[], asked?: RequestContext): JsonObject[] {
  const judge = validator('messages');
  for (const event of rendered(events, asked)) judge.add(event);
  expect(judge.end()).toEqual([]);
  return said(events, asked).filter(({ type }) => String(type).startsWith('content_block'));
}

/** Returns the `message_delta` of an answer. */
function endOf(events: readonly ReplyEvent[], asked?: RequestContext): JsonObject | undefined {
  return said(events, asked).find(({ type }) => type === 'message_delta');
}

const delta = (index: number, value: JsonObject) => ({ type: 'content_block_delta', index, delta: value });
const start = (index: number, content_block: JsonObject) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const stop = (index: number) => ({ type: 'content_block_stop', index });
const carrier = (index: number, signature: string) => [
  start(index, { type: 'thinking', thinking: '', signature: '' }),
  // Older clients (AI SDK 4) end at the signature of a thought that never began.
  delta(index, { type: 'thinking_delta', thinking: '' }),
  delta(index, { type: 'signature_delta', signature }),
  stop(index),
];

describe('the frame', () => {
  test('every event of an answer has its name', () => {
    const events: ReplyEvent[] = answer([part(0, TEXT, ['Hi', '\u2028"\n'])]);
    events.splice(-1, 0, {
      type: 'usage',
      usage: { input: 10, cacheRead: 4, cacheWrite: 1, output: 2, reasoning: 1 },
    });
    expect(rendered(events).map(({ event }) => event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(said(events)).toEqual([
      {
        type: 'message_start',
        message: {
          container: null,
          diagnostics: null,
          id: 'msg_9',
          type: 'message',
          role: 'assistant',
          model: 'gpt',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          usage: {
            input_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
            cache_read_input_tokens: 0,
            output_tokens: 0,
            output_tokens_details: null,
            server_tool_use: null,
            service_tier: null,
            inference_geo: null,
            speed: null,
          },
        },
      },
      start(0, { type: 'text', text: '', citations: [] }),
      delta(0, { type: 'text_delta', text: 'Hi' }),
      delta(0, { type: 'text_delta', text: '\u2028"\n' }),
      stop(0),
      {
        type: 'message_delta',
        delta: { container: null, stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
        usage: {
          input_tokens: 5,
          cache_creation_input_tokens: 1,
          cache_read_input_tokens: 4,
          output_tokens: 2,
          cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 0 },
          output_tokens_details: { thinking_tokens: 1 },
          server_tool_use: null,
          service_tier: null,
          inference_geo: null,
          speed: null,
        },
      },
      { type: 'message_stop' },
    ]);
  });

  test('message_start is sent at once, whichever vendor answers', () => {
    const out: Sse[] = [];
    renderEvents(ASKED).transform(
      { type: 'reply-start', id: '', model: '', serviceTier: 'priority' },
      { enqueue: (event) => out.push(event) },
    );
    expect(out.map(({ event }) => event)).toEqual(['message_start']);
    expect(said([{ type: 'reply-start', id: '', model: '', serviceTier: 'priority' }])).toMatchObject([
      { message: { id: 'msg_abc123', model: 'a-model', usage: { service_tier: 'priority' } } },
    ]);
  });

  test("further fields of the vendor never replace Anthropic's fields", () => {
    const own = {
      format: 'chat-completions',
      fields: { system_fingerprint: 'fp_1', id: 'no', content: 'no' },
    } as const;
    const events: ReplyEvent[] = [
      { type: 'reply-start', id: 'msg_1', model: 'm', formatSpecific: own, unknownFields: { novel: 1 } },
      { type: 'choice-end', choice: 0, finish: 'stop', unknownFields: { late: true, stop_reason: 'no' } },
      { type: 'reply-end' },
    ];
    expect(said(events)[0]).toMatchObject({
      message: { id: 'msg_1', content: [], system_fingerprint: 'fp_1', novel: 1 },
    });
    expect(endOf(events)).toMatchObject({ delta: { late: true, stop_reason: 'end_turn' } });
  });

  test('a ping is an event, and an error is the last event', () => {
    expect(PING).toBe('event: ping\ndata: {"type": "ping"}\n\n');
    const out: Sse[] = [];
    renderEvents(ASKED).fail(new GatewayError('upstream-overloaded', 'Busy.'), {
      enqueue: (event) => out.push(event),
    });
    expect(out).toEqual([
      { event: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}' },
    ]);
  });

  test('only the first choice is rendered, and no log probabilities', () => {
    const events = answer([
      [
        { type: 'part-start', choice: 1, index: 0, part: TEXT },
        { type: 'part-delta', choice: 1, index: 0, text: 'other' },
        { type: 'part-end', choice: 1, index: 0 },
        { type: 'choice-end', choice: 1, finish: 'length' },
        { type: 'logprobs', choice: 0, tokens: [{ token: 'a', logprob: -1 }] },
      ],
      part(0, TEXT, ['a']),
    ]);
    expect(blocksOf(events)).toHaveLength(3);
    expect(endOf(events)).toMatchObject({ delta: { stop_reason: 'end_turn' } });
  });
});

describe('blocks', () => {
  test('each part is one block, numbered without gaps, and empty parts have none', () => {
    const events = answer([
      part(0, TEXT),
      part(1, THINKING, ['Hm']),
      part(2, THINKING),
      part(3, { kind: 'opaque', format: 'responses', value: { type: 'image_generation_call' } }),
      part(4, TEXT, ['a']),
      part(5, TEXT, ['b']),
    ]);
    expect(blocksOf(events)).toEqual([
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'none#' }),
      stop(0),
      start(1, { type: 'text', text: '', citations: [] }),
      delta(1, { type: 'text_delta', text: 'a' }),
      stop(1),
      start(2, { type: 'text', text: '', citations: [] }),
      delta(2, { type: 'text_delta', text: 'b' }),
      stop(2),
    ]);
  });

  test('the signature of thinking is sealed, and comes in the last delta', () => {
    const signature = { origin: 'google', value: 'AbC' } as const;
    const events = answer([
      [
        { type: 'part-start', choice: 0, index: 0, part: THINKING },
        { type: 'part-detail', choice: 0, index: 0, signature },
        { type: 'part-delta', choice: 0, index: 0, text: 'Hm' },
        { type: 'part-end', choice: 0, index: 0 },
      ],
      part(1, THINKING, [], [{ signature: { origin: 'anthropic', value: 'Eq==' } }]),
      part(2, THINKING, [], [{ redacted: { origin: 'anthropic', value: 'Er==' } }]),
    ]);
    expect(blocksOf(events)).toEqual([
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'google#AbC' }),
      stop(0),
      ...carrier(1, 'Eq=='),
      start(2, { type: 'redacted_thinking', data: 'Er==' }),
      stop(2),
    ]);
  });

  test('a call starts at once, and has a delta even if it was cut off before its arguments', () => {
    const events = answer([part(0, CALL, ['{"a":', '1}']), part(1, { ...CALL, id: 'call_2' })]);
    expect(blocksOf(events)).toEqual([
      start(0, { type: 'tool_use', id: 'call_1', name: 'f', input: {}, caller: { type: 'direct' } }),
      delta(0, { type: 'input_json_delta', partial_json: '{"a":' }),
      delta(0, { type: 'input_json_delta', partial_json: '1}' }),
      stop(0),
      start(1, { type: 'tool_use', id: 'call_2', name: 'f', input: {}, caller: { type: 'direct' } }),
      delta(1, { type: 'input_json_delta', partial_json: '' }),
      stop(1),
    ]);
    expect(endOf(events)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  test('ids of calls are accepted by clients, unique and stable', () => {
    const ids = ['functions.f:0', '', '', 'call_1', 'call_1'];
    const events = answer(ids.map((id, index) => part(index, { kind: 'tool-call', id, name: 'f' })));
    const given = (): unknown[] =>
      blocksOf(events).flatMap(({ content_block }) => (content_block ? [JSON.stringify(content_block)] : []));
    expect(new Set(given()).size).toBe(ids.length);
    expect(given()).toEqual(given());
  });

  test('free text for a custom tool streams into a field', () => {
    const texts = ['say "', '\ud83d', '\ude00', '"\n'];
    const events = answer([part(0, { ...CALL, kind: 'tool-call', custom: true }, texts)]);
    const pieces = blocksOf(events).flatMap(({ delta: value }) =>
      typeof value === 'object' && value !== null && 'partial_json' in value
        ? [String(value['partial_json'])]
        : [],
    );
    expect(pieces).toHaveLength(texts.length + 2);
    expect(JSON.parse(pieces.join(''))).toEqual({ input: texts.join('') });
  });

  test("another vendor's signature is carried before its call, behind its text, or alone", () => {
    const signature = { origin: 'google', value: 'AbC' } as const;
    const events = answer([
      [{ type: 'part-start', choice: 0, index: 0, part: CALL, signature }, ...part(0, CALL).slice(1)],
      part(1, TEXT, ['a'], [{ signature }]),
      part(2, TEXT, [], [{ signature }]),
      part(3, { ...CALL, id: 'call_2' }, ['{}'], [{ signature }]),
    ]);
    const signatures = blocksOf(events).map(({ type, content_block, delta: value }) => {
      const { type: kind } = { type: undefined, ...(typeof content_block === 'object' ? content_block : {}) };
      const { signature: text } = { signature: undefined, ...(typeof value === 'object' ? value : {}) };
      return text ?? (type === 'content_block_start' ? kind : undefined);
    });
    expect(signatures.filter((text) => text !== undefined)).toEqual([
      ...['thinking', 'google#c.AbC', 'tool_use'],
      ...['text', 'thinking', 'google#p.AbC'],
      ...['thinking', 'google#c.AbC'],
      ...['tool_use', 'thinking', 'google#p.AbC'],
    ]);
    expect(blocksOf(events).slice(0, 4)).toEqual(carrier(0, 'google#c.AbC'));
  });

  test('no carrier follows the last text, because clients read the last block', () => {
    const signature = { origin: 'google', value: 'AbC' } as const;
    const events = answer([part(0, TEXT, ['a'], [{ signature }]), part(1, TEXT, [], [{ signature }])]);
    expect(JSON.stringify(blocksOf(events))).not.toContain('thinking');
  });

  test('citations come in the block that they belong to', () => {
    const citation = { url: 'https://a.b', title: 'A' };
    const events = answer([
      [
        { type: 'part-start', choice: 0, index: 0, part: TEXT },
        { type: 'part-detail', choice: 0, index: 0, citation },
        { type: 'part-delta', choice: 0, index: 0, text: 'a' },
        { type: 'part-detail', choice: 0, index: 0, citation: { citedText: 'without a place' } },
        { type: 'part-end', choice: 0, index: 0 },
      ],
    ]);
    expect(blocksOf(events)).toEqual([
      start(0, { type: 'text', text: '', citations: [] }),
      delta(0, {
        type: 'citations_delta',
        citation: {
          type: 'web_search_result_location',
          cited_text: '',
          url: 'https://a.b',
          title: 'A',
          encrypted_index: '',
        },
      }),
      delta(0, { type: 'text_delta', text: 'a' }),
      stop(0),
    ]);
  });
});

test('a citation that comes when its text has ended is in no other block, and its source is in the search', () => {
  const late: ReplyEvent = { type: 'part-detail', choice: 0, index: 0, citation: { url: 'https://a.b' } };
  const events = (last: ReplyEvent[]) => answer([part(0, TEXT, ['a']), part(1, THINKING, ['b']), last]);
  for (const last of [[], part(2, TEXT, ['c'])]) {
    expect(blocksOf(events([...last, late]))).toEqual(blocksOf(events(last)));
  }
  const search: Tool = { kind: 'hosted', format: 'messages', value: {}, webSearch: true };
  const asked = { ...ASKED, prompt: { ...PROMPT, tools: [search] } };
  expect(JSON.stringify(blocksOf(events([late]), asked))).toContain('"url":"https://a.b"');
});

describe('the end', () => {
  const stopOf = (
    end: Parameters<typeof answer>[1],
    parts: ReplyEvent[][] = [],
    stops?: readonly string[],
  ) => {
    const asked = stops === undefined ? ASKED : { ...ASKED, prompt: { ...PROMPT, stop: stops } };
    return endOf(answer(parts, end), asked)?.['delta'];
  };
  const reason = (
    stop_reason: string,
    stop_sequence: string | null = null,
    stop_details: JsonObject | null = null,
  ) => ({
    container: null,
    stop_reason,
    stop_sequence,
    stop_details,
  });

  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['context-length', 'model_context_window_exceeded'],
    ['tool-calls', 'end_turn'],
    ['pause', 'pause_turn'],
    ['other', 'end_turn'],
  ] as const)('%s is %s', (finish, word) => {
    expect(stopOf({ finish })).toEqual(reason(word));
  });

  test('a stop sequence is rendered if it is known', () => {
    expect(stopOf({ finish: 'stop-sequence', stopSequence: '#' })).toEqual(reason('stop_sequence', '#'));
    expect(stopOf({ finish: 'stop-sequence' }, [], ['#'])).toEqual(reason('stop_sequence', '#'));
    expect(stopOf({ finish: 'stop-sequence' }, [], ['#', '+'])).toEqual(reason('end_turn'));
  });

  test('a refusal is a text and a stop reason', () => {
    const events = answer([part(0, { kind: 'refusal' }, ['No.'])]);
    expect(blocksOf(events)).toContainEqual(delta(0, { type: 'text_delta', text: 'No.' }));
    expect(endOf(events)).toMatchObject({ delta: { stop_reason: 'refusal' } });
  });

  test("a reason without a word of Anthropic's is explained in the vendor's word", () => {
    const details = (explanation: string | null) => ({ type: 'refusal', category: null, explanation });
    expect(
      stopOf({ finish: 'malformed-call', native: 'MALFORMED_FUNCTION_CALL', explanation: 'print(' }),
    ).toEqual(reason('refusal', null, details('MALFORMED_FUNCTION_CALL: print(')));
    expect(stopOf({ finish: 'content-filter', native: 'SAFETY' })).toEqual(
      reason('refusal', null, details('SAFETY')),
    );
    expect(stopOf({ finish: 'refusal' })).toEqual(reason('refusal', null, details(null)));
  });

  test('calls take precedence over a stop, but not over a limit', () => {
    const call = [part(0, CALL)];
    expect(stopOf({ finish: 'stop' }, call)).toMatchObject({ stop_reason: 'tool_use' });
    expect(stopOf({ finish: 'stop-sequence', stopSequence: '#' }, call)).toEqual(reason('tool_use'));
    expect(stopOf({ finish: 'length' }, call)).toMatchObject({ stop_reason: 'max_tokens' });
  });

  test('usage figures never contradict each other', () => {
    const events: ReplyEvent[] = answer([]);
    events.splice(-1, 0, { type: 'usage', usage: { input: 10, cacheRead: 9, cacheWrite: 9, output: 1 } });
    expect(endOf(events)?.['usage']).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 9,
      cache_creation_input_tokens: 1,
    });
  });
});
