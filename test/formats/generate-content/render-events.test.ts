import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import type { RequestContext } from '../../../src/formats/format.ts';
import { generateContent } from '../../../src/formats/generate-content/index.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../../src/protocol/validate.ts';
import type { Sse } from '../../../src/streams/sse.ts';
import { run } from '../../../src/streams/step.ts';
import { ASKED, object, PROMPT } from './fixtures.ts';

const { inbound } = generateContent;
const START: ReplyEvent = { type: 'reply-start', id: 'msg_1', model: 'claude' };
const USAGE: ReplyEvent = { type: 'usage', usage: { input: 10, output: 0 } };
const LAST: ReplyEvent[] = [{ type: 'usage', usage: { output: 4, reasoning: 1 } }, { type: 'reply-end' }];

/** Events of one part. */
function part(
  index: number,
  open: Extract<ReplyEvent, { type: 'part-start' }>['part'],
  texts: string[],
  ...details: Partial<Extract<ReplyEvent, { type: 'part-detail' }>>[]
): ReplyEvent[] {
  const at = { choice: 0, index };
  return [
    { type: 'part-start', ...at, part: open },
    ...texts.map((text): ReplyEvent => ({ type: 'part-delta', ...at, text })),
    ...details.map((detail): ReplyEvent => ({ type: 'part-detail', ...at, ...detail })),
    { type: 'part-end', ...at },
  ];
}

const answer = (
  middle: readonly ReplyEvent[],
  end: Partial<Extract<ReplyEvent, { type: 'choice-end' }>> = {},
): ReplyEvent[] => [
  START,
  USAGE,
  ...middle,
  { type: 'choice-end', choice: 0, finish: 'stop', ...end },
  ...LAST,
];

/** The chunks of a stream and the whole answer. Both must follow the rules. */
function said(events: readonly ReplyEvent[]): { chunks: JsonObject[]; whole: JsonObject } {
  const sent = run(inbound.renderEvents(ASKED), events);
  const judge = validator('generate-content');
  for (const chunk of sent) judge.add(chunk);
  expect(judge.end()).toEqual([]);
  const whole = inbound.renderReply(collect(events), ASKED);
  expect(RULEBOOKS['generate-content'].whole(whole).violations).toEqual([]);
  return { chunks: sent.map(({ data }) => object(data)), whole };
}

const partsOf = ({ candidates }: JsonObject) =>
  Array.isArray(candidates)
    ? candidates.map((candidate: JsonObject) => JSON.parse(JSON.stringify(candidate['content'])).parts)
    : [];

test('each piece of text is a chunk with the usage so far; the last chunk has the end', () => {
  const { chunks, whole } = said(answer(part(0, { kind: 'text' }, ['Hé"\n', 'y'])));
  const head = { modelVersion: 'claude', responseId: 'msg_1' };
  const early = { usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 }, ...head };
  const late = {
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 1,
      totalTokenCount: 14,
    },
    ...head,
  };
  expect(chunks).toEqual([
    { candidates: [{ content: { parts: [{ text: 'Hé"\n' }], role: 'model' }, index: 0 }], ...early },
    { candidates: [{ content: { parts: [{ text: 'y' }], role: 'model' }, index: 0 }], ...early },
    {
      candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      ...late,
    },
  ]);
  expect(whole).toEqual({
    candidates: [
      { content: { parts: [{ text: 'Hé"\n' + 'y' }], role: 'model' }, finishReason: 'STOP', index: 0 },
    ],
    ...late,
  });
});

test('before a vendor reports any usage it is zero, and if it never does the last chunk has none', () => {
  const said = (...end: ReplyEvent[]) =>
    run(inbound.renderEvents(ASKED), [
      START,
      ...part(0, { kind: 'text' }, ['a']),
      { type: 'choice-end', choice: 0, finish: 'stop' },
      ...end,
    ]).map(({ data }) => object(data)['usageMetadata']);
  const none = { promptTokenCount: 0, totalTokenCount: 0 };
  const usage = { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 };
  expect(said({ type: 'usage', usage: { input: 9, output: 2 } }, { type: 'reply-end' })).toEqual([
    none,
    usage,
  ]);
  expect(said({ type: 'reply-end' })).toEqual([none, undefined]);
});

