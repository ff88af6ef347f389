import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import type { Reply, ReplyEvent } from '../../../src/conversation/reply.ts';
import { renderEvents } from '../../../src/formats/generate-content/inbound/render-events.ts';
import { renderReply } from '../../../src/formats/generate-content/inbound/render-reply.ts';
import { parseEvents } from '../../../src/formats/generate-content/outbound/parse-events.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { run } from '../../../src/streams/step.ts';
import { gatewayErrorOf } from '../../support/gateway-error.ts';
import { ASKED, chunk, events, LEVELS, PROMPT } from './fixtures.ts';

const END = { finishReason: 'STOP' };
const reply = (chunks: readonly JsonObject[], prompt?: PromptOutline): Reply =>
  collect(events(chunks, prompt));
const parts = (chunks: readonly JsonObject[], prompt?: PromptOutline) =>
  reply(chunks, prompt).choices[0]?.parts;
const end = (chunks: readonly JsonObject[]) => reply(chunks).choices[0]?.end;
const call = (name: string, args?: JsonObject, more: JsonObject = {}): JsonObject => ({
  functionCall: { name, ...(args && { args }), ...more },
});

const failure = (chunks: readonly (JsonObject | string)[]) =>
  gatewayErrorOf(() =>
    run(
      parseEvents(PROMPT, LEVELS),
      chunks.map((data) => ({ data: typeof data === 'string' ? data : JSON.stringify(data) })),
    ),
  );

test('a thought that a gateway before the vendor has hidden in a signature comes back', () => {
  const signature = { origin: 'anthropic', value: 'EqQB' } as const;
  const tools: PromptOutline = { ...PROMPT, tools: [{ kind: 'function', name: 'f' }] };
  const asked = { ...ASKED, prompt: tools };
  const at = (index: number) => ({ choice: 0, index });
  const said: readonly ReplyEvent[] = [
    { type: 'reply-start', id: 'a', model: 'm' },
    { type: 'part-start', ...at(0), part: { kind: 'thinking' } },
    { type: 'part-delta', ...at(0), text: 'Hm.' },
    { type: 'part-detail', ...at(0), signature },
    { type: 'part-end', ...at(0) },
    { type: 'part-start', ...at(1), part: { kind: 'tool-call', id: 'c', name: 'f' } },
    { type: 'part-delta', ...at(1), text: '{}' },
    { type: 'part-end', ...at(1) },
    { type: 'choice-end', choice: 0, finish: 'tool-calls' },
    { type: 'reply-end' },
  ];
  const streamed = run(renderEvents(asked), said);
  const whole = { data: JSON.stringify(renderReply(collect(said), asked)) };
  for (const answer of [streamed, [whole]]) {
    expect(JSON.stringify(answer)).not.toContain('Hm.');
    expect(collect(run(parseEvents(tools, LEVELS), answer)).choices[0]?.parts).toMatchObject([
      { kind: 'thinking', text: 'Hm.', signature },
      { kind: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
    ]);
  }
});

describe('the order of events', () => {
  test('a text is one part of many pieces; its end and the usage come when the stream is over', () => {
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 };
    expect(
      events([
        chunk([{ text: 'a' }], {}, { usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 } }),
        chunk(
          [{ text: 'b' }, { text: '' }],
          {},
          { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6 } },
        ),
        chunk([{ text: 'c' }], END, { usageMetadata }),
      ]),
    ).toEqual([
      { type: 'usage', usage: { input: 5, output: 0 } },
      { type: 'reply-start', id: 'R1', model: 'gemini-3-flash-preview' },
      { type: 'part-start', choice: 0, index: 0, part: { kind: 'text' }, mayBeSigned: true },
      { type: 'part-delta', choice: 0, index: 0, text: 'a' },
      { type: 'part-delta', choice: 0, index: 0, text: 'b' },
      { type: 'part-delta', choice: 0, index: 0, text: 'c' },
      { type: 'usage', usage: { input: 5, output: 2 } },
      { type: 'part-end', choice: 0, index: 0 },
      { type: 'choice-end', choice: 0, finish: 'stop' },
      { type: 'reply-end' },
    ] satisfies ReplyEvent[]);
  });

  test('several candidates may interleave in any order', () => {
    const of = (index: number, text: string, more: JsonObject = {}) => ({
      candidates: [{ content: { parts: [{ text }] }, index, ...more }],
    });
    const found = reply([
      of(1, 'x'),
      of(0, 'a'),
      of(1, 'y', { finishReason: 'MAX_TOKENS' }),
      of(0, 'b', END),
    ]);
    expect(found.choices.map((choice) => [choice.parts, choice.end.finish])).toEqual([
      [[{ kind: 'text', text: 'ab' }], 'stop'],
      [[{ kind: 'text', text: 'xy' }], 'length'],
    ]);
  });

  test('a stream without `alt=sse` is a list of chunks', () => {
    const chunks = [chunk([{ text: 'a' }]), chunk([{ text: 'b' }], END)];
    expect(run(parseEvents(PROMPT, LEVELS), [{ data: JSON.stringify(chunks) }])).toEqual(events(chunks));
  });

  test('a candidate may have no content, no parts, one part without a list, or null among them', () => {
    const of = (content: JsonObject[string]) => ({
      candidates: [{ ...(content !== undefined && { content }) }],
    });
    const chunks = [
      of(undefined),
      of({}),
      of({ parts: { text: 'a' } }),
      of({ parts: [null, 3, { text: 'b' }] }),
      { candidates: [END] },
    ];
    expect(parts(chunks)).toEqual([{ kind: 'text', text: 'ab' }]);
  });
});

