/** Dialogues and answers that every format can say, made up by fast-check. */

import fc from 'fast-check';
import type { Part, Prompt, ToolCallPart, Turn } from '../../src/conversation/prompt.ts';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { parseJson } from '../../src/lib/json.ts';

/** Text that is not blank and does not begin or end with space: Anthropic refuses the one and trims the other. */
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.trim())
  .filter((text) => text !== '');

const toolNames = ['get_weather', 'search', 'run-sql', 'a'] as const;

const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => parseJson(JSON.stringify(value)))
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

const callArguments = fc
  .dictionary(fc.constantFrom('city', 'q', 'limit', 'Ω', 'nested'), json, { maxKeys: 3 })
  .map((value) => JSON.stringify(value));

const call = fc.record({ name: fc.constantFrom(...toolNames), arguments: callArguments });

const image: Part = {
  kind: 'media',
  media: 'image',
  mediaType: 'image/png',
  source: { kind: 'base64', data: 'iVBORw0KGgo=' },
};

const step = fc.record({
  asked: fc.array(fc.oneof({ weight: 4, arbitrary: words }, fc.constant(undefined)), {
    minLength: 1,
    maxLength: 3,
  }),
  said: fc.option(words, { nil: undefined }),
  calls: fc.array(call, { maxLength: 3 }),
  results: fc.array(words, { minLength: 3, maxLength: 3 }),
});

const toolParameters: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, limit: { type: 'integer' } },
  required: ['city'],
};

