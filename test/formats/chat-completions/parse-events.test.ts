import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import {
  chunk,
  DONE,
  HEAD,
  isOrdered,
  PROMPT,
  parsed,
  partsOf,
  raw,
  replyOf,
  soFar,
  TARGET,
  whole,
} from './answers.ts';

const hello = chunk({ role: 'assistant', content: 'Hello' });
const stop = chunk({}, 'stop');
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };

/** The fault of the thrown error. */
function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof GatewayError ? error.fault : `not ours: ${String(error)}`;
  }
  return 'none';
}

describe('the start', () => {
  test('has the fields of the first chunk with a choice', () => {
    const first = {
      ...HEAD,
      service_tier: 'default',
      system_fingerprint: 'fp_1',
      provider: 'P',
      obfuscation: 'x8',
      choices: [{ index: 0, delta: { content: 'a' } }],
    };
    expect(soFar(raw(first))[0]).toEqual({
      type: 'reply-start',
      id: HEAD.id,
      model: HEAD.model,
      created: HEAD.created,
      serviceTier: 'default',
      formatSpecific: { format: 'chat-completions', fields: { system_fingerprint: 'fp_1' } },
      unknownFields: { provider: 'P' },
    });
  });

  test("waits for Azure's second chunk, and keeps the fields of its first", () => {
    const filtered = [{ prompt_index: 0, content_filter_results: { hate: { filtered: false } } }];
    const events = soFar(
      raw({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: filtered }),
      hello,
    );
    expect(events.map(({ type }) => type)).toEqual(['reply-start', 'part-start', 'part-delta']);
    expect(events[0]).toMatchObject({ id: HEAD.id, unknownFields: { prompt_filter_results: filtered } });
  });

  test('has no time if the vendor sends 0, and no text if it sends none', () => {
    const [start] = soFar(raw({ created: 0, choices: [{ index: 0, delta: { content: 'a' } }] }));
    expect(start).toEqual({ type: 'reply-start', id: '', model: '' });
  });
});