test('a call comes whole, with its signature; without arguments it has an empty object', () => {
  const { chunks, whole } = said(
    answer(
      [
        ...part(0, { kind: 'tool-call', id: 'toolu_1', name: 'f' }, ['{"a":', '1}'], {
          signature: { origin: 'google', value: 'U2ln' },
        }),
        ...part(1, { kind: 'tool-call', id: '', name: 'g' }, ['{}']),
        ...part(2, { kind: 'tool-call', id: 'c', name: 'sql', custom: true }, ['select 1']),
      ],
      { finish: 'tool-calls' },
    ),
  );
  const calls = [
    { functionCall: { id: 'toolu_1', name: 'f', args: { a: 1 } }, thoughtSignature: 'U2ln' },
    { functionCall: { name: 'g', args: {} } },
    { functionCall: { id: 'c', name: 'sql', args: { input: 'select 1' } } },
  ];
  // The last call is in the last chunk: an empty text would come back from Go as a part with nothing in it.
  expect(chunks.flatMap(partsOf)).toEqual(calls.map((call) => [call]));
  expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  expect(partsOf(whole)).toEqual([calls]);
});

/** What the gateway has sealed in a signature, as text. */
const opened = (part: JsonObject | undefined): string =>
  Buffer.from(String(part?.['thoughtSignature']), 'base64').toString();

test('thoughts of another vendor are sealed as base64 on the next part with text', () => {
  const { chunks, whole } = said(
    answer([
      ...part(0, { kind: 'thinking' }, ['hm', '…'], { signature: { origin: 'anthropic', value: 'Eq' } }),
      ...part(1, { kind: 'thinking' }, [], { redacted: { origin: 'anthropic', value: 'Em' } }),
      ...part(2, { kind: 'text' }, ['a', 'b'], { signature: { origin: 'google', value: 'U2ln' } }),
      ...part(3, { kind: 'refusal' }, ['No.']),
    ]),
  );
  const [first, second, carrier, ...rest] = chunks.flatMap(partsOf).flat();
  expect([first, second]).toEqual([
    { text: 'hm', thought: true },
    { text: '…', thought: true },
  ]);
  expect({ ...carrier, thoughtSignature: opened(carrier) }).toEqual({
    text: 'a',
    thoughtSignature: 'thoughts#{"thoughts":[{"signature":"anthropic#Eq"},{"redacted":"anthropic#Em"}]}',
  });
  expect(rest).toEqual([
    { text: 'b' },
    { text: '', thoughtSignature: 'U2ln' },
    { text: 'No.' },
    { text: '' },
  ]);
  const [thought, text, refusal] = partsOf(whole).flat();
  expect(thought).toEqual({ text: 'hm…', thought: true });
  expect([text, opened(text)]).toMatchObject([
    { text: 'ab' },
    'thoughts#{"thoughts":[{"signature":"anthropic#Eq"},{"redacted":"anthropic#Em"}],"signature":"google#U2ln"}',
  ]);
  expect(refusal).toEqual({ text: 'No.' });
});

test('what no text or call follows stands in the last chunk, and whole in a last part', () => {
  const thinking = (index: number, value: string) =>
    part(index, { kind: 'thinking' }, [], { signature: { origin: 'openai', value } });
  const { chunks, whole } = said(
    answer([...thinking(0, 'one'), ...part(1, { kind: 'text' }, ['a']), ...thinking(2, 'two')]),
  );
  for (const parts of [chunks.flatMap(partsOf).flat(), partsOf(whole).flat()]) {
    expect(parts.map(opened)).toEqual([
      'thoughts#{"thoughts":[{"text":"","signature":"openai#one"}]}',
      'thoughts#{"thoughts":[{"text":"","signature":"openai#two"}]}',
    ]);
    expect(parts).toMatchObject([{ text: 'a' }, { text: '' }]);
  }
});

