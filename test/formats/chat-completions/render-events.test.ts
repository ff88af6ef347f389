import { describe, expect, test } from 'vitest';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { renderEvents } from '../../../src/formats/chat-completions/inbound/render-events.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { Sse } from '../../../src/streams/sse.ts';
import { ASKED, chunksOf, deltasOf, rendered, violations } from './answers.ts';

const START: ReplyEvent = { type: 'reply-start', id: 'msg_017xY', model: 'claude', created: 1_790_000_000 };
const END: ReplyEvent = { type: 'reply-end' };
const USAGE: ReplyEvent = { type: 'usage', usage: { input: 10, cacheRead: 4, output: 7, reasoning: 2 } };
const without = { ...ASKED, prompt: { ...ASKED.prompt, includeUsage: false } };

type Open = Extract<ReplyEvent, { type: 'part-start' }>['part'];

const part = (
  index: number,
  open: Open,
  texts: string[],
  details: object[] = [],
  more = {},
): ReplyEvent[] => [
  { type: 'part-start', choice: 0, index, part: open, ...more },
  ...texts.map((text): ReplyEvent => ({ type: 'part-delta', choice: 0, index, text })),
  ...details.map((detail): ReplyEvent => ({ type: 'part-detail', choice: 0, index, ...detail })),
  { type: 'part-end', choice: 0, index },
];
const stopped = (
  finish: Extract<ReplyEvent, { type: 'choice-end' }>['finish'] = 'stop',
  more = {},
): ReplyEvent => ({
  type: 'choice-end',
  choice: 0,
  finish,
  ...more,
});
const answer = (...events: ReplyEvent[]): ReplyEvent[] => [START, ...events, USAGE, END];
const text: Open = { kind: 'text' };
const call: Open = { kind: 'tool-call', id: 'call_1', name: 'f' };

describe('the frame', () => {
  const events = answer(...part(0, text, ['Hel', 'lo']), stopped());

  test('is role, text, finish reason, usage and [DONE]', () => {
    const said = rendered(events);
    const head =
      '"id":"chatcmpl-017xY","object":"chat.completion.chunk","created":1790000000,"model":"claude"';
    const choice = (delta: string, finish = 'null') =>
      `{${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":null}`;
    const usage =
      '{"prompt_tokens":10,"completion_tokens":7,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}';
    expect(said.map(({ data }) => data)).toEqual([
      choice('{"role":"assistant","content":"","refusal":null}'),
      choice('{"content":"Hel"}'),
      choice('{"content":"lo"}'),
      choice('{}', '"stop"'),
      `{${head},"choices":[],"usage":${usage}}`,
      '[DONE]',
    ]);
    expect(violations(said, true)).toEqual([]);
  });

  test('has no usage unless the caller asked for it', () => {
    const said = rendered(events, without);
    expect(said.some(({ data }) => data.includes('usage'))).toBe(false);
    expect(violations(said, false)).toEqual([]);
  });

  test('has no usage that the vendor did not count', () => {
    const said = rendered(events.filter(({ type }) => type !== 'usage'));
    expect(chunksOf(said).every((chunk) => chunk['usage'] === null)).toBe(true);
    expect(said.at(-1)).toEqual({ data: '[DONE]' });
  });

  test('takes missing fields from the request', () => {
    const [first] = chunksOf(rendered([{ type: 'reply-start', id: '', model: '' }, stopped(), END]));
    expect(first).toMatchObject({ id: 'chatcmpl-abc123', created: 1_700_000_000, model: 'a-model' });
  });

  test("has the vendor's own fields in the first chunk, under the standard ones", () => {
    const own = {
      format: 'chat-completions',
      fields: { system_fingerprint: 'fp_1', moderation: {} },
    } as const;
    const extra = { provider: 'P', id: 'not this', choices: 'nor this' };
    const said = chunksOf(
      rendered([
        { ...START, serviceTier: 'flex', formatSpecific: own, unknownFields: extra },
        stopped(),
        END,
      ]),
    );
    expect(said[0]).toMatchObject({
      provider: 'P',
      moderation: {},
      id: 'chatcmpl-017xY',
      service_tier: 'flex',
    });
    for (const chunk of said)
      expect(chunk).toMatchObject({ system_fingerprint: 'fp_1', service_tier: 'flex' });
    expect(said[1]).not.toHaveProperty('provider');
  });

  test('has several choices, each with its own role', () => {
    const second: ReplyEvent[] = [
      { type: 'part-start', choice: 1, index: 0, part: text },
      { type: 'part-delta', choice: 1, index: 0, text: 'b' },
      { type: 'part-end', choice: 1, index: 0 },
      { type: 'choice-end', choice: 1, finish: 'length' },
    ];
    const said = rendered(answer(...part(0, text, ['a']), ...second, stopped()));
    expect(violations(said, true)).toEqual([]);
    expect(deltasOf(said, 1)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'b' },
      {},
    ]);
  });
});