describe('the end', () => {
  test('is the finish reason, with or without [DONE]', () => {
    expect(replyOf(hello, stop)).toEqual(replyOf(hello, stop, DONE));
    expect(replyOf(hello, stop).choices[0]?.end).toEqual({ finish: 'stop' });
  });

  test('without a finish reason is an error, unless the vendor sends [DONE]', () => {
    expect(faultOf(() => parsed([hello]))).toBe('upstream-broken');
    expect(faultOf(() => parsed([]))).toBe('upstream-broken');
    expect(replyOf(hello, DONE).choices[0]?.end.finish).toBe('stop');
  });

  test('without any content is always an error', () => {
    expect(faultOf(() => parsed([DONE]))).toBe('upstream-broken');
    expect(faultOf(() => parsed([chunk({ role: 'assistant', content: '' }), DONE]))).toBe('upstream-broken');
    expect(faultOf(() => parsed([raw({ ...HEAD, choices: [] })]))).toBe('upstream-broken');
  });

  test('comes after text that follows a first finish reason', () => {
    const again = chunk({ role: 'assistant', content: '' }, 'stop', { native_finish_reason: 'end_turn' });
    expect(replyOf(hello, chunk({}, 'tool_calls'), chunk({ content: ' again' }), again, DONE)).toMatchObject({
      choices: [{ parts: [{ text: 'Hello again' }], end: { finish: 'stop', native: 'end_turn' } }],
    });
  });

  test('may come with the last piece of text', () => {
    expect(partsOf(hello, chunk({ content: '!' }, 'stop'))).toEqual([{ kind: 'text', text: 'Hello!' }]);
  });

  test('ignores events that are null', () => {
    expect(parsed([{ data: 'null' }, hello, { data: 'null' }, stop, DONE])).toEqual(
      parsed([hello, stop, DONE]),
    );
  });

  test('ignores everything after [DONE]', () => {
    expect(parsed([hello, stop, DONE, chunk({ content: 'x' }), { data: 'no JSON' }])).toEqual(
      parsed([hello, stop]),
    );
  });

  test.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['length', 'length'],
    ['model_length', 'context-length'],
    ['model_context_window_exceeded', 'context-length'],
    ['sensitive', 'content-filter'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'stop'],
    ['something new', 'other'],
  ])('%s without calls means %s', (word, finish) => {
    expect(replyOf(hello, chunk({}, word)).choices[0]?.end.finish).toBe(finish);
  });

  test.each([
    ['content_filter', 'refusal', 'refusal'],
    ['stop', 'pause_turn', 'pause'],
    ['length', 'stop_sequence', 'length'],
    ['content_filter', 'MALFORMED_FUNCTION_CALL', 'malformed-call'],
  ])("%s with the vendor's own word %s means %s", (word, native, finish) => {
    expect(replyOf(hello, chunk({}, word, { native_finish_reason: native })).choices[0]?.end).toEqual({
      finish,
      native,
    });
  });

  test('stop means tool-calls after calls, and refusal after a refusal', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] });
    expect(replyOf(call, stop).choices[0]?.end.finish).toBe('tool-calls');
    expect(replyOf(chunk({ refusal: 'No.' }), stop).choices[0]).toEqual({
      parts: [{ kind: 'refusal', text: 'No.' }],
      end: { finish: 'refusal' },
    });
  });

  test("has vLLM's stop sequence, but not the id of a token", () => {
    expect(replyOf(hello, chunk({}, 'stop', { stop_reason: '###' })).choices[0]?.end).toEqual({
      finish: 'stop-sequence',
      stopSequence: '###',
    });
    expect(replyOf(hello, chunk({}, 'stop', { stop_reason: 128009 })).choices[0]?.end.finish).toBe('stop');
  });

  test.each([
    ['error', 'upstream-broken'],
    ['network_error', 'upstream-broken'],
    ['abort', 'upstream-broken'],
    ['insufficient_system_resource', 'upstream-overloaded'],
  ])('%s is no end but a failure', (word, fault) => {
    expect(faultOf(() => parsed([hello, chunk({}, word)]))).toBe(fault);
  });
});

describe('usage', () => {
  const told = { input: 3, output: 5 };
  const apart = raw({ ...HEAD, choices: [], usage });

  test('comes after the finish reason, with it, or in the first chunk', () => {
    expect(replyOf(hello, stop, apart, DONE).usage).toEqual(told);
    expect(
      replyOf(hello, raw({ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }))
        .usage,
    ).toEqual(told);
    expect(soFar(raw({ ...HEAD, choices: [{ index: 0, delta: { content: 'a' } }], usage }))[1]).toEqual({
      type: 'usage',
      usage: told,
    });
  });

  test('in every chunk gives at most two events, the last usage last', () => {
    const counting = (output: number) =>
      raw({
        ...HEAD,
        choices: [{ index: 0, delta: { content: 'a' } }],
        usage: { ...usage, completion_tokens: output },
      });
    const events = parsed([...[1, 2, 3, 4].map(counting), stop]);
    expect(events.flatMap((event) => (event.type === 'usage' ? [event.usage.output] : []))).toEqual([1, 4]);
  });

  test("in Groq's own field counts if there is no other", () => {
    const groq = raw({
      ...HEAD,
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      x_groq: { id: 'req_1', usage },
    });
    expect(replyOf(hello, groq).usage).toEqual(told);
  });

  test("in Moonshot's choice counts if there is no other, and is not a field of the choice", () => {
    const moonshot = raw({ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] });
    const reply = replyOf(hello, moonshot);
    expect(reply.usage).toEqual(told);
    expect(JSON.stringify(reply.choices)).not.toContain('prompt_tokens');
    const beside = raw({ ...HEAD, choices: [], usage: { ...usage, completion_tokens: 9 } });
    expect(replyOf(hello, moonshot, beside).usage).toMatchObject({ output: 9 });
  });

  test("counts DeepSeek's cache hits, and never more than the input", () => {
    const deepseek = { ...usage, prompt_cache_hit_tokens: 2, prompt_cache_miss_tokens: 1 };
    expect(replyOf(whole({ content: 'a' }, 'stop', { usage: deepseek })).usage).toMatchObject({
      input: 3,
      cacheRead: 2,
    });
    const grok = { ...usage, prompt_tokens_details: { cached_tokens: 161 } };
    expect(replyOf(whole({ content: 'a' }, 'stop', { usage: grok })).usage).toMatchObject({
      input: 3,
      cacheRead: 3,
    });
  });

  test("counts Qwen's cache writes, which cost more than uncached input", () => {
    const inside = { cache_creation_input_tokens: 2, cache_type: 'ephemeral', cached_tokens: 0 };
    const qwen = { ...usage, prompt_tokens_details: inside };
    expect(replyOf(whole({ content: 'a' }, 'stop', { usage: qwen })).usage).toMatchObject({
      input: 3,
      cacheRead: 0,
      cacheWrite: 2,
    });
  });

  test("adds the reasoning that xAI leaves out and that Google's endpoint hides", () => {
    const xai = {
      prompt_tokens: 3,
      completion_tokens: 5,
      total_tokens: 18,
      completion_tokens_details: { reasoning_tokens: 10 },
    };
    expect(replyOf(whole({ content: 'a' }, 'stop', { usage: xai })).usage).toMatchObject({
      output: 15,
      reasoning: 10,
    });
    const google = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 18 };
    const events = parsed([whole({ content: 'a' }, 'stop', { usage: google })], PROMPT, {
      ...TARGET,
      model: 'gemini-2.5-pro',
    });
    expect(events).toContainEqual({ type: 'usage', usage: { input: 3, output: 15, reasoning: 10 } });
  });

  test('without any count is none', () => {
    expect(replyOf(hello, stop, raw({ ...HEAD, choices: [], usage: {} })).usage).toEqual({});
    expect(
      replyOf(hello, raw({ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }))
        .usage,
    ).toEqual({});
  });
});

