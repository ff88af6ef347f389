/** Stop sequences end an answer with every model, even if its vendor does not support them. */

import { beforeEach, describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import {
  at,
  type Both,
  CLAUDE,
  chatStream,
  chunk,
  claudeBoth,
  completion,
  GEMINI,
  GLM,
  geminiBoth,
  json,
  namedStream,
  OPENAI,
  RESPONDER,
  useDoor,
  VLLM,
} from '../checklist/support.ts';

const door = useDoor();

const PIECES = ['Thought: I look.', '\nObser', 'vation: none', '.\nThought: done.'];
const STOP = '\nObservation:';
const BEFORE = 'Thought: I look.';

function response(status: string, texts: readonly string[]): JsonObject {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: texts.map((text) => ({ type: 'output_text', text, annotations: [] })),
  };
  const usage = {
    input_tokens: 5,
    output_tokens: 20,
    total_tokens: 25,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'a-model',
    status,
    output: texts.length > 0 ? [message] : [],
    ...(status === 'completed' && { usage }),
  };
}

const whole = json(response('completed', [PIECES.join('')]));
const of = { item_id: 'msg_1', output_index: 0 };
const part = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [] });
const message = (status: string, text?: string): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status,
  content: text === undefined ? [] : [part(text)],
});
const stream = namedStream(
  { type: 'response.created', response: response('in_progress', []) },
  { type: 'response.output_item.added', output_index: 0, item: message('in_progress') },
  { type: 'response.content_part.added', ...of, content_index: 0, part: part('') },
  ...PIECES.map((delta) => ({ type: 'response.output_text.delta', ...of, content_index: 0, delta })),
  { type: 'response.output_text.done', ...of, content_index: 0, text: PIECES.join('') },
  { type: 'response.content_part.done', ...of, content_index: 0, part: part(PIECES.join('')) },
  { type: 'response.output_item.done', output_index: 0, item: message('completed', PIECES.join('')) },
  { type: 'response.completed', response: response('completed', [PIECES.join('')]) },
);

const sent = (): Json => parseJson(String(door.upstream().received[0]?.body));

beforeEach(() => door.answers(whole));

test('messages to a vendor of responses, whole: the sequence and the usage are reported', async () => {
  const answer = await door.whole('messages', RESPONDER, { stop_sequences: [STOP] });
  expect(answer.json).toMatchObject({
    content: [{ type: 'text', text: BEFORE }],
    stop_reason: 'stop_sequence',
    stop_sequence: STOP,
    usage: { output_tokens: 20 },
  });
  expect(JSON.stringify(sent())).not.toContain('Observation');
});

test.each([
  ['messages', { stop_sequences: [STOP] }],
  ['chat-completions', { stop: STOP }],
] as const)('%s to a vendor of responses, streamed', async (caller, asked) => {
  door.answers(stream);
  const answer = await door.stream(caller, RESPONDER, asked);
  const [choice] = answer.reply().choices;
  expect(choice?.parts).toMatchObject([{ kind: 'text', text: BEFORE }]);
  expect(choice?.end.finish).toBe('stop-sequence');
  expect(answer.reply().usage).toMatchObject({ output: 20 });
  expect(answer.text).not.toContain('Observation: none');
});

test('a sequence of white space alone, which Claude refuses, together with one that it accepts', async () => {
  const both = claudeBoth([{ type: 'text', text: 'One.\n\nTwo.' }], 'end_turn');
  for (const way of ['whole', 'stream'] as const) {
    door.answers(both[way]);
    const answer = await door[way]('chat-completions', CLAUDE, { stop: ['\n\n', 'END'] });
    expect(answer.reply().choices[0]?.parts).toMatchObject([{ kind: 'text', text: 'One.' }]);
  }
  expect(at(sent(), 'stop_sequences')).toEqual(['END']);
});

