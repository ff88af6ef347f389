/**
 * Answers whose content has the form of chat-completions, from services that speak responses or messages: SGLang's router
 * writes the parts of a response as `text` (sgl-project/sglang#12652), others the whole content as one text.
 */

import { expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const CONTENTS: readonly Json[] = ['Hello', [{ type: 'text', text: 'Hello' }]];

function response(content: Json): JsonObject {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  return { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output: [item] };
}

function streamed(content: Json): readonly JsonObject[] {
  const { output, ...head } = response(content);
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  return [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.completed', response: { ...head, output: output ?? [] } },
  ];
}

const message = (content: Json): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 2 },
});

const rows = (vendor: FormatName): [caller: FormatName, content: Json][] =>
  CALLERS.filter((caller) => caller !== vendor).flatMap((caller) =>
    CONTENTS.map((content): [FormatName, Json] => [caller, content]),
  );

test.each(rows('responses'))('of a response, to a caller of %s: %j', async (caller, content) => {
  four().answers(response(content));
  const whole = await four().ask(caller, MODELS.responses, false);
  four().answers(streamed(content));
  const stream = await four().ask(caller, MODELS.responses, true);
  expect([whole.text, stream.text]).toEqual(['Hello', 'Hello']);
});

test.each(rows('messages'))('of a message, to a caller of %s: %j', async (caller, content) => {
  four().answers(message(content));
  expect((await four().ask(caller, MODELS.messages, false)).text).toBe('Hello');
});
