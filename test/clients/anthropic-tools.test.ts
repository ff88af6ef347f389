/**
 * Tools with Anthropic's own SDK: by hand, made with zod, and run by the SDK itself; thoughts with their
 * signatures.
 */

import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KEY } from '../support/gateway.ts';
import { PNG, rejection, SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();

const client = (): Anthropic => new Anthropic({ baseURL: gateway().url, apiKey: KEY });
const asks = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }];

const NAMES = ['find_city', 'get_weather', 'get_time', 'send_mail'];
const STEPS = 'Use find_city, then get_weather and get_time, then send_mail, for the weather in Oslo.';

const tool = (name: string): Anthropic.Tool => ({
  name,
  description: `Does ${name}`,
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});

const textOf = ({ content }: { readonly content: readonly { readonly type: string }[] }): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('');

const callsOf = ({ content }: Anthropic.Message): Anthropic.ToolUseBlock[] =>
  content.filter((block) => block.type === 'tool_use');

interface Way {
  readonly name: string;
  readonly model: string;
  readonly more: Partial<Anthropic.MessageCreateParamsNonStreaming>;
}

/** How reasoning is requested from each model, and the request without it. */
const WAYS: readonly Way[] = SUBJECTS.flatMap(({ model, thinks }) => {
  const ways: Way[] = [{ name: 'not told to think', model, more: {} }];
  if (thinks && model !== 'anthropic/claude-opus-4-8') {
    ways.push({
      name: 'thinking by a budget',
      model,
      more: { thinking: { type: 'enabled', budget_tokens: 2048 } },
    });
  }
  if (thinks && model !== 'anthropic/claude-sonnet-4-5') {
    ways.push({
      name: 'thinking by effort',
      model,
      more: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    });
  }
  return ways;
});

describe('a forced web search, as Claude Code requests each of its own', () => {
  const search: Anthropic.WebSearchTool20250305 = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 8,
  };
  const forced = { type: 'tool', name: 'web_search' } as const;

  test.each(SUBJECTS)('is accepted by every vendor: $model', async ({ model }) => {
    for (const tools of [[search], [search, tool('send_mail')]]) {
      const request = { model, max_tokens: 2000, messages: asks('Search for Oslo.'), tools };
      // Earlier Google models either search or call functions.
      if (model === 'google/gemini-2.5-flash' && tools.length > 1) continue;
      for (const tool_choice of [forced, { type: 'auto' } as const]) {
        expect(textOf(await client().messages.create({ ...request, tool_choice }))).toContain('Oslo');
      }
    }
  });
});

describe.each(WAYS)('$model, $name', ({ model, more }) => {
  const thinks = more.thinking !== undefined;

  test.each(['whole', 'streamed'])('tools by hand over three steps, %s', async (mode) => {
    const messages = asks(STEPS);
    const answers: Anthropic.Message[] = [];
    for (let step = 0; step < 4; step += 1) {
      const request = { model, max_tokens: 4000, messages, tools: NAMES.map(tool), ...more };
      const answer =
        mode === 'whole'
          ? await client().messages.create(request)
          : await client().messages.stream(request).finalMessage();
      answers.push(answer);
      const results = callsOf(answer).map(
        ({ id }): Anthropic.ToolResultBlockParam => ({
          type: 'tool_result',
          tool_use_id: id,
          content: `Done at step ${step}.`,
        }),
      );
      messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: results });
    }
    expect(answers.map((answer) => callsOf(answer).map(({ name }) => name))).toEqual([
      ['find_city'],
      ['get_weather', 'get_time'],
      ['send_mail'],
      [],
    ]);
    expect(answers.flatMap(callsOf).map(({ input }) => input)).toEqual(NAMES.map(() => ({ city: 'Oslo' })));
    expect(answers.map(({ stop_reason }) => stop_reason)).toEqual([
      'tool_use',
      'tool_use',
      'tool_use',
      'end_turn',
    ]);
    expect(textOf(answers.at(-1) ?? { content: [] })).toContain('> Done at step 2.');
    const thoughtful = answers.map(({ usage }) => (usage.output_tokens_details?.thinking_tokens ?? 0) > 0);
    expect(thoughtful).toEqual([thinks, thinks, thinks, thinks]);
  });

  describe.each([
    { mode: 'whole', stream: false },
    { mode: 'streamed', stream: true },
    { mode: 'in a thread where there are threads', stream: false, thread: true },
  ])('the SDK’s tool runner, $mode', ({ stream, thread }) => {
    test('over three steps', async () => {
      const ran: string[] = [];
      const runner = client().beta.messages.toolRunner({
        model,
        max_tokens: 4000,
        messages: [{ role: 'user', content: STEPS }],
        tools: NAMES.map((name) =>
          betaZodTool({
            name,
            description: `Does ${name}`,
            inputSchema: z.object({ city: z.string() }),
            run: ({ city }) => {
              ran.push(`${name} ${city}`);
              return `${name} is done.`;
            },
          }),
        ),
        ...more,
        ...(!thread && { thread: false }),
        stream,
      });
      const final = await runner.runUntilDone();
      expect(ran).toEqual(NAMES.map((name) => `${name} Oslo`));
      expect(textOf(final)).toContain('> send_mail is done.');
      expect(final.stop_reason).toBe('end_turn');
      expect((final.usage.output_tokens_details?.thinking_tokens ?? 0) > 0).toBe(thinks);
    });
  });
});

