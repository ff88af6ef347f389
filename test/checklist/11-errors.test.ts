/** Checklist, section 11: errors in an answer that has begun. */

import { describe, expect, test } from 'vitest';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import type { Sse } from '../../src/streams/sse.ts';
import { MAX_EVENT_LENGTH } from '../../src/streams/sse.ts';
import { KEY } from '../support/gateway.ts';
import { ASKED } from '../support/meaning.ts';
import { json as refuse } from '../support/upstream.ts';
import {
  at,
  CALLERS,
  type Caller,
  CLAUDE,
  chunk,
  claudeBoth,
  claudeMessage,
  GEMINI,
  GEMINI_3,
  gemini,
  geminiStream,
  namedStream,
  QWEN,
  type Streamed,
  useDoor,
} from './support.ts';

const door = useDoor();

const said = (text: string): string => `data: ${JSON.stringify(chunk({ content: text }))}\n\n`;

/** Expects that a stream ends with the error event of its format, and nothing after it. */
function expectFailure(from: Caller, { events, data, text }: Streamed, message: RegExp, type: string): void {
  const last = data.at(-1);
  switch (from) {
    case 'chat-completions':
      expect(last).toMatchObject({ error: { message: expect.stringMatching(message), type } });
      expect(events.at(-1)?.data).not.toBe('[DONE]');
      return;
    case 'responses':
      expect(last).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { message: expect.stringMatching(message), code: type } },
      });
      expect(text).not.toContain('response.completed');
      return;
    case 'messages':
      expect(events.at(-1)?.event).toBe('error');
      expect(last).toMatchObject({ type: 'error', error: { message: expect.stringMatching(message), type } });
      expect(text).not.toContain('message_stop');
  }
}

const broken: Readonly<Record<Caller, string>> = {
  'chat-completions': 'api_error',
  responses: 'server_error',
  messages: 'api_error',
};

describe('checklist 93, 94: a stream that breaks off ends with the error of its format', () => {
  const models: Readonly<Record<Caller, string>> = {
    'chat-completions': GEMINI,
    responses: QWEN,
    messages: QWEN,
  };
  const begun = (from: Caller): string =>
    from === 'chat-completions' ? String(geminiStream(gemini([{ text: 'Yes, ' }])).body) : said('Yes, ');

  test.each(CALLERS)('checklist 93: the vendor closes (%s)', async (from) => {
    door.answers({ type: 'text/event-stream', body: begun(from) });
    const stream = await door.stream(from, models[from]);
    expect(stream.text).toContain('Yes, ');
    expectFailure(from, stream, /upstream/, broken[from]);
  });

  test.each(CALLERS)('checklist 96: the vendor resets (%s)', async (from) => {
    door.answers((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begun(from), () => setTimeout(() => response.destroy(), 20));
    });
    const stream = await door.stream(from, models[from]);
    expect(stream.text).toContain('Yes, ');
    expectFailure(from, stream, /upstream/, broken[from]);
  });

  test('checklist 94: in generate-content the error is a separate object', () => {
    const events: Sse[] = [];
    const renderer = formats['generate-content'].inbound.renderEvents(ASKED);
    const out = { enqueue: (event: Sse) => void events.push(event) };
    renderer.transform({ type: 'reply-start', id: 'r', model: 'm' }, out);
    renderer.fail(new GatewayError('upstream-broken', 'It broke off.'), out);
    expect(events.map(({ data }) => JSON.parse(data))).toEqual([
      { error: { code: 502, message: 'It broke off.', status: 'UNAVAILABLE' } },
    ]);
  });
});