test('null is the same as absent', () => {
  const nulls = { thought: null, thoughtSignature: null, functionCall: null, inlineData: null };
  const candidate = { safetyRatings: null, groundingMetadata: null, finishMessage: null };
  const first = chunk(
    [{ text: 'a', ...nulls }],
    { ...candidate, finishReason: null },
    { error: null, promptFeedback: null },
  );
  const last = chunk([{ ...nulls, text: null, functionCall: { name: 'f', args: null, id: null } }], {
    ...candidate,
    ...END,
  });
  const found = reply([first, last]);
  expect(found.start).toEqual({ type: 'reply-start', id: 'R1', model: 'gemini-3-flash-preview' });
  expect(found.choices).toEqual([
    {
      parts: [
        { kind: 'text', text: 'a' },
        { kind: 'tool-call', id: 'call_R1_0', name: 'f', arguments: '{}' },
      ],
      end: { finish: 'tool-calls' },
    },
  ]);
});

describe('thinking and signatures', () => {
  test('alternating thoughts and texts are parts of their own', () => {
    const chunks = [
      chunk([{ text: 'hm', thought: true }]),
      chunk([{ text: ' hm', thought: true }, { text: 'So' }]),
      chunk([{ text: 'wait', thought: true }]),
      chunk([{ text: '42' }], END),
    ];
    expect(parts(chunks)).toEqual([
      { kind: 'thinking', text: 'hm hm' },
      { kind: 'text', text: 'So' },
      { kind: 'thinking', text: 'wait' },
      { kind: 'text', text: '42' },
    ]);
  });

  test('a signature may stand on a text, on a call, in an empty text at the end, and in an empty part', () => {
    const google = (value: string) => ({ origin: 'google', value });
    expect(parts([chunk([{ text: 'a', thoughtSignature: 'S' }, { text: 'b' }], END)])).toEqual([
      { kind: 'text', text: 'a', signature: google('S') },
      { kind: 'text', text: 'b' },
    ]);
    expect(parts([chunk([{ ...call('f', {}), thoughtSignature: 'S' }, call('g')], END)])).toMatchObject([
      { signature: google('S') },
      { name: 'g' },
    ]);
    expect(parts([chunk([{ text: 'a' }]), chunk([{ text: '', thoughtSignature: 'S' }], END)])).toEqual([
      { kind: 'text', text: 'a', signature: google('S') },
    ]);
    expect(parts([chunk([{ text: 'a', thought: true }]), chunk([{ thoughtSignature: 'S' }], END)])).toEqual([
      { kind: 'thinking', text: 'a' },
      { kind: 'text', text: '', signature: google('S') },
    ]);
  });

  test("another vendor's signature, sealed by this format's renderer, is that vendor's again", () => {
    const sealed = (text: string, value: string) => ({ text, thought: true, thoughtSignature: value });
    expect(parts([chunk([sealed('hm', 'anthropic#Eq'), sealed('', 'anthropic#r.Em')], END)])).toEqual([
      { kind: 'thinking', text: 'hm', signature: { origin: 'anthropic', value: 'Eq' } },
      { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'Em' } },
    ]);
  });

  test('a signature on a thought stays on the thought', () => {
    expect(
      parts([chunk([{ text: 'a', thought: true, thoughtSignature: 'S' }, { text: 'b' }], END)]),
    ).toMatchObject([{ kind: 'thinking', signature: { value: 'S' } }, { kind: 'text' }]);
  });
});