describe.each(SUBJECTS)('tools of $model', ({ model, spoken }) => {
  const request = { model, max_tokens: 2000, tools: [tool('get_weather'), tool('get_time')] };

  test('a required tool call happens, and a forbidden one does not', async () => {
    const ask = async (said: string, tool_choice: Anthropic.ToolChoice): Promise<readonly string[]> => {
      const message = await client().messages.create({ ...request, messages: asks(said), tool_choice });
      return callsOf(message).map(({ name }) => name);
    };
    expect(await ask('Hello!', { type: 'any' })).toHaveLength(1);
    expect(await ask('Hello!', { type: 'tool', name: 'get_time' })).toEqual(['get_time']);
    expect(await ask('Use get_weather.', { type: 'none' })).toEqual([]);
    const both = 'Use get_weather and get_time.';
    expect(await ask(both, { type: 'auto' })).toEqual(['get_weather', 'get_time']);
    // Google has no switch for it: it is left out.
    const most = spoken === 'generate-content' ? 2 : 1;
    expect(await ask(both, { type: 'auto', disable_parallel_tool_use: true })).toHaveLength(most);
  });

  test('results with images, and results that are errors, are accepted', async () => {
    const messages = asks('Use get_weather and get_time.');
    const first = await client().messages.create({ ...request, messages });
    const [weather, time] = callsOf(first);
    if (weather === undefined || time === undefined) throw new Error('no calls');
    const source = { type: 'base64', media_type: 'image/png', data: PNG } as const;
    messages.push(
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: weather.id,
            content: [
              { type: 'text', text: 'A picture of snow.' },
              { type: 'image', source },
            ],
          },
          { type: 'tool_result', tool_use_id: time.id, content: 'The clock stands still.', is_error: true },
          { type: 'text', text: 'Go on.' },
        ],
      },
    );
    const second = await client().messages.create({ ...request, messages });
    expect(second.stop_reason).toBe('end_turn');
    expect(textOf(second)).toContain('The clock stands still.');
    expect(textOf(second)).toContain('A picture of snow.');
  });
});

describe('a dialogue moves from one model to another', () => {
  const pairs = SUBJECTS.flatMap(({ model: from }) =>
    SUBJECTS.filter(({ model }) => model !== from).map(({ model: to }) => ({ from, to })),
  );
  /** The variant of a model with reasoning. */
  const wayOf = (model: string): Way['more'] => WAYS.findLast((way) => way.model === model)?.more ?? {};

  /** Asks one model after the other, and returns the tools they called and the final text. */
  async function talk(
    models: readonly string[],
    thoughts: 'all' | 'none',
  ): Promise<[readonly string[], string]> {
    const messages = asks('Use get_weather, then get_time, then send_mail.');
    const used: string[] = [];
    let last = '';
    for (const model of models) {
      const answer = await client().messages.create({
        model,
        max_tokens: 4000,
        messages,
        tools: NAMES.map(tool),
        ...(thoughts === 'all' && wayOf(model)),
      });
      used.push(...callsOf(answer).map(({ name }) => name));
      last = textOf(answer);
      const kept = answer.content.filter(({ type }) => thoughts === 'all' || type !== 'thinking');
      messages.push({ role: 'assistant', content: kept });
      const results = callsOf(answer).map(
        ({ id }): Anthropic.ToolResultBlockParam => ({
          type: 'tool_result',
          tool_use_id: id,
          content: 'Done.',
        }),
      );
      if (results.length > 0) messages.push({ role: 'user', content: results });
    }
    return [used, last];
  }

  test.each(pairs)('with its thoughts: $from, $to', async ({ from, to }) => {
    const [used, last] = await talk([from, to, from, to], 'all');
    expect(used).toEqual(['get_weather', 'get_time', 'send_mail']);
    expect(last).toContain('> Done.');
  });

  test.each(pairs)('without them: $from, $to', async ({ from, to }) => {
    const [used, last] = await talk([from, to, from, to], 'none');
    expect(used).toEqual(['get_weather', 'get_time', 'send_mail']);
    expect(last).toContain('> Done.');
  });
});

describe('threads', () => {
  test('are stored by Anthropic for its own models', async () => {
    const thread = client().beta.messages.thread({ model: 'claude-sonnet-4-5', max_tokens: 1000 });
    await thread.send({ role: 'user', content: 'Hello' });
    expect(textOf(await thread.send({ role: 'user', content: 'And now?' }))).toContain('> And now?');
  });

  test.each(SUBJECTS.filter(({ model }) => !model.startsWith('anthropic/')))(
    'are rejected for $model, with the code that the SDK knows',
    async ({ model }) => {
      const thread = client().beta.messages.thread({ model, max_tokens: 1000 });
      const error = await rejection(
        thread.send({ role: 'user', content: 'Hello' }),
        Anthropic.BadRequestError,
      );
      expect(error.errorCode).toBe('thread_unsupported_request');
      const without = client().beta.messages.thread({
        model,
        max_tokens: 1000,
        unsupportedRequestBehavior: 'continue_unthreaded',
      });
      await without.send({ role: 'user', content: 'Hello' });
      expect(textOf(await without.send({ role: 'user', content: 'And now?' }))).toContain('> And now?');
    },
  );
});