describe('checklist 94: the error of the vendor is translated into the format of the caller', () => {
  const claudeBegun = String(claudeBoth([{ type: 'text', text: 'Yes, ' }], 'end_turn').stream.body).split(
    'event: content_block_stop',
  )[0];
  const overloaded: [
    name: string,
    model: string,
    callers: readonly Caller[],
    begun: string,
    error: string,
  ][] = [
    [
      'Anthropic',
      CLAUDE,
      ['chat-completions', 'responses'],
      claudeBegun ?? '',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ],
    [
      'Google',
      GEMINI,
      CALLERS,
      String(geminiStream(gemini([{ text: 'Yes, ' }])).body),
      'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\r\n\r\n',
    ],
    [
      'a compatible service',
      QWEN,
      ['responses', 'messages'],
      said('Yes, '),
      'data: {"error":{"message":"Overloaded","type":"server_error","code":503}}\n\ndata: [DONE]\n\n',
    ],
  ];
  const words: Readonly<Record<Caller, string>> = {
    'chat-completions': 'server_error',
    responses: 'server_error',
    messages: 'overloaded_error',
  };
  const cases = overloaded.flatMap(([name, model, callers, begun, error]) =>
    callers.map((from) => ({ name, model, from, begun, error })),
  );
  test.each(cases)('checklist 94: $name to $from, after it began', async ({ model, from, begun, error }) => {
    const stream = await door.streamInTwo(from, model, 'Yes, ', { begun, rest: error });
    expect(stream.text).toContain('Yes, ');
    expectFailure(from, stream, /Overloaded/, words[from]);
  });

  test.each(cases)(
    'checklist 94: $name to $from, before anything was passed on: by its status',
    async ({ model, from, error }) => {
      door.answers({ type: 'text/event-stream', body: error });
      const { status, text } = await door.stream(from, model);
      expect(status).toBe(from === 'messages' ? 529 : 503);
      expect(text).toContain('Overloaded');
    },
  );
});

describe("checklist 95: an end before the vendor's last event does not count as one", () => {
  const whole = String(claudeBoth([{ type: 'text', text: 'Yes.' }], 'end_turn').stream.body);
  const events = whole.split('\n\n').filter((event) => event !== '');
  const cuts = events.map((_, count) => count).filter((count) => count > 0);
  test.each(cuts)('checklist 95: Anthropic, after %d events', async (count) => {
    for (const from of ['chat-completions', 'responses'] as const) {
      door.answers({ type: 'text/event-stream', body: `${events.slice(0, count).join('\n\n')}\n\n` });
      const stream = await door.stream(from, CLAUDE);
      if (stream.status === 200) expectFailure(from, stream, /upstream/, broken[from]);
      else expect(stream.status).toBe(502);
    }
  });

  test('checklist 95: a service that sends neither a finish reason nor [DONE]', async () => {
    door.answers({ type: 'text/event-stream', body: `${said('Yes')}${said('.')}` });
    expectFailure('messages', await door.stream('messages', QWEN), /upstream/, 'api_error');
  });

  test('checklist 95: a whole answer with a truncated body', async () => {
    door.answers({ type: 'text/event-stream', body: `${said('Yes')}${said('.')}` });
    expect((await door.whole('messages', QWEN)).status).toBe(502);
  });
});

describe('checklist 211: two answers in one stream are not merged into one', () => {
  const text = (said: string): readonly JsonObject[] => [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } },
  ];
  const end = [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  const started = (id: string): JsonObject => ({
    type: 'message_start',
    message: { ...claudeMessage([], null), id },
  });

  test.each(['chat-completions', 'responses'] as const)('checklist 211: to %s', async (from) => {
    door.answers(namedStream(started('msg_1'), ...text('One, '), started('msg_2'), ...text('two.'), ...end));
    const { status, text: told } = await door.stream(from, CLAUDE);
    expect(told).toMatch(/another message within the first/);
    expect(told).not.toContain('two.');
    expect(status).toBe(502);
  });

  test('checklist 211: one answer whose start is sent twice is one', async () => {
    door.answers(namedStream(started('msg_1'), started('msg_1'), ...text('One.'), ...end));
    const { reply } = await door.stream('chat-completions', CLAUDE);
    expect(reply().choices[0]?.parts).toMatchObject([{ kind: 'text', text: 'One.' }]);
  });
});