/** A dialogue with tools, images and settings that no format has to approximate. */
export const dialogue: fc.Arbitrary<Prompt> = fc
  .record({
    system: fc.option(words, { nil: undefined }),
    steps: fc.array(step, { maxLength: 4 }),
    last: words,
    temperature: fc.option(fc.constantFrom(0, 0.25, 0.5, 1), { nil: undefined }),
    topP: fc.option(fc.constantFrom(0.1, 0.9), { nil: undefined }),
    stop: fc.option(fc.array(words, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    maxTokens: fc.integer({ min: 1, max: 60_000 }),
    tools: fc.boolean(),
    choice: fc.constantFrom(undefined, 'auto', 'none', 'required', 'named'),
    stream: fc.boolean(),
  })
  .map(({ system, steps, last, tools, choice, temperature, topP, stop, maxTokens, stream }) => {
    const turns: Turn[] = [];
    if (system !== undefined) turns.push({ role: 'system', parts: [{ kind: 'text', text: system }] });
    let made = 0;
    let results: Part[] = [];
    for (const { asked, said, calls, results: texts } of steps) {
      turns.push({
        role: 'user',
        parts: [
          ...results,
          ...asked.map((text): Part => (text === undefined ? image : { kind: 'text', text })),
        ],
      });
      const callParts = (tools ? calls : []).map(
        (made_): ToolCallPart => ({ kind: 'tool-call', id: `call_${made++}`, ...made_ }),
      );
      const text: Part[] =
        said === undefined && callParts.length > 0 ? [] : [{ kind: 'text', text: said ?? 'Well.' }];
      turns.push({ role: 'assistant', parts: [...text, ...callParts] });
      results = callParts.map(
        ({ id, name }, index): Part => ({
          kind: 'tool-result',
          id,
          name,
          content: [{ kind: 'text', text: texts[index] ?? 'Done.' }],
        }),
      );
    }
    turns.push({ role: 'user', parts: [...results, { kind: 'text', text: last }] });
    return {
      model: 'a-model',
      turns,
      stream,
      maxTokens,
      ...(tools && {
        tools: toolNames.map((name) => ({
          kind: 'function' as const,
          name,
          description: `Does ${name}`,
          parameters: toolParameters,
        })),
      }),
      ...(tools &&
        choice !== undefined && {
          toolChoice:
            choice === 'named' ? { mode: 'required' as const, allowed: ['search'] } : { mode: choice },
        }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && topP !== null && temperature === undefined && { topP }),
      ...(stop && { stop }),
    };
  });

/** What a dialogue means: who said what, in order, with neighbours of one role together. */
export function dialogueMeaning(prompt: Prompt): Json {
  const said: Json[] = [];
  for (const turn of prompt.turns) {
    for (const part of turn.parts) said.push(partMeaning(turn.role, part));
  }
  const settings = JSON.stringify({
    tools: (prompt.tools ?? []).map((tool) =>
      tool.kind === 'hosted'
        ? 'hosted'
        : {
            name: tool.name,
            description: tool.description,
            ...('parameters' in tool && { parameters: tool.parameters }),
          },
    ),
    choice: prompt.toolChoice ?? null,
    maxTokens: prompt.maxTokens,
    temperature: prompt.temperature,
    topP: prompt.topP,
    stop: prompt.stop,
  });
  return [said, parseJson(settings)];
}

function partMeaning(role: string, part: Part): Json {
  switch (part.kind) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return [role, part.kind, part.text];
    case 'media':
      return [role, part.media, part.mediaType ?? '', JSON.stringify(part.source)];
    case 'tool-call':
      return [role, 'call', part.name, parseJson(part.arguments === '' ? '{}' : part.arguments)];
    case 'tool-result':
      return [role, 'result', part.content.map((piece) => partMeaning(role, piece))];
    case 'opaque':
      return [role, 'opaque', part.value];
  }
}

/** An answer as its events: thinking, then text, then calls, in pieces of any size. */
export const answer: fc.Arbitrary<ReplyEvent[]> = fc
  .record({
    thinking: fc.array(words, { maxLength: 3 }),
    text: fc.array(words, { maxLength: 5 }),
    calls: fc.array(call, { maxLength: 3 }),
    cut: fc.integer({ min: 1, max: 9 }),
    length: fc.boolean(),
    input: fc.nat(100_000),
    cached: fc.nat(1000),
    output: fc.nat(10_000),
  })
  .map(({ thinking, text, calls, cut, length, input, cached, output }) => {
    const events: ReplyEvent[] = [{ type: 'reply-start', id: 'x1', model: 'a-model' }];
    let index = 0;
    const part = (
      open: Extract<ReplyEvent, { type: 'part-start' }>['part'],
      pieces: readonly string[],
    ): void => {
      events.push({ type: 'part-start', choice: 0, index, part: open });
      for (const piece of pieces) events.push({ type: 'part-delta', choice: 0, index, text: piece });
      events.push({ type: 'part-end', choice: 0, index });
      index += 1;
    };
    if (thinking.length > 0) part({ kind: 'thinking' }, thinking);
    if (text.length > 0 || calls.length === 0) part({ kind: 'text' }, text.length > 0 ? text : ['Well.']);
    for (const [at, { name, arguments: text_ }] of calls.entries())
      part(
        { kind: 'tool-call', id: `call_${at}`, name },
        text_.match(new RegExp(`[^]{1,${cut}}`, 'gu')) ?? [],
      );
    events.push(
      { type: 'choice-end', choice: 0, finish: calls.length > 0 ? 'tool-calls' : length ? 'length' : 'stop' },
      { type: 'usage', usage: { input: input + cached, cacheRead: cached, output } },
      { type: 'reply-end' },
    );
    return events;
  });

type Told = Extract<ReplyEvent, { type: 'part-start' }>['part'];

/** A part of an answer: what it is, its text, and whether it is signed. Blank and empty texts are among them. */
const anyPart: fc.Arbitrary<readonly [part: Told, text: string, signed: boolean]> = fc.tuple(
  fc.constantFrom<Told>(
    { kind: 'text' },
    { kind: 'thinking' },
    { kind: 'tool-call', id: '', name: 'search' },
    {
      kind: 'opaque',
      format: 'generate-content',
      value: { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    },
  ),
  fc.constantFrom('Hello.', ' ', '\n\n', '<think>', '😀', ''),
  fc.boolean(),
);

/** An answer of Gemini's: parts of all kinds in any order, signed or not. */
export const mixedAnswer: fc.Arbitrary<ReplyEvent[]> = fc.array(anyPart, { maxLength: 6 }).map((parts) => [
  { type: 'reply-start', id: 'x1', model: 'a-model' },
  ...parts.flatMap(([part, text, signed], index): ReplyEvent[] => {
    const at = { choice: 0, index };
    const signature = { origin: 'google', value: `c2ln${index}` } as const;
    // The signature of a call comes with it, that of anything else when it is whole.
    if (part.kind === 'tool-call') {
      return [
        { type: 'part-start', ...at, part: { ...part, id: `call_${index}` }, ...(signed && { signature }) },
        { type: 'part-delta', ...at, text: '{"q":"x"}' },
        { type: 'part-end', ...at },
      ];
    }
    const isSaid = part.kind !== 'opaque';
    return [
      { type: 'part-start', ...at, part },
      ...(isSaid && text !== '' ? [{ type: 'part-delta', ...at, text } as const] : []),
      ...(isSaid && signed ? [{ type: 'part-detail', ...at, signature } as const] : []),
      { type: 'part-end', ...at },
    ];
  }),
  {
    type: 'choice-end',
    choice: 0,
    finish: parts.some(([{ kind }]) => kind === 'tool-call') ? 'tool-calls' : 'stop',
  },
  { type: 'usage', usage: { input: 7, output: 5 } },
  { type: 'reply-end' },
]);