test('a thought that is not shown is carried with its text while there are tools', () => {
  const events = answer([
    ...part(0, { kind: 'thinking' }, ['Zoë ', 'thinks']),
    ...part(1, { kind: 'tool-call', id: 'c', name: 'f' }, ['{}']),
  ]);
  const unseen = { ...ASKED, prompt: PROMPT };
  const tools = { ...ASKED, prompt: { ...PROMPT, tools: [{ kind: 'function', name: 'f' }] } } as const;
  const parts = (asked: RequestContext) => [
    ...run(inbound.renderEvents(asked), events).map(({ data }) => partsOf(object(data)).flat()),
    partsOf(inbound.renderReply(collect(events), asked)).flat(),
  ];
  const call = { functionCall: { id: 'c', name: 'f', args: {} } };
  expect(parts(unseen)).toEqual([[call], [call]]);
  expect(parts(tools).map(([carrier]) => opened(carrier))).toEqual(
    Array(2).fill('thoughts#{"thoughts":[{"text":"Zoë thinks"}]}'),
  );
});

test("a signature of Google's that is no base64 is sealed too", () => {
  const signature = { origin: 'google', value: 'no base64' } as const;
  const { whole } = said(answer(part(0, { kind: 'tool-call', id: 'c', name: 'f' }, ['{}'], { signature })));
  expect(opened(partsOf(whole)[0]?.[0])).toBe('google#no base64');
});

test('citations of several texts count bytes over all text', () => {
  const { chunks, whole } = said(
    answer([
      ...part(0, { kind: 'text' }, ['Zürich. '], {
        citation: { url: 'https://a.example', title: 'A', start: 0, end: 6 },
      }),
      ...part(1, { kind: 'thinking' }, ['hm']),
      ...part(
        2,
        { kind: 'text' },
        ['🍰!'],
        { citation: { url: 'https://b.example', start: 0, end: 2 } },
        { citation: { url: 'https://a.example' } },
      ),
    ]),
  );
  const groundingMetadata = {
    groundingChunks: [
      { web: { uri: 'https://a.example', title: 'A' } },
      { web: { uri: 'https://b.example' } },
    ],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [0] },
      { segment: { startIndex: 9, endIndex: 13, text: '🍰' }, groundingChunkIndices: [1] },
      // A citation without a place is about the whole text.
      { segment: { startIndex: 9, endIndex: 14, text: '🍰!' }, groundingChunkIndices: [0] },
    ],
  };
  expect(chunks.at(-1)).toMatchObject({ candidates: [{ groundingMetadata }] });
  expect(whole).toMatchObject({ candidates: [{ groundingMetadata }] });
});

test('a source without an address is a passage of a document', () => {
  const passage = { title: 'Terms.pdf', citedText: 'Thirty days.' };
  const { chunks, whole } = said(
    answer(
      part(
        0,
        { kind: 'text' },
        ['You have a month.'],
        { citation: { ...passage, start: 0, end: 17 } },
        { citation: { ...passage, citedText: 'No fee.' } },
        { citation: { ...passage, start: 4, end: 8 } },
        { citation: { title: 'a.txt' } },
        { citation: {} },
      ),
    ),
  );
  const groundingMetadata = {
    groundingChunks: [
      { retrievedContext: { title: 'Terms.pdf', text: 'Thirty days.' } },
      { retrievedContext: { title: 'Terms.pdf', text: 'No fee.' } },
      { retrievedContext: { title: 'a.txt' } },
    ],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: 17 }, groundingChunkIndices: [0] },
      { segment: { startIndex: 0, endIndex: 17 }, groundingChunkIndices: [1] },
      { segment: { startIndex: 4, endIndex: 8, text: 'have' }, groundingChunkIndices: [0] },
      { segment: { startIndex: 0, endIndex: 17 }, groundingChunkIndices: [2] },
    ],
  };
  expect(chunks.at(-1)).toMatchObject({ candidates: [{ groundingMetadata }] });
  expect(whole).toMatchObject({ candidates: [{ groundingMetadata }] });
});