describe('calls', () => {
  test('each call is a whole part, also if two have one name', () => {
    const chunks = [
      chunk([{ text: 'Both.' }, call('add', { a: 1 }), call('add', { a: 2 })]),
      chunk([call('now')]),
      chunk([{ text: '' }], END),
    ];
    const found = reply(chunks);
    expect(found.choices[0]?.parts).toEqual([
      { kind: 'text', text: 'Both.' },
      { kind: 'tool-call', id: 'call_R1_0', name: 'add', arguments: '{"a":1}' },
      { kind: 'tool-call', id: 'call_R1_1', name: 'add', arguments: '{"a":2}' },
      { kind: 'tool-call', id: 'call_R1_2', name: 'now', arguments: '{}' },
    ]);
    expect(found.choices[0]?.end).toEqual({ finish: 'tool-calls' });
    expect(reply(chunks)).toEqual(found);
  });

  test('an id from Gemini is kept, and an empty one is replaced', () => {
    expect(parts([chunk([call('f', {}, { id: 'k3v9' }), call('f', {}, { id: '' })], END)])).toMatchObject([
      { id: 'k3v9' },
      { id: 'call_R1_1' },
    ]);
  });

  test('if the answer has no id, the calls get none: they are made from the exchange', () => {
    const answer = { candidates: [{ content: { parts: [call('f')] }, ...END }] };
    expect(parts([answer])).toMatchObject([{ id: '' }]);
  });

  test('the ids of several candidates differ', () => {
    const of = (index: number) => ({ content: { parts: [call('f')] }, ...END, index });
    const found = reply([{ candidates: [of(0), of(1)], responseId: 'R' }]);
    expect(found.choices.map((choice) => choice.parts[0])).toMatchObject([
      { id: 'call_R_0' },
      { id: 'call_R_1-0' },
    ]);
  });

  test.each([
    ['in a list', (part: string) => `[${part}]`],
    ['by itself', (part: string) => part],
  ])('numbers that JavaScript cannot hold come through digit by digit, their part %s', (_, written) => {
    const parts = written('{"functionCall":{"name":"f","args":{"n":12345678901234567890}}}');
    const data = `{"candidates":[{"content":{"parts":${parts}},"finishReason":"STOP"}]}`;
    expect(collect(run(parseEvents(PROMPT, LEVELS), [{ data }])).choices[0]?.parts).toMatchObject([
      { arguments: '{"n":12345678901234567890}' },
    ]);
  });

  test('arguments may come in pieces (Vertex AI)', () => {
    const piece = (jsonPath: string, value: JsonObject) => ({ jsonPath, ...value });
    const chunks = [
      chunk([call('f', undefined, { willContinue: true })]),
      chunk([
        {
          functionCall: {
            partialArgs: [piece('$.city', { stringValue: 'Os', willContinue: true })],
            willContinue: true,
          },
        },
      ]),
      chunk([
        {
          functionCall: {
            partialArgs: [piece('$.city', { stringValue: 'lo' }), piece('$.days[0]', { numberValue: 3 })],
            willContinue: true,
          },
        },
      ]),
      chunk([
        {
          functionCall: {
            partialArgs: [
              piece("$['deep'].ok", { boolValue: true }),
              piece('$.none', { nullValue: 'NULL_VALUE' }),
            ],
            willContinue: true,
          },
        },
      ]),
      chunk([{ functionCall: {} }]),
      chunk([call('g', {})], END),
    ];
    expect(parts(chunks)).toEqual([
      {
        kind: 'tool-call',
        id: 'call_R1_0',
        name: 'f',
        arguments: '{"city":"Oslo","days":[3],"deep":{"ok":true},"none":null}',
      },
      { kind: 'tool-call', id: 'call_R1_1', name: 'g', arguments: '{}' },
    ]);
  });

  test('lists and objects may come in pieces, with their ends, and may be empty (Vertex AI)', () => {
    const pieces = [
      { jsonPath: '$' },
      { jsonPath: '$.tags[]' },
      { jsonPath: '$.deep.more' },
      { jsonPath: '$.open', willContinue: true },
      { jsonPath: '$.items[0].name', stringValue: 'a', willContinue: true },
      { jsonPath: '$.items[0].name' },
      { jsonPath: '$.items.1.name', stringValue: 'b' },
      { jsonPath: '$.items[]' },
      { jsonPath: '$.deep.0', numberValue: 1 },
    ];
    const streamed = pieces.map((piece) =>
      chunk([{ functionCall: { partialArgs: [piece], willContinue: true } }]),
    );
    expect(
      parts([
        chunk([call('f', undefined, { willContinue: true })]),
        ...streamed,
        chunk([{ functionCall: {} }], END),
      ]),
    ).toMatchObject([
      { arguments: '{"tags":[],"deep":{"0":1,"more":{}},"items":[{"name":"a"},{"name":"b"}]}' },
    ]);
  });

  test.each(['$', '$.a[9]', '$..a', 'a b', '$.s.t'])(
    'an argument that has no place is a broken answer: %s',
    (jsonPath) => {
      const pieces = [
        { jsonPath: '$.s', stringValue: 'x' },
        { jsonPath, stringValue: 'x' },
      ];
      expect(failure([chunk([call('f', undefined, { partialArgs: pieces })], END)]).fault).toBe(
        'upstream-broken',
      );
    },
  );

  test('a call without a name becomes an opaque part', () => {
    const nameless = { functionCall: { name: '', args: { a: 1 } } };
    expect(parts([chunk([nameless, { functionCall: {} }], END)])).toEqual([
      { kind: 'opaque', format: 'generate-content', value: nameless },
    ]);
  });

  test('a service in front of Gemini may write arguments as text', () => {
    const args = '{"a":1}';
    expect(parts([chunk([{ functionCall: { name: 'f', args } }], END)])).toMatchObject([{ arguments: args }]);
  });

  test('a renamed function has the caller’s name again', () => {
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'function', name: '9 lives' }] };
    const name = '_9_lives_ksf4ck';
    const [part] = parts([chunk([call(name)], END)], prompt) ?? [];
    expect(part).toMatchObject({ name: expect.stringMatching(/lives/) });
  });

  test('a call of a custom tool is a custom call again', () => {
    const prompt: PromptOutline = { ...PROMPT, tools: [{ kind: 'custom', name: 'sql' }] };
    expect(parts([chunk([call('sql', { input: 'select 1' })], END)], prompt)).toMatchObject([
      { kind: 'tool-call', custom: true, arguments: 'select 1' },
    ]);
  });

  test('calls that Google makes and answers itself become opaque parts', () => {
    const prompt: PromptOutline = {
      ...PROMPT,
      tools: [
        { kind: 'hosted', format: 'generate-content', value: { mcpServers: [] } },
        { kind: 'function', name: 'mine' },
      ],
    };
    const theirs = { functionResponse: { name: 'theirs', response: {} } };
    const chunks = [chunk([call('theirs', {})], END), chunk([theirs]), chunk([{ text: 'x' }], END)];
    expect(parts(chunks, prompt)?.map((part) => part.kind)).toEqual(['opaque', 'opaque', 'text']);
    expect(reply(chunks, prompt).choices[0]?.end.finish).toBe('stop');
    expect(parts([chunk([call('mine')], END)], prompt)).toMatchObject([{ kind: 'tool-call' }]);
  });
});

