/** Checklist, section 17: what an answer costs. */

import { describe, expect, test } from 'vitest';
import { computeCost } from '../../src/accounting/usage/cost.ts';
import { collect } from '../../src/conversation/collect.ts';
import { formats } from '../../src/formats/formats.ts';
import { eventsOf, eventsOfWhole } from '../support/meaning.ts';
import { claudeMessage, claudeStream, completion, gemini, geminiStream, namedStream } from './support.ts';

describe('checklist 127, 128: dollars, worked out by hand', () => {
  // Per million: fresh 3, read 0.3, written for minutes 3.75, for an hour 6, out 15.
  const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 };
  const bytes = (said: { readonly body: string | Uint8Array }): Uint8Array =>
    new TextEncoder().encode(String(said.body));

  test('checklist 127: Anthropic: fresh, read and written are separate, and reported twice is paid once', () => {
    const usage = {
      input_tokens: 1_000,
      cache_read_input_tokens: 100_000,
      cache_creation_input_tokens: 20_000,
      cache_creation: { ephemeral_5m_input_tokens: 15_000, ephemeral_1h_input_tokens: 5_000 },
      output_tokens: 2_000,
    };
    // 1,000 at 3 + 100,000 at 0.3 + 15,000 at 3.75 + 5,000 at 6 + 2,000 at 15
    const dollars = 0.003 + 0.03 + 0.05625 + 0.03 + 0.03;
    const whole = collect(
      eventsOfWhole(
        formats.messages,
        JSON.stringify(claudeMessage([{ type: 'text', text: 'Yes.' }], 'end_turn', usage)),
      ),
    );
    expect(computeCost(whole.usage, prices)).toBeCloseTo(dollars, 10);
    const stream = claudeStream(
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Yes.' },
        ],
      ],
      'end_turn',
      usage,
    );
    expect(computeCost(collect(eventsOf(formats.messages, bytes(stream))).usage, prices)).toBeCloseTo(
      dollars,
      10,
    );
  });

  test("checklist 127: Anthropic: cache writes of its own tools after a stream's start have the same lifetime", () => {
    const stream = namedStream(
      {
        type: 'message_start',
        message: claudeMessage([], null, {
          input_tokens: 1_000,
          cache_creation_input_tokens: 10_000,
          cache_creation: { ephemeral_5m_input_tokens: 2_500, ephemeral_1h_input_tokens: 7_500 },
          output_tokens: 1,
        }),
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 1_000, cache_creation_input_tokens: 40_000, output_tokens: 2_000 },
      },
      { type: 'message_stop' },
    );
    // 1,000 at 3 + 10,000 at 3.75 + 30,000 at 6 + 2,000 at 15
    const dollars = 0.003 + 0.0375 + 0.18 + 0.03;
    expect(computeCost(collect(eventsOf(formats.messages, bytes(stream))).usage, prices)).toBeCloseTo(
      dollars,
      10,
    );
  });

  test('checklist 128: Google: cached tokens are part of the prompt, thoughts are not part of the answer', () => {
    const usage = {
      promptTokenCount: 100_000,
      cachedContentTokenCount: 90_000,
      candidatesTokenCount: 500,
      thoughtsTokenCount: 1_500,
      totalTokenCount: 102_000,
    };
    // 10,000 at 3 + 90,000 at 0.3 + 2,000 at 15
    const dollars = 0.03 + 0.027 + 0.03;
    const whole = collect(
      eventsOfWhole(formats['generate-content'], JSON.stringify(gemini([{ text: 'Yes.' }], 'STOP', usage))),
    );
    expect(computeCost(whole.usage, prices)).toBeCloseTo(dollars, 10);
    const stream = geminiStream(
      gemini([{ text: 'Ye' }], undefined, { ...usage, candidatesTokenCount: 100, totalTokenCount: 101_600 }),
      gemini([{ text: 's.' }], 'STOP', usage),
    );
    expect(
      computeCost(collect(eventsOf(formats['generate-content'], bytes(stream))).usage, prices),
    ).toBeCloseTo(dollars, 10);
  });

  test('checklist 127: OpenAI: read and written are part of the prompt, reasoning is part of the answer', () => {
    const usage = {
      prompt_tokens: 10_000,
      completion_tokens: 1_000,
      total_tokens: 11_000,
      prompt_tokens_details: { cached_tokens: 6_000, cache_write_tokens: 1_000 },
      completion_tokens_details: { reasoning_tokens: 800 },
    };
    // 3,000 at 3 + 6,000 at 0.3 + 1,000 at 3.75 + 1,000 at 15
    const dollars = 0.009 + 0.0018 + 0.00375 + 0.015;
    const whole = collect(
      eventsOfWhole(
        formats['chat-completions'],
        JSON.stringify(completion({ content: 'Yes.' }, 'stop', { usage })),
      ),
    );
    expect(computeCost(whole.usage, prices)).toBeCloseTo(dollars, 10);
  });

  test('checklist 127: the parts of usage never overlap, whatever the vendor reports', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 0,
      total_tokens: 100,
      prompt_tokens_details: { cached_tokens: 250 },
    };
    const { usage: read } = collect(
      eventsOfWhole(
        formats['chat-completions'],
        JSON.stringify(completion({ content: 'Yes.' }, 'stop', { usage })),
      ),
    );
    expect(read.cacheRead ?? 0).toBeLessThanOrEqual(read.input ?? 0);
    expect(computeCost(read, prices)).toBeCloseTo((100 * 0.3) / 1e6, 12);
  });
});