describe('errors', () => {
  const error = { message: 'Overloaded', type: 'overloaded_error' };

  test.each([
    ['an object of its own', raw({ error })],
    [
      'beside an ordinary chunk',
      raw({
        ...HEAD,
        error: { code: 503, message: 'Overloaded' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: null }],
      }),
    ],
    ['an event that is named so', { event: 'error', data: JSON.stringify(error) }],
  ])('%s', (_name, event) => {
    expect(faultOf(() => parsed([hello, event, DONE]))).toBe('upstream-overloaded');
    expect(() => parsed([hello, event])).toThrow('Overloaded');
  });

  test('null is not an error', () => {
    expect(
      partsOf(
        raw({
          ...HEAD,
          error: null,
          choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }],
        }),
      ),
    ).toHaveLength(1);
  });

  test.each(['{', '[7]', '7', '"x"', '[DON'])('%j is not a chunk', (data) => {
    expect(faultOf(() => parsed([hello, { data }, stop, DONE]))).toBe('upstream-broken');
  });

  test('an impossible index', () => {
    for (const index of [-1, 0.5, 1e9]) {
      expect(faultOf(() => parsed([raw({ ...HEAD, choices: [{ index, delta: { content: 'a' } }] })]))).toBe(
        'upstream-broken',
      );
    }
  });

  test('a value that is nested too deeply', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const data = `{"id":"a","choices":[{"index":0,"delta":{"content":"x"}}],"odd":${deep}}`;
    expect(faultOf(() => parsed([{ data }, stop]))).toBe('upstream-broken');
    const call = `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":${deep}}}]}}]}`;
    expect(faultOf(() => parsed([{ data: call }, stop]))).toBe('upstream-broken');
  });

  test('an event of an unknown type is skipped', () => {
    const odd = { event: 'ping', data: '{"type":"ping"}' };
    expect(parsed([odd, hello, odd, { data: '' }, stop, odd])).toEqual(parsed([hello, stop]));
  });
});