describe('data that only Google can read', () => {
  test('is carried whole, and the text continues after it', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' } };
    const sound = { inlineData: { mimeType: 'audio/wav', data: 'AA==' }, thoughtSignature: 'S' };
    expect(parts([chunk([{ text: 'a' }, code, { text: 'b' }, sound], END)])).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'opaque', format: 'generate-content', value: code },
      { kind: 'text', text: 'b' },
      { kind: 'opaque', format: 'generate-content', value: sound },
    ]);
  });

  test('an image is also kept as an image, beside Google’s own part', () => {
    const value = { inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 'S' };
    const image = {
      kind: 'media',
      media: 'image',
      mediaType: 'image/png',
      source: { kind: 'base64', data: 'AA==' },
      signature: { origin: 'google', value: 'S' },
    };
    expect(parts([chunk([value], END)])).toEqual([
      { kind: 'opaque', format: 'generate-content', value, image },
    ]);
  });

  test('a part that holds text and other data loses neither', () => {
    const audio = { inlineData: { mimeType: 'audio/wav', data: 'AA==' } };
    expect(parts([chunk([{ text: 'a', ...audio }], END)])).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'opaque', format: 'generate-content', value: audio },
    ]);
  });
});

describe('the reason to stop', () => {
  test.each<[JsonObject[string], string, string | undefined]>([
    ['STOP', 'stop', undefined],
    ['MAX_TOKENS', 'length', undefined],
    ['SAFETY', 'content-filter', 'SAFETY'],
    ['RECITATION', 'content-filter', 'RECITATION'],
    ['IMAGE_SAFETY', 'content-filter', 'IMAGE_SAFETY'],
    ['LANGUAGE', 'content-filter', 'LANGUAGE'],
    ['BLOCKLIST', 'content-filter', 'BLOCKLIST'],
    ['PROHIBITED_CONTENT', 'content-filter', 'PROHIBITED_CONTENT'],
    ['SPII', 'content-filter', 'SPII'],
    ['MODEL_ARMOR', 'content-filter', 'MODEL_ARMOR'],
    ['ESCALATION', 'content-filter', 'ESCALATION'],
    ['PUP_LIMITED_DISABLED', 'content-filter', 'PUP_LIMITED_DISABLED'],
    ['IMAGE_PROHIBITED_CONTENT', 'content-filter', 'IMAGE_PROHIBITED_CONTENT'],
    ['IMAGE_RECITATION', 'content-filter', 'IMAGE_RECITATION'],
    ['TOO_MANY_TOOL_CALLS', 'malformed-call', 'TOO_MANY_TOOL_CALLS'],
    ['MISSING_THOUGHT_SIGNATURE', 'malformed-call', 'MISSING_THOUGHT_SIGNATURE'],
    ['MALFORMED_FUNCTION_CALL', 'malformed-call', 'MALFORMED_FUNCTION_CALL'],
    ['UNEXPECTED_TOOL_CALL', 'malformed-call', 'UNEXPECTED_TOOL_CALL'],
    ['MALFORMED_RESPONSE', 'malformed-call', 'MALFORMED_RESPONSE'],
    ['CONTINUATION', 'length', 'CONTINUATION'],
    ['OTHER', 'other', 'OTHER'],
    ['constructor', 'other', 'constructor'],
    [1, 'stop', undefined],
    [3, 'content-filter', 'SAFETY'],
    [10, 'malformed-call', 'MALFORMED_FUNCTION_CALL'],
    [17, 'content-filter', 'IMAGE_RECITATION'],
    [99, 'other', '99'],
  ])('%j', (finishReason, finish, native) => {
    expect(end([chunk([{ text: 'a' }], { finishReason })])).toEqual({ finish, ...(native && { native }) });
  });

  test('a word of tomorrow is kept as it is', () => {
    expect(end([chunk([{ text: 'a' }], { finishReason: 'A_WORD_OF_TOMORROW' })])).toEqual({
      finish: 'other',
      native: 'A_WORD_OF_TOMORROW',
      formatSpecific: {
        format: 'generate-content',
        fields: {},
        roundTrip: { finishReason: 'A_WORD_OF_TOMORROW' },
      },
    });
  });

  test('a call before a bare STOP ends with calls; a call that the limit cut off does not', () => {
    expect(end([chunk([call('f')]), chunk([{ text: '' }], END)])?.finish).toBe('tool-calls');
    expect(end([chunk([call('f')], { finishReason: 'UNEXPECTED_TOOL_CALL' })])?.finish).toBe('tool-calls');
    expect(end([chunk([call('f')], { finishReason: 'MAX_TOKENS' })])?.finish).toBe('length');
  });

  test('STOP in every chunk does not end the answer early', () => {
    expect(parts([chunk([{ text: 'a' }], END), chunk([{ text: 'b' }], END)])).toEqual([
      { kind: 'text', text: 'ab' },
    ]);
  });

  test('MALFORMED_FUNCTION_CALL without content keeps its explanation', () => {
    const candidate = {
      content: {},
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: 'Malformed function call: f(',
    };
    expect(end([{ candidates: [candidate] }])).toEqual({
      finish: 'malformed-call',
      native: 'MALFORMED_FUNCTION_CALL',
      explanation: 'Malformed function call: f(',
    });
  });

  test.each([
    ['PROHIBITED_CONTENT', 'PROHIBITED_CONTENT'],
    [1, 'SAFETY'],
  ])('a prompt that is blocked (%j) is an answer without parts', (blockReason, native) => {
    const promptFeedback = { blockReason, blockReasonMessage: 'No.' };
    const found = reply([{ promptFeedback, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } }]);
    expect(found.choices).toEqual([
      {
        parts: [],
        end: {
          finish: 'content-filter',
          native,
          explanation: 'No.',
          formatSpecific: { format: 'generate-content', fields: { promptFeedback } },
        },
      },
    ]);
    expect(found.usage).toEqual({ input: 4, output: 0 });
  });

  test('feedback without a block reason is only carried', () => {
    const promptFeedback = { safetyRatings: [] };
    expect(end([{ ...chunk([{ text: 'a' }], END), promptFeedback }])).toEqual({
      finish: 'stop',
      formatSpecific: { format: 'generate-content', fields: { promptFeedback } },
    });
  });

  test('ratings, metadata and unknown fields come with the end', () => {
    const chunks = [
      chunk([{ text: 'a' }], { safetyRatings: [1] }),
      chunk([{ text: '' }], { ...END, avgLogprobs: -0.1, novelty: 2 }, { turnToken: 't' }),
    ];
    expect(end(chunks)).toEqual({
      finish: 'stop',
      formatSpecific: { format: 'generate-content', fields: { safetyRatings: [1], avgLogprobs: -0.1 } },
      unknownFields: { novelty: 2, turnToken: 't' },
    });
  });
});

