/**
 * Each event, block, item and word of an end that the vendors' newest SDKs know in answers is understood, or passed over
 * on purpose. A new version of an SDK that has a new one fails here.
 */

import { expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { asObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import { run } from '../../src/streams/step.ts';
import { PERMISSIVE, PROMPT, rendered, renderedWhole } from '../support/meaning.ts';
import { type Place, places, type Samples, type Shape, shapeOf } from '../support/sdk-types.ts';

/** What an object has to have to be one, beside what its type insists on. */
const NEEDS: Readonly<Record<string, JsonObject>> = {
  ToolCall: { id: 'call_1', function: { name: 'f', arguments: '{}' } },
  FunctionCall: { name: 'f', arguments: '{}', args: {} },
};

const samples: Samples = {
  of: (field) => (field === 'arguments' || field === 'partial_json' ? '{}' : undefined),
  beside: (name) => NEEDS[name] ?? {},
};

/** What a stream of these events says: all of it, or how it failed. */
function said(from: FormatName, events: readonly JsonObject[]): readonly ReplyEvent[] | string {
  try {
    const parser = formats[from].outbound.parseEvents(PROMPT, PERMISSIVE);
    return run(
      parser,
      events.map((event) => ({ data: JSON.stringify(event) })),
    );
  } catch (error) {
    if (error instanceof GatewayError) return `${error.fault}: ${error.message}`;
    throw error;
  }
}

/** Whether one stream says more than the other; whatever it says can be told in every format. */
function differs(from: FormatName, events: readonly JsonObject[], lesser: readonly JsonObject[]): boolean {
  const given = said(from, events);
  if (typeof given !== 'string') {
    for (const to of FORMAT_NAMES) {
      rendered(formats[to], given);
      renderedWhole(formats[to], given);
    }
  }
  return JSON.stringify(given) !== JSON.stringify(said(from, lesser));
}

/** The members of a union, each as small as it can be. */
function members(shape: Shape): readonly Place[] {
  return [...places(shape, samples)].filter(({ path }) => !path.replaceAll(/<\w+>/g, '').includes('.'));
}

/** The words of a type. */
function words(module: string, type: string): readonly string[] {
  return [...places(shapeOf(module, type), samples)].map(({ value }) => String(value));
}

function objectOf({ value }: Place): JsonObject {
  return asObject(value) ?? {};
}

const OPENAI = 'openai/resources/responses/responses';
const OPENAI_BETA = 'openai/resources/beta/responses/responses';
const CHAT = 'openai/resources/chat/completions/completions';
const ANTHROPIC = '@anthropic-ai/sdk/resources/messages/messages';
const ANTHROPIC_BETA = '@anthropic-ai/sdk/resources/beta/messages/messages';
const GOOGLE = '@google/genai/dist/genai';

const RESPONSE = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output: [] };
const CREATED = { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } };
const COMPLETED = { type: 'response.completed', response: RESPONSE };

/** Of OpenAI's events those that say nothing that no other one does: how far something is, and pieces of what comes whole. */
const PROGRESS =
  /^response\.(?:created|queued|in_progress|(?:\w+_call|mcp_list_tools)\.\w+|\w+_call_(?:code|arguments|input|output\w*)\.\w+|content_part\.\w+|\w+\.done|reasoning_summary_part\.\w+|audio\.\w+|audio\.transcript\.\w+)$/;

test.each([
  [OPENAI, 'ResponseStreamEvent'],
  [OPENAI_BETA, 'BetaResponseStreamEvent'],
])('events of responses: %s', (module, event) => {
  const unread = members(shapeOf(module, event))
    .map(objectOf)
    .filter((each) => !differs('responses', [CREATED, each, COMPLETED], [CREATED, COMPLETED]))
    .map(({ type }) => String(type));
  expect(unread.filter((type) => !PROGRESS.test(type))).toEqual([]);
});

test.each([
  [OPENAI, 'ResponseOutputItem'],
  [OPENAI_BETA, 'BetaResponseOutputItem'],
])('items of responses: %s', (module, item) => {
  const items = members(shapeOf(module, item)).map(objectOf);
  const unread = items.filter((each) => !differs('responses', [{ ...RESPONSE, output: [each] }], [RESPONSE]));
  expect(unread).toEqual([]);
});

const MESSAGE = {
  type: 'message',
  role: 'assistant',
  id: 'msg_1',
  model: 'm',
  content: [],
  stop_reason: null,
};
const START = { type: 'message_start', message: MESSAGE };
const STOP = { type: 'message_stop' };

