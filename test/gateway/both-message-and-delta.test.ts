/** Whole answers whose choice has the message and an empty delta too, as Perplexity writes them. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, type FourCallers, MODELS, startFourCallers } from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers();
});
afterAll(() => four.close());

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const head = { id: 'x', object: 'chat.completion', created: 1, model: 'sonar' };
const empty = { role: 'assistant', content: '' };

describe.each(CALLERS.slice(1))('U-51: a caller of %s gets', (caller) => {
  test.each<[name: string, message: JsonObject, read: object]>([
    ['a text', { content: 'Paris.' }, { text: 'Paris.', calls: [] }],
    ['thoughts', { content: 'Paris.', reasoning_content: 'Hm.' }, { text: 'Paris.' }],
    [
      'calls',
      { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
      { calls: [{ name: 'f' }] },
    ],
  ])('%s of such a message', async (_, message, read) => {
    const choice = {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', ...message },
      delta: empty,
    };
    four.answers({ ...head, choices: [choice], usage });
    expect(await four.ask(caller, MODELS['chat-completions'], false)).toMatchObject(read);
  });

  test('the text of a stream once, whose messages repeat it', async () => {
    const piece = (delta: string, message: string, finish: string | null): JsonObject => ({
      ...head,
      choices: [
        {
          index: 0,
          finish_reason: finish,
          message: { role: 'assistant', content: message },
          delta: { role: 'assistant', content: delta },
        },
      ],
      usage,
    });
    four.answers([piece('Par', 'Par', null), piece('is.', 'Paris.', null), piece('', 'Paris.', 'stop')]);
    const { text } = await four.ask(caller, MODELS['chat-completions'], true);
    expect(text).toBe('Paris.');
  });
});
