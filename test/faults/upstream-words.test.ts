/**
 * What clients make of a vendor's refusal in another format. Each expression is a client's own, for the vendor whose
 * format it speaks.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { ask, native, translated, type UpstreamWay } from './upstream-ways.ts';

let upstream: FaultUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startFaultUpstream();
  gateway = await startGateway({
    vendors: vendorsAtUrl(upstream.url),
    retries: { limit: 0 },
    generateContent: { models: 'all' },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const toGoogle: UpstreamWay = {
  name: 'generate-content to chat-completions',
  format: 'generate-content',
  spoken: 'chat-completions',
  path: (stream) =>
    `/v1beta/models/openai/gpt-4o:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: () => JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
};
const chatToGoogle: UpstreamWay = {
  name: 'chat-completions to generate-content',
  format: 'chat-completions',
  spoken: 'generate-content',
  path: () => '/v1/chat/completions',
  body: (stream) =>
    JSON.stringify({
      model: 'google/gemini-2.5-flash',
      stream,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
};
const ways = [...translated, toGoogle, chatToGoogle];

/** A refusal as each vendor words it. */
type Refusals = Readonly<Record<FormatName, string>>;

const body = (format: FormatName, message: string): object => {
  if (format === 'messages') return { type: 'error', error: { type: 'invalid_request_error', message } };
  if (format === 'generate-content') return { error: { code: 400, message, status: 'INVALID_ARGUMENT' } };
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
};

/** The text of the answer to a request that the vendor refuses, at once or as the first event of a stream. */
async function refused(way: UpstreamWay, message: string, stream: boolean): Promise<string> {
  const said = JSON.stringify(body(way.spoken, message));
  upstream.script((wire) => wire.answer(400, said));
  const response = await ask(gateway.url, way, stream);
  expect(response.status).toBe(400);
  return response.text();
}

/** The texts of an error, unescaped. */
function messageIn(text: string): string {
  const value: unknown = JSON.parse(text);
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined;
  if (typeof error !== 'object' || error === null || !('message' in error)) throw new Error(text);
  return String(error.message);
}

const TOO_LONG: Refusals = {
  'chat-completions':
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens. Please reduce the length of the messages.",
  responses:
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens.",
  messages: 'prompt is too long: 130021 tokens > 128000 maximum',
  'generate-content': 'The input token count (130021) exceeds the maximum number of tokens allowed (128000).',
};

/** By these, clients recognise the refusal and read how much is too much. */
const READ_SIZES: Readonly<Record<FormatName, RegExp>> = {
  // QwenLM/qwen-code 0.24.4, contextLengthError.ts.
  'chat-completions':
    /maximum context length is\s*(128000)\s*tokens?[\s\S]*?(?:resulted in|requested|used)\s*(130021)\s*tokens?/i,
  responses:
    /maximum context length is\s*(128000)\s*tokens?[\s\S]*?(?:resulted in|requested|used)\s*(130021)\s*tokens?/i,
  // Claude Code 2.1.332; Zed reads the number after the first words of the message, too.
  messages: /^prompt is too long[^0-9]*(130021)\s*tokens?\s*>\s*(128000)/i,
  // The same file of qwen-code, for Gemini.
  'generate-content':
    /input\s+token\s+(?:count|length)[^\d]*(130021)[\s\S]*?exceed(?:s|ed)?[\s\S]*?(?:maximum|limit)[^\d]*(128000)/i,
};

describe.each([false, true])('streamed: %j', (stream) => {
  test.each(ways)('$name: a client reads the sizes of a prompt that is too long', async (way) => {
    const text = await refused(way, TOO_LONG[way.spoken], stream);
    expect(messageIn(text)).toMatch(READ_SIZES[way.format]);
  });

  test.each(ways)('$name: without sizes, a client recognises it all the same', async (way) => {
    const bare: Refusals = {
      ...TOO_LONG,
      'chat-completions': 'Prompt exceeds max length',
      responses: 'Prompt exceeds max length',
      messages: 'input is too long for requested model',
      'generate-content': 'The document exceeds the maximum number of tokens allowed.',
    };
    const known: Readonly<Record<FormatName, RegExp>> = {
      // badlogic/pi-mono, overflow.ts, and BerriAI/litellm, exception_mapping_utils.py.
      'chat-completions': /exceeds the context window.*this model's maximum context length is/i,
      responses: /exceeds the context window.*this model's maximum context length is/i,
      messages: /prompt is too long/i,
      'generate-content': /input token count.*exceeds the maximum/i,
    };
    expect(messageIn(await refused(way, bare[way.spoken], stream))).toMatch(known[way.format]);
  });

  test.each(ways)('$name: a client recognises an image that cannot be read', async (way) => {
    const unreadable: Refusals = {
      'chat-completions':
        "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
      responses:
        'The image data you provided does not represent a valid image. Please check your input and try again.',
      messages: 'messages.0.content.1.image.source.base64.data: Could not process image',
      'generate-content': 'Unable to process input image. Please retry.',
    };
    const known: Readonly<Record<FormatName, RegExp>> = {
      // openai/codex, codex-rs/codex-api/src/api_bridge.rs: it takes the image out and goes on.
      'chat-completions': /The image data you provided does not represent a valid image/,
      responses: /The image data you provided does not represent a valid image/,
      // Claude Code 2.1.332, which does the same.
      messages: /could not process image/i,
      'generate-content': /Unable to process input image|Provided image is not valid/,
    };
    expect(messageIn(await refused(way, unreadable[way.spoken], stream))).toMatch(known[way.format]);
  });
});

