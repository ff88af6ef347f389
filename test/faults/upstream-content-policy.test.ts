/** Prompts that a vendor refuses for what they say: which other models are asked, and that none is unless the operator wants it. */

import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Script } from '../support/fault-upstream.ts';
import { startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { chat, good, status, usePlaces } from './upstream-places.ts';
import { ask, native, streamedAnswer, type UpstreamWay, wholeAnswer } from './upstream-ways.ts';

const { gatewayOf, open, upstreams } = usePlaces();

const FOUR_O = 'openai/gpt-4o';
const GROK = 'x-ai/grok-4.7';
const CLAUDE = 'anthropic/claude-sonnet-4-5';
const PRO = 'google/gemini-2.5-pro';

/** How vendors refuse what a prompt says, each in its own words. */
const REFUSALS: readonly (readonly [string, FormatName, number, object])[] = [
  [
    'OpenAI',
    'responses',
    400,
    {
      error: {
        message:
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_prompt',
      },
    },
  ],
  [
    'Azure',
    'chat-completions',
    400,
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
  ],
  [
    'xAI',
    'chat-completions',
    403,
    { code: 'The caller does not have permission', error: 'Content violates usage guidelines.' },
  ],
  [
    'Anthropic',
    'messages',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
    },
  ],
];

function nativeWay(format: FormatName): UpstreamWay {
  const way = native.find((each) => each.format === format);
  if (way === undefined) throw new Error(`There is no way in ${format}.`);
  return way;
}

async function place(input: ConfigInput, ...scripts: readonly [Script, ...Script[]]) {
  const [vendor] = await upstreams(1);
  if (vendor === undefined) throw new Error('There is no vendor.');
  vendor.script(...scripts);
  const gateway = await gatewayOf({ vendors: vendorsAtUrl(vendor.url), ...input });
  return { gateway, vendor };
}

const refuse =
  (code: number, body: object): Script =>
  (wire) =>
    wire.answer(code, JSON.stringify(body));

const FOR_ALL: ConfigInput = { contentPolicyFallbacks: { '*': [PRO] } };

describe.each(REFUSALS)('a refusal in the words of %s', (_, format, code, body) => {
  const way = nativeWay(format);

  test.each([false, true])('is followed by another model, streamed: %j', async (stream) => {
    const answer: Script = (wire) =>
      stream
        ? wire.wholeStream([streamedAnswer('generate-content')])
        : wire.answer(200, wholeAnswer('generate-content'));
    const { gateway, vendor } = await place(FOR_ALL, refuse(code, body), answer);
    const response = await ask(gateway.url, way, stream);
    await response.text();
    expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, PRO]);
    expect(vendor.requests).toHaveLength(2);
  });

  test('is the answer without such a list', async () => {
    const { gateway, vendor } = await place(
      { fallbacks: { '*': [PRO] }, longPromptFallbacks: { '*': [PRO] } },
      refuse(code, body),
    );
    const response = await ask(gateway.url, way, false);
    expect([response.status, await response.json()]).toEqual([code, body]);
    expect(vendor.requests).toHaveLength(1);
  });
});

describe('the models of the list', () => {
  const [, , code, body] = REFUSALS[1] ?? [];
  if (code === undefined || body === undefined) throw new Error('There is no refusal.');
  const filtered = refuse(code, body);
  const tooLong = refuse(400, { error: { message: 'No.', code: 'context_length_exceeded' } });
  const lists: ConfigInput = {
    fallbacks: { [FOUR_O]: [PRO] },
    longPromptFallbacks: { [FOUR_O]: ['openai/gpt-4.1'] },
    contentPolicyFallbacks: { [FOUR_O]: [GROK, CLAUDE] },
    retries: { limit: 2 },
  };
  const claude: Script = (wire) => wire.answer(200, wholeAnswer('messages'));

  test.each([
    ['refuses too', filtered],
    ['has an outage', status(503)],
  ])('are asked in order if the first one %s', async (_name, second) => {
    const { gateway } = await place(lists, filtered, second, claude);
    const response = await ask(gateway.url, chat, false);
    await response.text();
    expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, CLAUDE]);
  });

  test.each([
    ['an outage', status(503), PRO],
    ['a prompt that is too long', tooLong, 'openai/gpt-4.1'],
  ])('are not asked for %s', async (_name, first, model) => {
    const answer: Script = model === PRO ? (wire) => wire.answer(200, wholeAnswer('generate-content')) : good;
    const { gateway } = await place(lists, first, answer);
    const response = await ask(gateway.url, chat, false);
    await response.text();
    expect(response.headers.get('x-gateway-model')).toBe(model);
  });

  test('are asked for a longer model that refuses', async () => {
    const { gateway, vendor } = await place(lists, tooLong, filtered, good);
    const response = await ask(gateway.url, chat, false);
    await response.text();
    expect([response.status, response.headers.get('x-gateway-model')]).toEqual([200, GROK]);
    expect(vendor.requests).toHaveLength(3);
  });

  test('leave the refusal of the requested model to the caller if none answers', async () => {
    const { gateway } = await place(lists, filtered, status(503), status(529));
    const response = await ask(gateway.url, chat, false);
    expect([response.status, await response.json()]).toEqual([code, body]);
  });

  test('are not asked for another refusal', async () => {
    const { gateway, vendor } = await place(lists, status(422));
    expect((await ask(gateway.url, chat, false)).status).toBe(422);
    expect(vendor.requests).toHaveLength(1);
  });

  test('the record says which model refused', async () => {
    const [vendor] = await upstreams(1);
    const gateway = await startRecorded({ vendors: vendorsAtUrl(vendor?.url ?? ''), ...lists });
    open.push(gateway);
    vendor?.script(filtered, good);
    await (await ask(gateway.url, chat, false)).text();
    const gaveWay = [{ model: FOUR_O, vendor: 'openai', fault: 'invalid-request', attempts: 1 }];
    await expect.poll(() => gateway.records).toMatchObject([{ model: GROK, gaveWay }]);
  });
});