test.each<[string, string | null, ReplyEvent[]]>([
  ['text', '', part(0, text, ['a'])],
  ['a call', null, part(0, call, ['{}'])],
  ['thoughts', null, [...part(0, { kind: 'thinking' }, ['a']), ...part(1, text, ['b'])]],
  ['a refusal', null, part(0, { kind: 'refusal' }, ['No.'])],
  ['nothing at all', null, []],
])('a choice of %s begins with the content %j', (_, content, events) => {
  const said = rendered(answer(...events, stopped()));
  expect(deltasOf(said)[0]).toEqual({ role: 'assistant', content, refusal: null });
  expect(violations(said, true)).toEqual([]);
});

test('text is written as JSON text, whatever is in it', () => {
  const odd = '"\\\n\u2028\u0000😀\ud83d</script>';
  expect(deltasOf(rendered(answer(...part(0, text, [odd]), stopped())))[1]).toEqual({ content: odd });
});

describe('calls', () => {
  test('are numbered, name first, then arguments', () => {
    const other: Open = { ...call, id: 'call_2', name: 'g' };
    const said = rendered(
      answer(
        ...part(0, text, ['a']),
        ...part(1, call, ['{"x"', ':1}']),
        ...part(2, other, ['{}']),
        stopped('tool-calls'),
      ),
    );
    expect(deltasOf(said).slice(2, 7)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      { tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ]);
    expect(violations(said, true)).toEqual([]);
  });

  test('that were cut off before their arguments have none', () => {
    const said = rendered(answer(...part(0, call, []), stopped('length')));
    expect(deltasOf(said)[2]).toEqual({});
    expect(violations(said, true)).toEqual([]);
  });

  test('that are custom have an input, which may be empty', () => {
    const custom: Open = { ...call, custom: true };
    const said = rendered(
      answer(...part(0, custom, ['ls']), ...part(1, { ...custom, id: 'b' }, []), stopped('tool-calls')),
    );
    expect(deltasOf(said).slice(1)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'f', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'ls' } }] },
      { tool_calls: [{ index: 1, id: 'b', type: 'custom', custom: { name: 'f', input: '' } }] },
      {},
    ]);
    expect(violations(said, true)).toEqual([]);
  });

  test('carry a signature, whether known at once or later', () => {
    const signature = { origin: 'google', value: 'sig' } as const;
    const extra = { extra_content: { google: { thought_signature: 'sig' } } };
    const early = rendered(answer(...part(0, call, ['{}'], [], { signature }), stopped('tool-calls')));
    expect(deltasOf(early)[1]).toMatchObject({ tool_calls: [extra] });
    const late = rendered(answer(...part(0, call, ['{}'], [{ signature }]), stopped('tool-calls')));
    expect(deltasOf(late)[3]).toEqual({ tool_calls: [{ index: 0, function: { arguments: '' }, ...extra }] });
    expect(violations(late, true)).toEqual([]);
  });

  test('are a function_call for a caller that sent functions', () => {
    const asked = { ...ASKED, body: { functions: [{ name: 'f' }] } };
    const said = rendered(answer(...part(0, call, ['{"x":1}']), stopped('tool-calls')), asked);
    expect(deltasOf(said).slice(1)).toEqual([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"x":1}' } },
      {},
    ]);
    expect(said.at(-3)?.data).toContain('"finish_reason":"function_call"');
    expect(violations(said, true)).toEqual([]);
  });
});

describe('thoughts', () => {
  const thinking: Open = { kind: 'thinking' };

  test('are plain text only, if nothing is signed', () => {
    const said = rendered(answer(...part(0, thinking, ['a', 'b']), ...part(1, text, ['c']), stopped()));
    expect(deltasOf(said).slice(1)).toEqual([
      { reasoning_content: 'a' },
      { reasoning_content: 'b' },
      { content: 'c' },
      {},
    ]);
  });

  test('come again before the finish reason, all of them, if any is signed or redacted', () => {
    const signature = { origin: 'anthropic', value: 's1' } as const;
    const google = { origin: 'google', value: 's2' } as const;
    const said = rendered(
      answer(
        ...part(0, thinking, ['a', 'b'], [{ signature }]),
        ...part(1, thinking, [], [{ redacted: { origin: 'anthropic', value: 'r' } }]),
        ...part(2, thinking, ['c']),
        ...part(3, thinking, [], [{ signature: google }]),
        ...part(4, text, ['d']),
        stopped(),
      ),
    );
    const deltas = deltasOf(said);
    expect(deltas.filter((delta) => 'thinking_blocks' in delta)).toHaveLength(1);
    expect(deltas.at(-2)).toEqual({
      thinking_blocks: [
        { type: 'thinking', thinking: 'ab', signature: 's1' },
        { type: 'redacted_thinking', data: 'r' },
        { type: 'thinking', thinking: 'c' },
        { type: 'thinking', thinking: '', signature: 'google#s2' },
      ],
      reasoning_details: [
        { type: 'reasoning.text', text: 'ab', signature: 's1', format: 'anthropic-claude-v1', index: 0 },
        { type: 'reasoning.encrypted', data: 'r', format: 'anthropic-claude-v1', index: 1 },
        { type: 'reasoning.text', text: 'c', format: 'unknown', index: 2 },
        { type: 'reasoning.text', text: '', signature: 's2', format: 'google-gemini-v1', index: 3 },
      ],
    });
    expect(violations(said, true)).toEqual([]);
  });
});