describe('usage', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'thoughts are output',
      { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 22 },
      { input: 10, output: 12, reasoning: 7 },
    ],
    [
      'the cached part is inside the prompt',
      { promptTokenCount: 10, cachedContentTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 11 },
      { input: 10, cacheRead: 8, output: 1 },
    ],
    [
      'what tools read is input',
      { promptTokenCount: 10, toolUsePromptTokenCount: 30, candidatesTokenCount: 1, totalTokenCount: 41 },
      {
        input: 40,
        output: 1,
        formatSpecific: { format: 'generate-content', fields: { toolUsePromptTokenCount: 30 } },
      },
    ],
    ['a figure of 0 is left out', { promptTokenCount: 10, totalTokenCount: 10 }, { input: 10, output: 0 }],
    [
      'details are carried',
      { promptTokenCount: 1, totalTokenCount: 1, promptTokensDetails: [] },
      {
        input: 1,
        output: 0,
        formatSpecific: { format: 'generate-content', fields: { promptTokensDetails: [] } },
      },
    ],
  ])('%s', (_, usageMetadata, expected) => {
    expect(reply([chunk([{ text: 'a' }], END, { usageMetadata })]).usage).toEqual(expected);
  });

  test('is cumulative: the last figures count', () => {
    const of = (candidatesTokenCount: number) => ({
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount, totalTokenCount: 9 + candidatesTokenCount },
    });
    const found = events([
      chunk([{ text: 'a' }], {}, of(1)),
      chunk([{ text: 'b' }], {}, of(2)),
      chunk([{ text: 'c' }], END, of(3)),
    ]);
    expect(collect(found).usage).toEqual({ input: 9, output: 3 });
    expect(found.filter((event) => event.type === 'usage')).toHaveLength(2);
  });

  test('a chunk with only a traffic type has no usage', () => {
    expect(
      reply([chunk([{ text: 'a' }], END, { usageMetadata: { trafficType: 'ON_DEMAND' } })]).usage,
    ).toEqual({});
  });
});

