/** Tokens that only the total of a usage counts: what callers of every format see of them, and what is recorded. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { type Counts, chatAnswer, countsIn } from '../support/counts.ts';
import { CALLERS, type FourCallers, MODELS, startFourCallers } from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers('somebody/gemini-2.5-pro', 'somebody/voxtral-small-2507', 'somebody/grok-4');
});
afterAll(() => four.close());

const cases: readonly [name: string, model: string, usage: JsonObject, counts: Counts][] = [
  [
    "thoughts, at Google's compatible endpoint",
    'somebody/gemini-2.5-pro',
    { prompt_tokens: 66, completion_tokens: 6, total_tokens: 100 },
    { input: 66, output: 34, reasoning: 28 },
  ],
  [
    'thoughts of an answer that has nothing else',
    'somebody/gemini-2.5-pro',
    { prompt_tokens: 10, total_tokens: 45 },
    { input: 10, output: 35, reasoning: 35 },
  ],
  [
    "audio, in Mistral's prompts",
    'somebody/voxtral-small-2507',
    {
      prompt_audio_seconds: 4,
      prompt_tokens: 9,
      completion_tokens: 201,
      total_tokens: 585,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
    },
    { input: 384, output: 201, reasoning: 0 },
  ],
  [
    'reasoning of Grok',
    'somebody/grok-4',
    {
      prompt_tokens: 49,
      completion_tokens: 32,
      total_tokens: 264,
      prompt_tokens_details: { text_tokens: 49, audio_tokens: 0, cached_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 183 },
    },
    { input: 49, output: 215, reasoning: 183 },
  ],
  [
    'nobody knows what: the parts stand',
    MODELS['chat-completions'],
    { prompt_tokens: 66, completion_tokens: 6, total_tokens: 100 },
    { input: 66, output: 6, reasoning: 0 },
  ],
];

describe.each(cases)('U-49: %s', (_, model, usage, counts) => {
  const { input, output } = counts;

  test.each(
    CALLERS.flatMap((caller) => [false, true].map((stream): [FormatName, boolean] => [caller, stream])),
  )('to a caller of %s (streamed: %s), and in the record', async (caller, stream) => {
    four.answers(chatAnswer(usage, stream));
    const read = await four.ask(caller, model, stream);
    expect(read.text).toBe('ok');
    // Native answers pass byte for byte, with the figures of the vendor.
    if (caller === 'chat-completions') expect(read.usage).toEqual(usage);
    else expect(countsIn(caller, read.usage)).toEqual(counts);
    const { usage: recorded } = four.records.at(-1) ?? {};
    expect(recorded).toMatchObject({ input, output });
    expect(recorded?.reasoning ?? 0).toBe(counts.reasoning);
  });
});

test('thoughts are billed as output', async () => {
  four.answers(chatAnswer({ prompt_tokens: 66, completion_tokens: 6, total_tokens: 100 }, false));
  await four.ask('messages', 'somebody/gemini-2.5-pro', false);
  // 66 tokens at a dollar per million, and 34 at two.
  expect(four.records.at(-1)?.cost).toBeCloseTo((66 * 1 + 34 * 2) / 1e6, 12);
});