test('Claude Code asks for a shorter answer if the prompt alone would fit', async () => {
  const [toChat] = translated;
  const text = await refused(
    toChat,
    "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens (98000 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.",
    false,
  );
  // Claude Code 2.1.332.
  expect(messageIn(text)).toMatch(
    /input length and `max_tokens` exceed context limit: (98000) \+ (32000) > (128000)/,
  );
});

/** The last event of a stream from Gemini that fails after its beginning, for callers of responses. */
async function failedResponse(error: object): Promise<{ readonly code: string; readonly message: string }> {
  const way = translated.find(({ format }) => format === 'responses');
  if (way === undefined) throw new Error('There is no way from responses.');
  const begun = { candidates: [{ content: { role: 'model', parts: [{ text: 'Well' }] } }] };
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  upstream.script(async (wire) => {
    wire.stream([`data: ${JSON.stringify(begun)}\n\n`]);
    await hasBegun;
    wire.chunk(`data: ${JSON.stringify({ error })}\n\n`);
    wire.lastChunk();
  });
  const response = await ask(gateway.url, way, true);
  begin();
  const text = await response.text();
  const failed = /event: response\.failed\ndata: (.+)/.exec(text)?.[1];
  if (failed === undefined) throw new Error(text);
  return JSON.parse(failed).response.error;
}

test('a wait that a vendor asks for within a stream is in the words that Codex reads', async () => {
  const { code, message } = await failedResponse({
    code: 429,
    message: 'Resource has been exhausted (e.g. check quota).',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }],
  });
  expect(code).toBe('rate_limit_exceeded');
  // openai/codex, codex-rs/codex-api/src/sse/responses.rs.
  expect(message).toMatch(/try again in\s*(17)\s*(s|ms|seconds?)/i);
});

/** What vendors say of a prompt or an answer that their rules forbid. */
const FORBIDDEN = [
  'Output blocked by content filtering policy',
  'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
];

test.each(translated.flatMap((way) => FORBIDDEN.map((message) => ({ name: way.name, way, message }))))(
  '$name: a client recognises a refusal of content: $message',
  async ({ way, message }) => {
    const text = await refused(way, message, false);
    // BerriAI/litellm, exception_mapping_utils.py, and UKGovernmentBEIS/inspect_ai, _openai.py and anthropic.py.
    expect(text).toMatch(
      way.format === 'messages'
        ? /content filtering policy/
        : /invalid_request_error.*"content_policy_violation"/,
    );
  },
);

test('a code of the vendor for refused content is kept', async () => {
  const [toChat] = translated;
  const error = { message: 'No.', type: 'invalid_request_error', param: null, code: 'cyber_policy' };
  upstream.script((wire) => wire.answer(400, JSON.stringify({ error })));
  const body = JSON.parse(await (await ask(gateway.url, toChat, false)).text());
  expect(body.error).toEqual({
    type: 'invalid_request_error',
    message: 'Output blocked by content filtering policy. No.',
    details: { error_code: 'cyber_policy' },
  });
});

test('Gemini CLI does not sit through a quota that no wait refills', async () => {
  upstream.script((wire) =>
    wire.answer(
      429,
      JSON.stringify({
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      }),
    ),
  );
  const { error } = JSON.parse(await (await ask(gateway.url, toGoogle, false)).text());
  // google-gemini/gemini-cli, packages/core/src/utils/googleQuotaErrors.ts: any other 429 is asked again ten times.
  const failure = error.details.find(
    (detail: { '@type': string }) => detail['@type'] === 'type.googleapis.com/google.rpc.QuotaFailure',
  );
  expect(failure?.violations?.some(({ quotaId }: { quotaId: string }) => quotaId.includes('PerDay'))).toBe(
    true,
  );
});

test("a vendor's own words reach its own clients unchanged", async () => {
  for (const way of native)
    expect(messageIn(await refused(way, TOO_LONG[way.spoken], false))).toBe(TOO_LONG[way.spoken]);
});

// openai/codex, codex-rs/codex-api/src/sse/responses.rs, and opencode 1.18.33: after any other code they ask again.
test.each([
  ['a bad request', { code: 400, status: 'INVALID_ARGUMENT', message: 'No.' }, 'invalid_prompt'],
  ['too large a request', { code: 413, status: 'INVALID_ARGUMENT', message: 'No.' }, 'invalid_prompt'],
  ['a failure', { code: 500, status: 'INTERNAL', message: 'No.' }, 'server_error'],
  ['an overload', { code: 503, status: 'UNAVAILABLE', message: 'No.' }, 'server_error'],
])('Codex asks again within a stream only if that may help: after %s', async (_, error, code) => {
  expect(await failedResponse(error)).toMatchObject({ code });
});
