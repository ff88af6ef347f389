/** The sizes in refusals of prompts that are too long, as vendors write them. */

import { describe, expect, test } from 'vitest';
import { findOverflow, type Overflow } from '../../src/formats/overflow.ts';

describe('sizes', () => {
  test.each<[string, string, Overflow]>([
    [
      'OpenAI',
      "This model's maximum context length is 1047576 tokens. However, your messages resulted in 1250021 tokens. Please reduce the length of the messages.",
      { prompt: 1_250_021, limit: 1_047_576 },
    ],
    [
      'OpenAI, with tools',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9123 tokens (8000 in the messages, 1123 in the functions).",
      { prompt: 9123, limit: 8192 },
    ],
    [
      'OpenAI, with the answer',
      "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens (98000 in the messages, 32000 in the completion).",
      { prompt: 98_000, answer: 32_000, limit: 128_000 },
    ],
    [
      'OpenAI, with an answer that is not the cause',
      "This model's maximum context length is 128000 tokens. However, you requested 162000 tokens (130000 in the messages, 32000 in the completion).",
      { prompt: 130_000, limit: 128_000 },
    ],
    [
      'Azure',
      "This model's maximum context length is 16385 tokens, however you requested 16487 tokens (10487 in your prompt; 6000 for the completion). Please reduce your prompt; or completion length.",
      { prompt: 10_487, answer: 6000, limit: 16_385 },
    ],
    [
      'OpenAI, below the context',
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300123 tokens. Please reduce the length of the messages.',
      { prompt: 300_123, limit: 272_000 },
    ],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 163840 tokens. However, you requested about 200511 tokens (198511 of text input, 2000 in the output). Please reduce the length of either one.",
      { prompt: 198_511, limit: 163_840 },
    ],
    [
      'vLLM',
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 40960 tokens and your request has 15000 input tokens (32000 > 40960 - 15000).",
      { prompt: 15_000, answer: 32_000, limit: 40_960 },
    ],
    [
      'xAI',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      { prompt: 537_812, limit: 131_072 },
    ],
    [
      'Moonshot',
      'Invalid request: Your request exceeded model token limit: 262144 (requested: 271203)',
      { prompt: 271_203, limit: 262_144 },
    ],
    ['Anthropic', 'prompt is too long: 212040 tokens > 200000 maximum', { prompt: 212_040, limit: 200_000 }],
    [
      'Anthropic, with the answer',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      { prompt: 188_240, answer: 21_333, limit: 200_000 },
    ],
    [
      'Google',
      'The input token count (1250021) exceeds the maximum number of tokens allowed (1048576).',
      { prompt: 1_250_021, limit: 1_048_576 },
    ],
    [
      'Vertex AI',
      'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576.',
      { prompt: 1_200_000, limit: 1_048_576 },
    ],
    [
      'GitHub',
      'prompt token count of 135000 exceeds the limit of 128000',
      { prompt: 135_000, limit: 128_000 },
    ],
    [
      'Mistral',
      'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      { prompt: 65_673, limit: 32_768 },
    ],
    ['Bedrock', 'prompt tokens (140000) exceed model maximum (131072)', { prompt: 140_000, limit: 131_072 }],
    [
      'llama.cpp',
      'request (9123 tokens) exceeds the available context size (8192 tokens), try increasing it',
      { prompt: 9123, limit: 8192 },
    ],
    [
      'numbers with commas',
      'prompt is too long: 212,040 tokens > 200,000 maximum',
      { prompt: 212_040, limit: 200_000 },
    ],
  ])('%s', (_, message, sizes) => {
    expect(findOverflow(message)).toEqual(sizes);
  });

  test.each([
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'Range of input length should be [1, 129024]',
    'prompt is too long',
    "This model's maximum context length is 128000 tokens.",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 12 tokens.",
    'prompt is too long: 0 tokens > 0 maximum',
  ])('none in %j', (message) => {
    expect(findOverflow(message)).toBeUndefined();
  });

  test('are found in linear time', () => {
    const start = performance.now();
    for (const piece of ['input (', 'maximum context length is 1 ', 'prompt contains 9 ', '(1 > 2 - '])
      findOverflow(piece.repeat(20_000));
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