describe('citations', () => {
  const grounding = (text: string, quoted: string, more: JsonObject = {}): JsonObject => {
    const at = text.indexOf(quoted);
    const startIndex = Buffer.byteLength(text.slice(0, at));
    const segment = {
      ...(startIndex > 0 && { startIndex }),
      endIndex: startIndex + Buffer.byteLength(quoted),
      text: quoted,
      ...more,
    };
    return {
      groundingMetadata: {
        groundingChunks: [
          { web: { uri: 'https://a.example', title: 'A' } },
          { maps: { uri: 'https://b.example' } },
          { web: {} },
        ],
        groundingSupports: [{ segment, groundingChunkIndices: [0, 1, 2, 9, 'x'] }],
      },
    };
  };
  const citations = (chunks: readonly JsonObject[]) =>
    parts(chunks)?.flatMap((part) => (part.kind === 'text' ? [part.citations ?? []] : []));

  test('offsets in bytes of UTF-8 become UTF-16 code units', () => {
    const text = 'Zürich 🍰 is nice. It rains.';
    const found = citations([
      chunk([{ text: text.slice(0, 9) }]),
      chunk([{ text: text.slice(9) }], { ...END, ...grounding(text, '🍰 is nice.') }),
    ]);
    const place = { citedText: '🍰 is nice.', start: 7, end: 18 };
    expect(found).toEqual([
      [
        { url: 'https://a.example', title: 'A', ...place },
        { url: 'https://b.example', ...place },
      ],
    ]);
    expect(text.slice(7, 18)).toBe('🍰 is nice.');
  });

  test('if words occur twice in the text, the offsets decide, with or without a quotation', () => {
    const text = 'Zürich 🍰. Zürich 🍰.';
    const segment = { startIndex: 14, endIndex: 27, text: 'Zürich 🍰.' };
    for (const more of [{}, { text: null }]) {
      const found = citations([
        chunk([{ text }], { ...END, ...grounding(text, text, { ...segment, ...more }) }),
      ]);
      expect(found?.[0]?.[0]).toMatchObject({ start: 11, end: 21 });
    }
    const citationSources = [{ uri: 'https://a.example', startIndex: 14, endIndex: 27 }];
    const cited = citations([chunk([{ text }], { ...END, citationMetadata: { citationSources } })]);
    expect(cited?.[0]).toEqual([{ url: 'https://a.example', start: 11, end: 21 }]);
  });

  test('offsets count over all text; a part after a thought has offsets of its own', () => {
    const found = citations([
      chunk([{ text: 'Äh. ' }, { text: 'hm', thought: true }, { text: 'It rains.' }], {
        ...END,
        ...grounding('Äh. It rains.', 'It rains.'),
      }),
    ]);
    expect(found?.[1]?.[0]).toMatchObject({ start: 0, end: 9 });
  });

  const both: JsonObject = {
    groundingMetadata: {
      groundingChunks: [{ web: { uri: 'https://a.example' } }, { web: { uri: 'https://b.example' } }],
      groundingSupports: [
        { segment: { endIndex: 4, text: 'Äh.' }, groundingChunkIndices: [0] },
        { segment: { startIndex: 4, endIndex: 13, text: 'It rains.' }, groundingChunkIndices: [1] },
      ],
    },
  };
  const onBoth = [
    [{ url: 'https://a.example', citedText: 'Äh.', start: 0, end: 3 }],
    [{ url: 'https://b.example', citedText: 'It rains.', start: 0, end: 9 }],
  ];

  test('each text has its own citations, if they are known when it ends', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' } };
    expect(citations([chunk([{ text: 'Äh.' }, code, { text: 'It rains.' }], { ...END, ...both })])).toEqual(
      onBoth,
    );
    expect(
      citations([
        chunk([{ text: 'Äh.' }]),
        chunk([code, { text: 'It ' }], both),
        chunk([{ text: 'rains.' }], { ...END, ...both }),
      ]),
    ).toEqual(onBoth);
  });

  const late = chunk([{ text: '' }], { ...END, ...both });

  test('each text has its own citations, if they are known only when it has ended', () => {
    for (const between of [call('f'), { text: 'hm', thought: true }]) {
      const texts = [chunk([{ text: 'Äh.' }]), chunk([between]), chunk([{ text: 'It rains.' }])];
      expect(citations([...texts, late])).toEqual(onBoth);
      expect(citations([...texts, chunk([between]), late])).toEqual(onBoth);
    }
    const thought = chunk([{ text: 'hm', thought: true }]);
    const order = events([chunk([{ text: 'Äh.' }]), thought, late]).map(({ type }) => type);
    expect(order.slice(-5)).toEqual(['part-end', 'part-detail', 'part-detail', 'choice-end', 'reply-end']);
  });

  test('a citation over two texts ends with the one in which it begins; one without a place is of the last', () => {
    const citationSources = [
      { uri: 'https://a.example', startIndex: 1, endIndex: 6 },
      { uri: 'https://b.example' },
    ];
    const thought = chunk([{ text: 'hm', thought: true }]);
    const sources = chunk([{ text: '' }], { ...END, citationMetadata: { citationSources } });
    expect(
      citations([chunk([{ text: 'abc' }]), thought, chunk([{ text: 'def' }]), thought, sources]),
    ).toEqual([[{ url: 'https://a.example', start: 1, end: 3 }], [{ url: 'https://b.example' }]]);
  });

  test('a call after the text does not remove them', () => {
    const texts = [{ text: 'Äh.' }, { text: 'It rains.' }];
    const found = citations([chunk([...texts, call('f')], { ...END, ...both })]);
    expect(found).toEqual([
      [
        { url: 'https://a.example', citedText: 'Äh.', start: 0, end: 3 },
        { url: 'https://b.example', citedText: 'It rains.', start: 3, end: 12 },
      ],
    ]);
  });

  test('if offsets do not fit, the text is searched for the quotation; if it is not there, they are left out', () => {
    const text = 'It rains.';
    expect(
      citations([
        chunk([{ text }], { ...END, ...grounding(text, 'rains', { startIndex: 500, endIndex: 505 }) }),
      ])?.[0]?.[0],
    ).toMatchObject({ start: 3, end: 8 });
    const nowhere = citations([
      chunk([{ text }], {
        ...END,
        ...grounding(text, 'rains', { startIndex: 500, endIndex: 505, text: 'snows' }),
      }),
    ])?.[0]?.[0];
    expect(nowhere).toEqual({ url: 'https://a.example', title: 'A', citedText: 'snows' });
  });

  test('sources of recitation become citations', () => {
    const citationMetadata = {
      citationSources: [{ startIndex: 0, endIndex: 2, uri: 'https://c.example' }, { uri: '' }],
    };
    expect(citations([chunk([{ text: 'abc' }], { ...END, citationMetadata })])).toEqual([
      [{ url: 'https://c.example', start: 0, end: 2 }],
    ]);
  });

  test('citations that come in pieces add up', () => {
    const of = (uri: string) => ({ citationMetadata: { citationSources: [{ uri, endIndex: 1 }] } });
    expect(
      citations([
        chunk([{ text: 'a' }], of('https://1.example')),
        chunk([{ text: 'b' }], { ...END, ...of('https://2.example') }),
      ])?.[0],
    ).toHaveLength(2);
  });
});