test.each([
  [ANTHROPIC, 'RawMessageStreamEvent', 'ContentBlock', 'RawContentBlockDelta'],
  [ANTHROPIC_BETA, 'BetaRawMessageStreamEvent', 'BetaContentBlock', 'BetaRawContentBlockDelta'],
])('events of messages: %s', (module, event, block, delta) => {
  const index = 1;
  const blocks = members(shapeOf(module, block)).map(objectOf);
  const within = (content_block: JsonObject, ...deltas: JsonObject[]): JsonObject[] => [
    START,
    { type: 'content_block_start', index, content_block },
    ...deltas.map((each) => ({ type: 'content_block_delta', index, delta: each })),
    { type: 'content_block_stop', index },
    STOP,
  ];
  expect(blocks.filter((each) => !differs('messages', within(each), [START, STOP]))).toEqual([]);
  // A delta is read in the blocks that it is of.
  const deltas = members(shapeOf(module, delta)).map(objectOf);
  const unread = deltas.filter(
    (each) => !blocks.some((one) => differs('messages', within(one, each), within(one))),
  );
  expect(unread).toEqual([]);
  const types = members(shapeOf(module, event)).map((place) => String(objectOf(place)['type']));
  expect(types.filter((type) => !EVENTS.has(type))).toEqual([]);
});

/** All that `parse-events.ts` of messages has a case for. */
const EVENTS: ReadonlySet<string> = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
]);

const chunkOf = (choice: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, ...choice }],
  ...more,
});

test('fields of a chat’s answer', () => {
  const end = chunkOf({ delta: {}, finish_reason: 'stop' });
  const inDelta = unread(
    'chat-completions',
    shapeOf(CHAT, 'ChatCompletionChunk'),
    /^\.choices\[\]\.delta\.(\w+)/,
    (delta) => [chunkOf({ delta }), end],
  );
  expect(inDelta).toEqual(['role']);
  const inMessage = unread(
    'chat-completions',
    shapeOf(CHAT, 'ChatCompletionMessage'),
    /^\.(\w+)/,
    (message) => [chunkOf({ message: { role: 'assistant', ...message }, finish_reason: 'stop' })],
  );
  expect(inMessage).toEqual(['role']);
});

test('fields of an answer of Gemini’s', () => {
  const content = { role: 'model', parts: [{ text: 'Hi.' }] };
  const whole = (candidate: JsonObject): JsonObject[] => [
    { candidates: [{ content, finishReason: 'STOP', ...candidate }] },
  ];
  const inPart = unread('generate-content', shapeOf(GOOGLE, 'Part'), /^\.(\w+)/, (part) =>
    whole({ content: { ...content, parts: [{ text: 'Hi.', ...part }] } }),
  );
  expect(inPart).toEqual([]);
  expect(unread('generate-content', shapeOf(GOOGLE, 'Candidate'), /^\.(\w+)/, whole)).toEqual([]);
});

/** The fields of a type that say nothing, whatever they hold. @param within how their names stand in a path */
function unread(
  from: FormatName,
  shape: Shape,
  within: RegExp,
  stream: (fields: JsonObject) => readonly JsonObject[],
): readonly string[] {
  const read = new Map<string, boolean>();
  for (const { path, value } of places(shape, samples)) {
    const plain = path.replaceAll(/<\w+>/g, '');
    const name = within.exec(plain)?.[1];
    if (name === undefined || read.get(name) === true) continue;
    const owner = asObject(ownerIn(value, plain.slice(0, plain.indexOf(`.${name}`))));
    if (owner?.[name] === undefined) continue;
    read.set(name, differs(from, stream({ [name]: owner[name] }), stream({})));
  }
  return [...read].flatMap(([name, is]) => (is ? [] : [name]));
}

/** What stands at a path of `places`. */
function ownerIn(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path.split(/\.|(?=\[\])/).filter((each) => each !== '')) {
    found = step === '[]' ? (Array.isArray(found) ? found[0] : undefined) : asObject(found)?.[step];
  }
  return found;
}

test.each<[FormatName, string, string, string[], (word: string) => JsonObject[]]>([
  [
    'messages',
    ANTHROPIC_BETA,
    'BetaStopReason',
    [],
    (word) => [START, { type: 'message_delta', delta: { stop_reason: word } }, STOP],
  ],
  [
    'generate-content',
    GOOGLE,
    'FinishReason',
    // The first is of an answer that goes on; of the others an answer with something in it is one.
    ['FINISH_REASON_UNSPECIFIED', 'OTHER', 'IMAGE_OTHER', 'NO_IMAGE'],
    (word) => [{ candidates: [{ content: { parts: [{ text: 'Hi.' }] }, finishReason: word }] }],
  ],
])('words for an end of %s', (from, module, type, others, stream) => {
  const unknown = words(module, type).filter((word) => {
    const events = said(from, stream(word));
    return (
      typeof events === 'string' ||
      events.some((event) => event.type === 'choice-end' && event.finish === 'other')
    );
  });
  expect(unknown).toEqual(others);
});