describe('checklist 97: an event may be very long, and one too long is an error', () => {
  const signed = (size: number) =>
    geminiStream(
      gemini([{ functionCall: { name: 'f', args: {} }, thoughtSignature: 'A'.repeat(size) }]),
      gemini([], 'STOP'),
    );

  test('checklist 97: four million letters of signature arrive whole', async () => {
    door.answers(signed(4_000_000));
    const { data } = await door.stream('chat-completions', GEMINI_3);
    const signature = data
      .flatMap(
        (event) => at(event, 'choices.0.delta.tool_calls.0.extra_content.google.thought_signature') ?? [],
      )
      .join('');
    expect(signature.length).toBe(4_000_000);
  });

  test('checklist 97: more than the limit is reported as too large', async () => {
    door.answers(signed(MAX_EVENT_LENGTH + 1));
    const { status, text } = await door.stream('chat-completions', GEMINI_3);
    expect(status).toBe(502);
    expect(text).toMatch(/too long/);
  });
});

describe('checklist 159: agents learn that a dialogue is too long, however a service says it', () => {
  test.each([
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
    'Prompt exceeds max length',
    'prompt token count of 140000 exceeds the limit of 128000',
    'Please reduce the length of the messages or completion.',
    'Input length (265330) exceeds the maximum allowed input length of 262144 tokens.',
    'Input is too long for requested model.',
    'tokens in request more than max tokens allowed',
    'number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.',
    'prompt tokens (1200008) exceed model maximum (1050000) for openai.gpt-5.6-terra',
    "total tokens exceeds the model's max of 4096",
    'length of prompt_tokens (57535) must be less than max_seq_len (32768).',
    'The total length of all messages is too long.',
    '`inputs` tokens + `max_new_tokens` must be <= 32769. Given: 40000 `inputs` tokens and 100',
    'Input validation error: `inputs` must have less than 8192 tokens. Given: 9000',
    'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).',
    'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
    'Total tokens of image and text exceed max message tokens. Request id: 0217',
    'input length and `max_tokens` exceed context limit: 189727 + 16000 > 200000, decrease input length',
  ])('checklist 159: %s', async (message) => {
    door.answers((_, response) => refuse(response, { error: { message, type: 'x', code: '1261' } }, 400));
    const toClaudeCode = await door.whole('messages', QWEN);
    const told = String(at(toClaudeCode.json, 'error.message'));
    expect(toClaudeCode.status).toBe(400);
    expect(told).toMatch(/^prompt is too long: /);
    // Before the vendor's words may stand the sizes, as Anthropic writes them.
    expect(told.replace(/^prompt is too long: (?:\d+ tokens > \d+ maximum\. )?/, '')).toBe(message);
    const toCodex = await door.stream('responses', QWEN);
    expect(at(parseJson(toCodex.text), 'error.code')).toBe('context_length_exceeded');
  });

  test.each([
    ['google', 'The input token count (1054016) exceeds the maximum number of tokens allowed (1048576).'],
    [
      'google',
      'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again.',
    ],
    ['anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
    ['anthropic', 'Input is too long for requested model.'],
  ])('checklist 159: of models of %s, also on clouds: %s', async (vendor, message) => {
    const type = {
      google: { code: 400, status: 'INVALID_ARGUMENT' },
      anthropic: { type: 'invalid_request_error' },
    };
    const error = { message, ...type[vendor === 'google' ? vendor : 'anthropic'] };
    door.answers((_, response) => refuse(response, { error }, 400));
    const model = vendor === 'google' ? GEMINI_3 : CLAUDE;
    const { status, json: told } = await door.whole('chat-completions', model);
    expect([status, at(told, 'error.code')]).toEqual([400, 'context_length_exceeded']);
  });

  test('checklist 159: by a vendor behind a router, which only says that there was an error', async () => {
    const raw = JSON.stringify({ error: { message: 'Input is too long for requested model.' } });
    const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'B' } };
    door.answers((_, response) => refuse(response, { error }, 400));
    expect(at((await door.whole('messages', 'openrouter/a-model')).json, 'error.message')).toBe(
      'prompt is too long: Input is too long for requested model.',
    );
  });
});