describe('log probabilities', () => {
  test('the chosen tokens, with the other likely ones', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', logProbability: -0.5, tokenId: 7 }],
      topCandidates: [
        {
          candidates: [
            { token: 'é', logProbability: -0.5 },
            { token: 'e', logProbability: -1 },
          ],
        },
      ],
    };
    expect(reply([chunk([{ text: 'é' }], { ...END, logprobsResult })]).choices[0]?.logprobs).toEqual([
      {
        token: 'é',
        logprob: -0.5,
        bytes: [195, 169],
        top: [
          { token: 'é', logprob: -0.5, bytes: [195, 169] },
          { token: 'e', logprob: -1, bytes: [101] },
        ],
      },
    ]);
  });
});

describe('the answer itself', () => {
  test('has its time, its tier, its status, and unknown fields', () => {
    const answer = {
      createTime: '2026-03-01T10:00:00.5Z',
      modelStatus: { modelStage: 'LEGACY' },
      novelty: 1,
      usageMetadata: { promptTokenCount: 1, totalTokenCount: 1, serviceTier: 'STANDARD' },
    };
    expect(reply([chunk([{ text: 'a' }], END, answer)]).start).toEqual({
      type: 'reply-start',
      id: 'R1',
      model: 'gemini-3-flash-preview',
      created: 1_772_359_200,
      serviceTier: 'default',
      formatSpecific: {
        format: 'generate-content',
        fields: { createTime: answer.createTime, modelStatus: answer.modelStatus },
      },
      unknownFields: { novelty: 1 },
    });
  });

  test('may have no id and no model', () => {
    expect(reply([{ candidates: [{ content: { parts: [{ text: 'a' }] }, ...END }] }]).start).toEqual({
      type: 'reply-start',
      id: '',
      model: '',
    });
  });
});