describe('fields beside the text', () => {
  // Entries of the list have no index. OpenAI's Python client joins lists by it and fails at a second list.
  test('citations come once, after all text, counted over all of it', () => {
    const cited = (title: string, place = {}) => ({
      citation: { url: 'https://a.example', title, ...place },
    });
    const said = rendered(
      answer(
        ...part(0, text, ['one '], [cited('Z')]),
        ...part(
          1,
          text,
          ['two'],
          [cited('A'), cited('B', { start: 1, end: 2 }), { citation: { citedText: 'q' } }],
        ),
        stopped(),
      ),
    );
    expect(deltasOf(said).slice(3)).toEqual([
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { start_index: 0, end_index: 4, title: 'Z', url: 'https://a.example' },
          },
          {
            type: 'url_citation',
            url_citation: { start_index: 4, end_index: 7, title: 'A', url: 'https://a.example' },
          },
          {
            type: 'url_citation',
            url_citation: { start_index: 5, end_index: 6, title: 'B', url: 'https://a.example' },
          },
        ],
        provider_specific_fields: { citations: [{ cited_text: 'q' }] },
      },
      {},
    ]);
  });

  test('citations that come when their text has ended are among the others', () => {
    const late: ReplyEvent = {
      type: 'part-detail',
      choice: 0,
      index: 0,
      citation: { url: 'https://a.example', start: 0, end: 3 },
    };
    const whole = { citation: { url: 'https://b.example' } };
    const said = rendered(
      answer(
        ...part(0, text, ['one']),
        ...part(1, { kind: 'thinking' }, ['hm']),
        ...part(2, text, ['two'], [whole]),
        late,
        stopped(),
      ),
    );
    expect(deltasOf(said).at(-2)).toMatchObject({
      annotations: [
        { url_citation: { start_index: 0, end_index: 3, url: 'https://a.example' } },
        { url_citation: { start_index: 5, end_index: 8, url: 'https://b.example' } },
      ],
    });
    expect(violations(said, true)).toEqual([]);
  });

  test("a text's signature", () => {
    const said = rendered(
      answer(...part(0, text, ['a'], [{ signature: { origin: 'google', value: 's' } }]), stopped()),
    );
    expect(deltasOf(said)[2]).toEqual({ extra_content: { google: { thought_signature: 's' } } });
  });

  test('log probabilities', () => {
    const tokens = [{ token: 'é', logprob: -0.5, top: [{ token: 'e', logprob: -1, bytes: null }] }];
    const said = rendered(
      answer(...part(0, text, ['é']), { type: 'logprobs', choice: 0, tokens }, stopped()),
    );
    expect(chunksOf(said)[2]).toMatchObject({
      choices: [
        {
          delta: {},
          logprobs: {
            content: [
              {
                token: 'é',
                logprob: -0.5,
                bytes: [195, 169],
                top_logprobs: [{ token: 'e', logprob: -1, bytes: null }],
              },
            ],
            refusal: null,
          },
        },
      ],
    });
    expect(violations(said, true)).toEqual([]);
  });

  test('blocks that only another format can read', () => {
    const block = { type: 'server_tool_use', id: 'x' };
    const said = rendered(
      answer(
        ...part(0, { kind: 'opaque', format: 'messages', value: block }, []),
        ...part(1, text, ['a']),
        stopped(),
      ),
    );
    expect(deltasOf(said).at(-2)).toEqual({ provider_specific_fields: { messages: [block] } });
  });

  test("the end's own fields, under the standard ones", () => {
    const end = stopped('malformed-call', {
      native: 'MALFORMED_FUNCTION_CALL',
      explanation: 'bad',
      formatSpecific: { format: 'generate-content', fields: { groundingMetadata: { x: 1 } } },
      unknownFields: { seed: 1, index: 9 },
    });
    expect(chunksOf(rendered(answer(end)))[1]).toMatchObject({
      choices: [
        {
          index: 0,
          delta: {},
          seed: 1,
          groundingMetadata: { x: 1 },
          finish_reason: 'content_filter',
          native_finish_reason: 'MALFORMED_FUNCTION_CALL',
          finish_explanation: 'bad',
        },
      ],
    });
  });
});

describe('a failure', () => {
  test('is one error object, without [DONE] after it', () => {
    const said: Sse[] = rendered([START, ...part(0, text, ['a'])]);
    const out = { enqueue: (event: Sse) => void said.push(event) };
    renderEvents(ASKED).fail(new GatewayError('upstream-broken', 'It broke.'), out);
    expect(said.at(-1)).toEqual({
      data: '{"error":{"message":"It broke.","type":"api_error","param":null,"code":null}}',
    });
    expect(violations(said, true)).toEqual([]);
  });
});