describe('a caller of responses has a stop and a seed, which are none of its format', () => {
  const asked = { stop: 'END', seed: 7 };

  test('Claude gets the one that it knows', async () => {
    door.answers(claudeBoth([{ type: 'text', text: 'One.' }], 'end_turn').whole);
    expect((await door.whole('responses', CLAUDE, asked)).status).toBe(200);
    expect(sent()).toMatchObject({ stop_sequences: ['END'] });
    expect(sent()).not.toHaveProperty('seed');
  });

  test('Gemini gets both', async () => {
    door.answers(geminiBoth([{ text: 'One.' }]).whole);
    expect((await door.whole('responses', GEMINI, asked)).status).toBe(200);
    expect(sent()).toMatchObject({ generationConfig: { stopSequences: ['END'], seed: 7 } });
    expect(sent()).not.toHaveProperty('seed');
  });

  test('a seed that is a text is refused', async () => {
    const refused = await door.whole('responses', GEMINI, { ...asked, seed: 'seven' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Invalid type for 'seed'");
  });
});

test('without a sequence nothing is cut', async () => {
  const answer = await door.whole('messages', RESPONDER, { stop_sequences: [] });
  expect(answer.json).toMatchObject({ content: [{ text: PIECES.join('') }], stop_reason: 'end_turn' });
});

test("too many sequences are refused by the caller's field", async () => {
  const many = Array.from({ length: 65 }, (_, index) => `END ${index}`);
  const refused = await door.whole('messages', RESPONDER, { stop_sequences: many });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('This model accepts at most 64 stop sequences.');
  expect((await door.whole('messages', RESPONDER, { stop_sequences: many.slice(1) })).status).toBe(200);
});

describe('more sequences than the vendor takes', () => {
  const asked = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', STOP];
  const said = PIECES.join('');
  const chat: Both = {
    whole: json(completion({ role: 'assistant', content: said }, 'stop')),
    stream: chatStream(...PIECES.map((content) => chunk({ content })), chunk({}, 'stop')),
  };
  const gemini = geminiBoth([{ text: said }]);

  test.each([
    ['OpenAI takes four', 'messages', OPENAI, chat, 'stop', 4],
    ['Z.ai takes one', 'messages', GLM, chat, 'stop', 1],
    ['Gemini takes five', 'messages', GEMINI, gemini, 'generationConfig.stopSequences', 5],
    ['Gemini takes five', 'chat-completions', GEMINI, gemini, 'generationConfig.stopSequences', 5],
  ] as const)('%s, asked in %s', async (_, caller, model, both, field, most) => {
    const more = caller === 'messages' ? { stop_sequences: asked } : { stop: asked };
    for (const way of ['whole', 'stream'] as const) {
      door.answers(both[way]);
      const answer = await door[way](caller, model, more);
      const [choice] = answer.reply().choices;
      expect(choice?.parts).toMatchObject([{ kind: 'text', text: BEFORE }]);
      expect(choice?.end).toMatchObject({ finish: 'stop-sequence', stopSequence: STOP });
      expect(at(door.sent(), field)).toEqual(asked.slice(0, most));
    }
  });

  test.each([
    ['OpenAI', 'messages', OPENAI, chat, 'stop'],
    ["a server of one's own", 'messages', VLLM, chat, 'stop'],
    ['Gemini', 'messages', GEMINI, gemini, 'generationConfig.stopSequences'],
    ['Gemini', 'chat-completions', GEMINI, gemini, 'generationConfig.stopSequences'],
  ] as const)(
    '%s gets none that is empty, and each one once, asked in %s',
    async (_, caller, model, both, field) => {
      const stops = ['a1', '', 'b2', 'a1', 'b2', 'c3', STOP];
      const more = caller === 'messages' ? { stop_sequences: stops } : { stop: stops };
      door.answers(both.whole);
      await door.whole(caller, model, more);
      expect(at(door.sent(), field)).toEqual(['a1', 'b2', 'c3', STOP]);
      const empty = caller === 'messages' ? { stop_sequences: [''] } : { stop: '' };
      const answer = await door.whole(caller, model, empty);
      expect(answer.reply().choices[0]?.parts).toMatchObject([{ kind: 'text', text: said }]);
      expect(at(door.sent(), field)).toBeUndefined();
    },
  );

  test("a server of one's own takes any number", async () => {
    expect(at(await door.sentFor('messages', VLLM, { stop_sequences: asked }), 'stop')).toEqual(asked);
  });

  test('a native request stays as it is, for the vendor to refuse', async () => {
    expect(at(await door.sentFor('chat-completions', OPENAI, { stop: asked }), 'stop')).toEqual(asked);
  });
});

describe('the sequence that SGLang names as matched_stop', () => {
  const both = (matched_stop: Json): Both => ({
    whole: json({
      ...completion({}, 'stop'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'One.' },
          finish_reason: 'stop',
          matched_stop,
        },
      ],
    }),
    stream: chatStream(chunk({ content: 'One.' }), {
      ...chunk({}, 'stop'),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', matched_stop }],
    }),
  });

  test.each([
    ["the caller's", 'END', 'stop-sequence', 'END'],
    ["of the model's template", '<|im_end|>', 'stop', undefined],
    ['the id of a token', 151645, 'stop', undefined],
  ])('%s', async (_, matched, finish, stopSequence) => {
    for (const way of ['whole', 'stream'] as const) {
      door.answers(both(matched)[way]);
      const answer = await door[way]('messages', VLLM, { stop_sequences: ['END'] });
      const [choice] = answer.reply().choices;
      expect([choice?.end.finish, choice?.end.stopSequence]).toEqual([finish, stopSequence]);
    }
  });
});