describe('failures', () => {
  test.each<[string, (JsonObject | string)[]]>([
    ['nothing at all', []],
    ['an answer that never said why it stopped', [chunk([{ text: 'a' }])]],
    ['one of two candidates unfinished', [{ candidates: [{ ...END }, { index: 1 }] }]],
    ['usage and no candidate', [{ usageMetadata: { totalTokenCount: 3 } }]],
    ['no JSON', ['{"candidates":[']],
    ['JSON that is no object', ['3']],
    ['an impossible index', [chunk([], { ...END }), { candidates: [{ index: 1e9, ...END }] }]],
    ['a negative index', [{ candidates: [{ index: -1, ...END }] }]],
    ['a fractional index', [{ candidates: [{ index: 0.5, ...END }] }]],
  ])('%s is a broken answer', (_, chunks) => {
    const error = failure(chunks);
    expect([error.fault, error.status]).toEqual(['upstream-broken', 502]);
  });

  test('an error object is thrown as what it means: in a stream, in a body, in a list', () => {
    const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
    for (const chunks of [[chunk([{ text: 'a' }]), error], [error], [JSON.stringify([error])]]) {
      expect(failure(chunks)).toMatchObject({
        fault: 'upstream-overloaded',
        status: 503,
        message: 'The model is overloaded.',
      });
    }
    expect(failure([{ error: 'gone' }])).toMatchObject({ fault: 'upstream-broken', message: 'gone' });
  });

  test('OpenAI’s end marker, which some services in front of Gemini write, is not a failure', () => {
    const data = JSON.stringify(chunk([{ text: 'a' }], END));
    expect(run(parseEvents(PROMPT, LEVELS), [{ data }, { data: '[DONE]' }]).at(-1)).toEqual({
      type: 'reply-end',
    });
  });
});