describe('checklist 213: the time when a limit resets is passed on, wherever a service writes it', () => {
  test.each([
    ['milliseconds', 1],
    ['seconds', 1000],
  ])('checklist 213: by OpenRouter, inside its error, in %s', async (_, unit) => {
    const reset = String(Math.round((Date.now() + 7_200_000) / unit));
    const headers = { 'X-RateLimit-Limit': '50', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset };
    const message = 'Rate limit exceeded: free-models-per-day.';
    const error = { message, code: 429, metadata: { headers, provider_name: null } };
    door.answers((_request, response) => refuse(response, { error, user_id: 'u' }, 429));
    for (const from of CALLERS) {
      const { status, headers: told } = await door.whole(from, 'openrouter/a-model');
      expect(status).toBe(429);
      expect(Math.abs(Number(told.get('retry-after')) - 7200)).toBeLessThan(60);
      expect(told.get('x-should-retry')).toBe('false');
    }
  });

  test.each<[string, string, string | null]>([
    ['by Google, in its answer alone', 'GenerateRequestsPerMinutePerProjectPerModel', '35'],
    ['but not by it of a day', 'GenerateRequestsPerDayPerProjectPerModel', null],
  ])('checklist 213: %s, natively, with unchanged bytes', async (_, quotaId, expected) => {
    const type = 'type.googleapis.com/google.rpc';
    const details = [
      { '@type': `${type}.QuotaFailure`, violations: [{ quotaId }] },
      { '@type': `${type}.RetryInfo`, retryDelay: '34.4s' },
    ];
    const error = { code: 429, message: 'You exceeded your quota.', status: 'RESOURCE_EXHAUSTED', details };
    const body = JSON.stringify({ error }, undefined, 2);
    door.answers((_request, response) =>
      response.writeHead(429, { 'content-type': 'application/json' }).end(body),
    );
    const response = await fetch(`${door.url()}/v1beta/models/gemini-2.5-flash:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hello?' }] }] }),
    });
    expect(await response.text()).toBe(body);
    expect(response.headers.get('retry-after')).toBe(expected);
  });
});

describe('checklist 171: the message of an error is passed on, whatever its shape and status', () => {
  test.each<[number, JsonObject, number, string]>([
    [200, { code: 500, msg: '404 NOT_FOUND', success: false }, 502, '404 NOT_FOUND'],
    [
      200,
      { id: 'x', choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } },
      429,
      'rate limit',
    ],
    [
      400,
      { errors: [{ message: 'AiError: bad input', code: 5006 }], success: false, result: null },
      400,
      'AiError: bad input',
    ],
    [
      400,
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: '{"error":{"message":"at most 1 image"}}', provider_name: 'Crucible' },
        },
      },
      400,
      'at most 1 image',
    ],
  ])('checklist 171: %i %j', async (said, body, status, message) => {
    door.answers((_, response) => refuse(response, body, said));
    for (const from of ['messages', 'responses'] as const) {
      for (const answer of [await door.whole(from, QWEN), await door.stream(from, QWEN)]) {
        const told = parseJson(answer.text);
        expect([answer.status, at(told, 'error.message')]).toEqual([status, message]);
      }
    }
  });

  test('checklist 171: by services that speak messages too', async () => {
    const body = { code: 500, msg: '404 NOT_FOUND', success: false };
    door.answers((_, response) => refuse(response, body, 200));
    for (const answer of [
      await door.whole('chat-completions', CLAUDE),
      await door.stream('chat-completions', CLAUDE),
    ]) {
      expect([answer.status, at(parseJson(answer.text), 'error.message')]).toEqual([502, '404 NOT_FOUND']);
    }
  });
});