describe('several choices', () => {
  const at = (index: number, delta: object, finish: string | null = null) =>
    raw({ ...HEAD, choices: [{ index, delta: { ...delta }, finish_reason: finish }] });

  test('come as they arrive, each in order', () => {
    const events = [
      at(0, { content: 'a' }),
      at(1, { content: 'b' }),
      at(0, { content: 'c' }),
      at(1, {}, 'length'),
      at(0, {}, 'stop'),
      DONE,
    ];
    expect(isOrdered(parsed(events))).toBe(true);
    expect(replyOf(...events).choices).toEqual([
      { parts: [{ kind: 'text', text: 'ac' }], end: { finish: 'stop' } },
      { parts: [{ kind: 'text', text: 'b' }], end: { finish: 'length' } },
    ]);
  });

  test('are an error if one is missing', () => {
    expect(faultOf(() => parsed([at(1, { content: 'a' }, 'stop'), DONE]))).toBe('upstream-broken');
  });

  test('need a finish reason each, or [DONE]', () => {
    const events = [at(0, { content: 'a' }), at(1, { content: 'b' }), at(0, {}, 'stop')];
    expect(faultOf(() => parsed(events))).toBe('upstream-broken');
    expect(replyOf(...events, DONE).choices.map(({ end }) => end.finish)).toEqual(['stop', 'stop']);
  });
});

