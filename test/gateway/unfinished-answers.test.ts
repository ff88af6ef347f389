/** Streams that end without a reason, and calls without a name. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, namedInputs, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const FINISHED: Readonly<Partial<Record<string, string>>> = {
  'chat-completions': 'stop',
  responses: 'completed',
  messages: 'end_turn',
};

const delta = (fields: JsonObject): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: null }],
});
const call = (text: string): JsonObject =>
  delta({
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: text } }],
  });

// router-for-me/CLIProxyAPI: an agent takes such an answer for the end of its work.
const notChat = CALLERS.filter((caller) => caller !== 'chat-completions');
describe.each(notChat)('a stream that ends with [DONE] alone, to a caller of %s', (caller) => {
  test.each([
    ['in the middle of a thought', [delta({ role: 'assistant', reasoning_content: 'Hm' })]],
    ['before the arguments of a call', [delta({ content: 'a' }), call('')]],
    ['in the middle of the arguments', [call('{"x":"a')]],
  ])('%s has failed', async (_, events) => {
    four().answers(events);
    await expect(four().ask(caller, MODELS['chat-completions'], true)).rejects.toThrow(
      /502: .*Connection lost/,
    );
  });

  test('after a text or a whole call is complete', async () => {
    four().answers([delta({ content: 'a' })]);
    expect(await four().ask(caller, MODELS['chat-completions'], true)).toMatchObject({ text: 'a' });
    four().answers([call('{"x":1}')]);
    expect(namedInputs(await four().ask(caller, MODELS['chat-completions'], true))).toEqual([
      ['f', { x: 1 }],
    ]);
  });
});

const started: JsonObject = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
};
const block = (fields: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index: 0,
  content_block: fields,
});
const grown = (fields: JsonObject): JsonObject => ({ type: 'content_block_delta', index: 0, delta: fields });
const stopped: JsonObject = { type: 'message_stop' };

const notMessages = CALLERS.filter((caller) => caller !== 'messages');
describe.each(notMessages)('a message that only stops, to a caller of %s', (caller) => {
  test.each([
    ['in a thought', block({ type: 'thinking', thinking: '' }), { type: 'thinking_delta', thinking: 'Hm' }],
    [
      'in a call',
      block({ type: 'tool_use', id: 'c1', name: 'f', input: {} }),
      { type: 'input_json_delta', partial_json: '{"x":"a' },
    ],
  ])('%s has failed', async (_, start, delta) => {
    four().answers([started, start, grown(delta), stopped]);
    await expect(four().ask(caller, MODELS.messages, true)).rejects.toThrow(/502: .*Connection lost/);
  });

  test('in a text is complete', async () => {
    four().answers([
      started,
      block({ type: 'text', text: '' }),
      grown({ type: 'text_delta', text: 'a' }),
      stopped,
    ]);
    expect(await four().ask(caller, MODELS.messages, true)).toMatchObject({ text: 'a' });
  });

  test('after a call without a name has failed', async () => {
    four().answers([started, block({ type: 'tool_use', id: 'c1', input: {} }), stopped]);
    await expect(four().ask(caller, MODELS.messages, true)).rejects.toThrow(
      /502: .*a tool call without a name/,
    );
  });
});

describe.each(CALLERS)('a candidate without a reason, to a caller of %s', (caller) => {
  const model = MODELS['generate-content'];
  const candidate = (...parts: JsonObject[]): JsonObject => ({
    candidates: [{ content: { role: 'model', parts } }],
    modelVersion: 'm',
  });

  test('of a whole answer has stopped', async () => {
    four().answers(candidate({ text: 'a' }));
    expect(await four().ask(caller, model, false)).toMatchObject({ text: 'a' });
    four().answers(candidate({ functionCall: { name: 'f', args: { x: 1 } } }));
    expect(namedInputs(await four().ask(caller, model, false))).toEqual([['f', { x: 1 }]]);
  });
});

const notGoogle = CALLERS.filter((caller) => caller !== 'generate-content');
describe.each(notGoogle)('a candidate without a reason, translated for a caller of %s', (caller) => {
  const model = MODELS['generate-content'];
  const text = { candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] } }] };

  test('has stopped if the vendor gives a whole answer in place of a stream', async () => {
    four().answers(text);
    const { text: read, finish } = await four().ask(caller, model, true);
    expect([read, finish]).toEqual(['a', FINISHED[caller]]);
  });

  test('has failed in a stream', async () => {
    four().answers([text]);
    expect((await four().ask(caller, model, true)).raw).toContain('Connection lost');
  });

  test.each([
    ['nothing', { candidates: [{ content: { role: 'model' } }] }],
    ['only thoughts', { candidates: [{ content: { parts: [{ text: 'Hm', thought: true }] } }] }],
    ['no candidate', { candidates: [], modelVersion: 'm', usageMetadata: { promptTokenCount: 1 } }],
  ])('has failed if the whole answer has %s', async (_, said) => {
    four().answers(said);
    await expect(four().ask(caller, model, false)).rejects.toThrow(/502: .*Connection lost/);
  });
});