test('a citation that comes when its text has ended is of that text', () => {
  const late = (index: number, url: string): ReplyEvent => ({
    type: 'part-detail',
    choice: 0,
    index,
    citation: { url, start: 0, end: 1 },
  });
  const texts = [...part(0, { kind: 'text' }, ['ab']), ...part(1, { kind: 'text' }, ['c'])];
  const { chunks, whole } = said(
    answer([...texts, late(1, 'https://b.example'), late(0, 'https://a.example')]),
  );
  const groundingMetadata = {
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: 1 } },
      { segment: { startIndex: 2, endIndex: 3 } },
    ],
  };
  expect(chunks.at(-1)).toMatchObject({ candidates: [{ groundingMetadata }] });
  expect(whole).toMatchObject({ candidates: [{ groundingMetadata }] });
});

test('several answers have an end each', () => {
  const other = part(0, { kind: 'text' }, ['b']).map((event) =>
    'choice' in event ? { ...event, choice: 1 } : event,
  );
  const { chunks, whole } = said([
    START,
    USAGE,
    ...part(0, { kind: 'text' }, ['a']),
    ...other,
    { type: 'choice-end', choice: 1, finish: 'length' },
    { type: 'choice-end', choice: 0, finish: 'stop' },
    ...LAST,
  ]);
  expect(chunks.slice(-2)).toMatchObject([
    { candidates: [{ index: 0, finishReason: 'STOP' }] },
    { candidates: [{ index: 1, finishReason: 'MAX_TOKENS' }] },
  ]);
  expect(whole).toMatchObject({ candidates: [{ index: 0 }, { index: 1, finishReason: 'MAX_TOKENS' }] });
});

test.each<[Partial<Extract<ReplyEvent, { type: 'choice-end' }>>, string]>([
  [{ finish: 'tool-calls' }, 'STOP'],
  [{ finish: 'stop-sequence', stopSequence: 'x' }, 'STOP'],
  [{ finish: 'context-length' }, 'MAX_TOKENS'],
  [{ finish: 'content-filter' }, 'SAFETY'],
  [{ finish: 'refusal', native: 'refusal' }, 'SAFETY'],
  [{ finish: 'content-filter', native: 'SPII' }, 'SPII'],
  [{ finish: 'malformed-call' }, 'MALFORMED_FUNCTION_CALL'],
  [{ finish: 'pause' }, 'OTHER'],
  [{ finish: 'other', native: 'no such word' }, 'OTHER'],
])('the end %j is %s', (end, word) => {
  const { chunks, whole } = said(answer(part(0, { kind: 'text' }, ['a']), end));
  expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: word }] });
  expect(whole).toMatchObject({ candidates: [{ finishReason: word }] });
});

test('log probabilities', () => {
  const tokens = [{ token: 'a', logprob: -1, bytes: [97], top: [{ token: 'b', logprob: -2 }] }];
  const logprobsResult = {
    chosenCandidates: [{ token: 'a', logProbability: -1 }],
    topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
  };
  const { chunks, whole } = said(
    answer([...part(0, { kind: 'text' }, ['a']), { type: 'logprobs', choice: 0, tokens }]),
  );
  expect(chunks[1]).toMatchObject({ candidates: [{ logprobsResult }] });
  expect(whole).toMatchObject({ candidates: [{ logprobsResult }] });
});

test('fields without a counterpart come once, and never replace standard ones', () => {
  const start: ReplyEvent = {
    ...START,
    created: 1_700_000_000,
    serviceTier: 'default',
    formatSpecific: { format: 'chat-completions', fields: { system_fingerprint: 'fp', modelVersion: 'no' } },
    unknownFields: { novelty: 1 },
  };
  const block = { type: 'web_search_tool_result' };
  const events = [
    start,
    USAGE,
    ...part(0, { kind: 'opaque', format: 'messages', value: block }, []),
    ...part(1, { kind: 'text' }, ['a']),
    { type: 'choice-end', choice: 0, finish: 'stop', unknownFields: { odd: 1, finishReason: 'no' } } as const,
    ...LAST,
  ];
  const { chunks, whole } = said(events);
  const beside = {
    createTime: '2023-11-14T22:13:20.000Z',
    system_fingerprint: 'fp',
    novelty: 1,
    modelVersion: 'claude',
  };
  expect(chunks[0]).toMatchObject({ ...beside, usageMetadata: { serviceTier: 'standard' } });
  expect(chunks[1]).not.toHaveProperty('novelty');
  expect(chunks[1]).toMatchObject({ candidates: [{ odd: 1, vendorBlocks: [block], finishReason: 'STOP' }] });
  expect(whole).toMatchObject({ ...beside, candidates: [{ odd: 1, vendorBlocks: [block] }] });
});