describe('fields beside the text', () => {
  const tokens = [
    {
      token: 'Hi',
      logprob: -0.1,
      bytes: [72, 105],
      top_logprobs: [{ token: 'Hi', logprob: -0.1, bytes: null }],
    },
  ];

  test('log probabilities', () => {
    const event = chunk({ content: 'Hi' }, 'stop', { logprobs: { content: tokens, refusal: null } });
    expect(replyOf(event).choices[0]?.logprobs).toEqual([
      { token: 'Hi', logprob: -0.1, bytes: [72, 105], top: [{ token: 'Hi', logprob: -0.1, bytes: null }] },
    ]);
    const columns = chunk({ content: 'Hi' }, 'stop', {
      logprobs: { tokens: ['Hi'], token_logprobs: [-0.1] },
    });
    expect(replyOf(columns).choices[0]?.logprobs).toEqual([{ token: 'Hi', logprob: -0.1 }]);
  });

  test('citations before the text, after it, or without a text', () => {
    const annotation = {
      type: 'url_citation',
      url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 },
    };
    const citation = {
      url: 'https://a.example',
      title: 'A',
      start: 0,
      end: 2,
      formatSpecific: { format: 'chat-completions', fields: annotation },
    };
    const cited = [{ kind: 'text', text: 'Hi', citations: [citation] }];
    expect(
      partsOf(chunk({ content: '', annotations: [annotation] }), chunk({ content: 'Hi' }, 'stop')),
    ).toEqual(cited);
    expect(partsOf(chunk({ content: 'Hi' }), chunk({ annotations: [annotation] }, 'stop'))).toEqual(cited);
    expect(partsOf(whole({ content: 'Hi', annotations: [annotation] }))).toEqual(cited);
    expect(partsOf(chunk({ annotations: [annotation] }, 'stop'))).toMatchObject([
      { text: '', citations: [citation] },
    ]);
  });

  describe('a citation belongs to the text in which it begins', () => {
    const cite = (start_index?: number, end_index?: number) => ({
      annotations: [
        { type: 'url_citation', url_citation: { url: 'https://a.example', start_index, end_index } },
      ],
    });
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] };
    const thought = { reasoning_content: 'Hm.' };
    const textsOf = (...deltas: JsonObject[]) =>
      partsOf(...deltas.map((delta) => chunk(delta)), stop).flatMap((part) =>
        part.kind === 'text'
          ? [[part.text, ...(part.citations ?? []).map(({ start, end }) => [start, end])]]
          : [],
      );

    test.each([
      ['a call', call],
      ['a thought', thought],
    ])('%s has ended the text', (_, between) => {
      expect(textsOf({ content: 'Hello world' }, between, cite(0, 5))).toEqual([['Hello world', [0, 5]]]);
      expect(textsOf({ content: 'Hello world' }, between, cite())).toEqual([
        ['Hello world', [undefined, undefined]],
      ]);
      const events = parsed([chunk({ content: 'Hello' }), chunk(between), chunk(cite(0, 5)), stop, DONE]);
      expect(isOrdered(events)).toBe(true);
    });

    test('another text has begun', () => {
      const texts = [{ content: 'Hello ' }, thought, { content: 'world' }];
      expect(textsOf(...texts, cite(0, 5), cite(6, 11))).toEqual([
        ['Hello ', [0, 5]],
        ['world', [0, 5]],
      ]);
      // The words of the second text are cited too, but a citation has one text.
      expect(textsOf(...texts, cite(0, 11))).toEqual([['Hello ', [0, 6]], ['world']]);
    });

    test('another text follows', () => {
      expect(textsOf({ content: 'Hello ' }, thought, cite(6, 11), cite(), { content: 'world' })).toEqual([
        ['Hello '],
        ['world', [0, 5], [undefined, undefined]],
      ]);
    });
  });

  test('unknown fields of the answer, of a choice and of a message, each once', () => {
    const end = replyOf(
      raw({
        ...HEAD,
        provider: 'P',
        choices: [
          { index: 0, delta: { content: 'a', executed_tools: [{ index: 0 }] }, content_filter_results: {} },
        ],
      }),
      raw({
        ...HEAD,
        provider: 'P',
        timings: { ms: 4 },
        choices: [{ index: 0, delta: {}, finish_reason: 'stop', content_filter_results: { hate: {} } }],
      }),
      DONE,
    );
    expect(end.start.unknownFields).toEqual({ provider: 'P' });
    expect(end.choices[0]?.end.unknownFields).toEqual({
      timings: { ms: 4 },
      executed_tools: [{ index: 0 }],
      content_filter_results: { hate: {} },
    });
  });

  test('a field called __proto__ is a field like any other', () => {
    const data =
      '{"choices":[{"index":0,"delta":{"content":"a","__proto__":{"x":1}},"finish_reason":"stop","__proto__":{"y":1}}],"__proto__":{"z":1}}';
    const { start, choices } = replyOf({ data });
    expect(Object.keys(start.unknownFields ?? {})).toEqual(['__proto__']);
    expect(Object.keys(choices[0]?.end.unknownFields ?? {})).toEqual(['__proto__']);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  test("Perplexity's message beside a delta adds nothing", () => {
    const both = (said: string, all: string) =>
      chunk({ content: said }, null, { message: { role: 'assistant', content: all } });
    expect(partsOf(both('a', 'a'), both('b', 'ab'), chunk({ content: '' }, 'stop'))).toEqual([
      { kind: 'text', text: 'ab' },
    ]);
  });

  test('what a model has spoken is the text of an answer that has no other', () => {
    const spoken = (transcript: string) => ({ audio: { id: 'audio_1', data: 'AAAA', transcript } });
    const text = [{ kind: 'text', text: 'Hello there' }];
    expect(partsOf(whole({ content: null, ...spoken('Hello there') }))).toEqual(text);
    expect(partsOf(whole({ content: 'Hello there', ...spoken('Hello') }))).toEqual(text);
    expect(partsOf(chunk(spoken('Hello')), chunk({ content: '', ...spoken(' there') }), stop)).toEqual(text);
    expect(partsOf(chunk({ content: 'Hello there' }), chunk({ audio: { expires_at: 1 } }), stop)).toEqual(
      text,
    );
  });

  test("blocks of other formats in a gateway's answer", () => {
    const block = { type: 'server_tool_use', id: 'x', name: 'web_search', input: {} };
    const foreign = { messages: [block], citations: [{ cited_text: 'y' }] };
    const reply = replyOf(whole({ content: 'a', provider_specific_fields: foreign }));
    expect(reply.choices[0]?.parts[1]).toEqual({ kind: 'opaque', format: 'messages', value: block });
    expect(reply.choices[0]?.end.unknownFields).toEqual({
      provider_specific_fields: { citations: [{ cited_text: 'y' }] },
    });
  });
});