test('an empty answer has only an end', () => {
  const { chunks, whole } = said(answer([]));
  expect(chunks).toHaveLength(1);
  expect(whole).toMatchObject({ candidates: [{ content: { role: 'model' }, finishReason: 'STOP' }] });
});

test('an answer without id and model has those of the request', () => {
  const { chunks } = said([{ type: 'reply-start', id: '', model: '' }, ...answer([]).slice(1)]);
  expect(chunks[0]).toMatchObject({ responseId: 'abc123', modelVersion: 'gemini-3-flash-preview' });
});

describe('a call that is held back for the last chunk', () => {
  const call = { functionCall: { id: 'c', name: 'f', args: {} } };
  const held = () => {
    const renderer = inbound.renderEvents(ASKED);
    const sent: Sse[] = [];
    const out = { enqueue: (chunk: Sse) => void sent.push(chunk) };
    const events = [START, USAGE, ...part(0, { kind: 'tool-call', id: 'c', name: 'f' }, ['{}'])];
    for (const event of events) renderer.transform(event, out);
    expect(sent).toEqual([]);
    return { renderer, out, parts: () => sent.flatMap(({ data }) => partsOf(object(data)).flat()) };
  };

  test('comes before an error', () => {
    const { renderer, out, parts } = held();
    renderer.fail(new GatewayError('upstream-timeout', 'The upstream took too long.'), out);
    expect(parts()).toEqual([call]);
  });

  test('is a sign of life while the vendor is silent, once', () => {
    const { renderer, out, parts } = held();
    renderer.ping?.(out);
    renderer.ping?.(out);
    expect(parts()).toEqual([call]);
    renderer.transform({ type: 'choice-end', choice: 0, finish: 'tool-calls' }, out);
    renderer.transform({ type: 'reply-end' }, out);
    expect(parts()).toEqual([call, { text: '' }]);
  });
});

test('enums are numbers in what was held back, too', () => {
  const numbering = inbound.forQuery?.(new URLSearchParams('$alt=json;enum-encoding=int'));
  const audio: ReplyEvent = { type: 'usage', usage: { input: 10, output: 0, inputMedia: { audio: 7 } } };
  const error = new GatewayError('upstream-timeout', 'The upstream took too long.');
  for (const isFailure of [false, true]) {
    const renderer = numbering?.renderEvents(ASKED);
    const sent: Sse[] = [];
    const out = { enqueue: (chunk: Sse) => void sent.push(chunk) };
    for (const event of [START, audio, ...part(0, { kind: 'tool-call', id: 'c', name: 'f' }, ['{}'])])
      renderer?.transform(event, out);
    if (isFailure) renderer?.fail(error, out);
    else renderer?.ping?.(out);
    expect(object(sent[0]?.data ?? '')).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] } }],
      usageMetadata: { promptTokensDetails: [{ modality: 4, tokenCount: 7 }] },
    });
    expect(sent.slice(1).map(({ data }) => object(data))).toMatchObject(
      isFailure ? [{ error: { status: 'DEADLINE_EXCEEDED' } }] : [],
    );
  }
});

describe('a late error', () => {
  test('is the last chunk, as Google words it', () => {
    const renderer = inbound.renderEvents(ASKED);
    const sent: Sse[] = [];
    const out = { enqueue: (chunk: Sse) => void sent.push(chunk) };
    for (const event of [START, USAGE, ...part(0, { kind: 'text' }, ['a'])]) renderer.transform(event, out);
    renderer.fail(new GatewayError('upstream-timeout', 'The upstream took too long.'), out);
    const judge = validator('generate-content');
    for (const chunk of sent) judge.add(chunk);
    expect(judge.end()).toEqual([]);
    expect(judge.failed()).toBe(true);
    expect(object(sent.at(-1)?.data ?? '')).toEqual({
      error: { code: 504, message: 'The upstream took too long.', status: 'DEADLINE_EXCEEDED' },
    });
  });
});
