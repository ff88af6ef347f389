/** Tools in chat completions with OpenAI's own SDK: by hand, made with zod, and run by the SDK itself. */

import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, type Subject, useGateway } from './support.ts';

const gateway = useGateway();

const client = (): OpenAI => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY });
const asks = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }];

const functionTool = (name: string): OpenAI.ChatCompletionFunctionTool => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
});

/** In which answers the model reasons. */
function thoughtful(completions: readonly OpenAI.ChatCompletion[]): readonly boolean[] {
  return completions.map(({ usage }) => (usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0);
}

describe.each(SUBJECTS)('tools of $model', ({ model, spoken, thinks }) => {
  test('a tool made with zod has its arguments parsed', async () => {
    const Query = z.object({ city: z.string(), days: z.number().int() });
    const completion = await client().chat.completions.parse({
      model,
      messages: asks('Use get_weather for "Oslo", 3 days.'),
      tools: [zodFunction({ name: 'get_weather', parameters: Query })],
    });
    const [call] = completion.choices[0]?.message.tool_calls ?? [];
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    expect(call?.type).toBe('function');
    expect(call?.type === 'function' && Query.parse(call.function.parsed_arguments)).toMatchObject({
      days: 3,
    });
  });

  test('parallel calls are distinguished, and come one at a time if requested', async () => {
    const request = {
      model,
      messages: asks('Use get_weather and get_time.'),
      tools: [functionTool('get_weather'), functionTool('get_time')],
    };
    const both = await client().chat.completions.create(request);
    const calls = both.choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.type === 'function' && call.function.name)).toEqual([
      'get_weather',
      'get_time',
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const one = await client().chat.completions.create({ ...request, parallel_tool_calls: false });
    // Google has no such switch: it is left out.
    const most = spoken === 'generate-content' ? 2 : 1;
    expect(one.choices[0]?.message.tool_calls).toHaveLength(most);
  });

  test('a required tool call happens, and a forbidden one does not', async () => {
    const request = { model, messages: asks('Hello!'), tools: [functionTool('get_weather')] };
    const forced = await client().chat.completions.create({ ...request, tool_choice: 'required' });
    expect(forced.choices[0]?.message.tool_calls).toHaveLength(1);
    const named = await client().chat.completions.create({
      ...request,
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    });
    expect(named.choices[0]?.message.tool_calls).toHaveLength(1);
    const none = await client().chat.completions.create({
      ...request,
      messages: asks('Use get_weather.'),
      tool_choice: 'none',
    });
    expect(none.choices[0]?.message.tool_calls ?? []).toEqual([]);
  });

  describe.each([
    { mode: 'whole', stream: false },
    { mode: 'streamed', stream: true },
  ] as const)('a tool runner, $mode', ({ stream }) => {
    const efforts = thinks ? [undefined, 'high' as const] : [undefined];
    test.each(efforts)('over three steps, effort %s', async (effort) => {
      const ran: [name: string, input: unknown][] = [];
      const runnable = (name: string, answer: string) => ({
        type: 'function' as const,
        function: {
          name,
          description: `Does ${name}`,
          parameters: {
            type: 'object' as const,
            properties: { city: { type: 'string' as const } },
            required: ['city'],
          },
          parse: JSON.parse,
          function: (input: object) => {
            ran.push([name, input]);
            return Promise.resolve(answer);
          },
        },
      });
      const params = {
        model,
        messages: asks(
          'Use find_city, then get_weather and get_time, then send_mail, for the weather in Oslo.',
        ),
        tools: [
          runnable('find_city', 'It is Oslo.'),
          runnable('get_weather', 'Snow at -3 °C'),
          runnable('get_time', '23:59'),
          runnable('send_mail', 'Sent!'),
        ],
        ...(effort && { reasoning_effort: effort }),
        ...(stream && { stream_options: { include_usage: true } }),
      };
      const { completions } = client().chat;
      const runner = stream
        ? completions.runTools({ ...params, stream })
        : completions.runTools({ ...params, stream });
      const answer = await runner.finalContent();
      expect(ran.map(([name]) => name)).toEqual(['find_city', 'get_weather', 'get_time', 'send_mail']);
      expect(ran.map(([, input]) => input)).toEqual(Array.from({ length: 4 }, () => ({ city: 'Oslo' })));
      expect(answer).toContain('> Sent!');
      // The runner sends back only OpenAI's own fields, so thoughts are lost on the way: a model that needs
      // them continues without reasoning.
      const lost = model === 'anthropic/claude-sonnet-4-5';
      if (effort !== undefined) {
        expect(thoughtful(runner.allChatCompletions())).toEqual([true, !lost, !lost, !lost]);
      }
      expect(runner.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'tool',
        'tool',
        'assistant',
        'tool',
        'assistant',
      ]);
    });
  });
});

describe.each(SUBJECTS.filter(({ thinks }) => thinks))('thoughts and tools of $model', ({ model }) => {
  test.each(['whole', 'streamed'])('tools by hand, with thoughts in every step: %s', async (mode) => {
    const messages = asks('Use find_city, then get_weather and get_time, then send_mail.');
    const completions: OpenAI.ChatCompletion[] = [];
    for (let step = 0; step < 4; step += 1) {
      const request = {
        model,
        messages,
        tools: ['find_city', 'get_weather', 'get_time', 'send_mail'].map(functionTool),
        reasoning_effort: 'high' as const,
      };
      const { completions: chat } = client().chat;
      const completion =
        mode === 'whole'
          ? await chat.create(request)
          : await chat.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion();
      completions.push(completion);
      const message = completion.choices[0]?.message;
      if (message === undefined) throw new Error('no message');
      messages.push(message);
      for (const { id } of message.tool_calls ?? []) {
        messages.push({ role: 'tool', tool_call_id: id, content: `Done at step ${step}.` });
      }
    }
    expect(completions.map(({ choices }) => choices[0]?.message.tool_calls?.length ?? 0)).toEqual([
      1, 2, 1, 0,
    ]);
    expect(thoughtful(completions)).toEqual([true, true, true, true]);
    expect(completions.at(-1)?.choices[0]?.message.content).toContain('> Done at step 2.');
  });
});

describe('a dialogue moves from one model to another', () => {
  const pairs = SUBJECTS.flatMap((from) =>
    SUBJECTS.filter(({ model }) => model !== from.model).map((to) => ({ from, to })),
  );

  /** Asks one model after the other, and returns the tools they called and the final text. */
  async function talk(
    subjects: readonly Subject[],
    kept: 'all' | 'standard',
  ): Promise<[readonly string[], string]> {
    const messages = asks('Use get_weather, then get_time, then send_mail.');
    const used: string[] = [];
    let last = '';
    for (const { model, thinks } of subjects) {
      const { choices } = await client().chat.completions.create({
        model,
        messages,
        tools: ['get_weather', 'get_time', 'send_mail'].map(functionTool),
        ...(thinks && { reasoning_effort: 'high' }),
      });
      const message = choices[0]?.message;
      if (message === undefined) throw new Error('no message');
      last = message.content ?? '';
      messages.push(kept === 'all' ? message : standard(message));
      for (const call of message.tool_calls ?? []) {
        if (call.type === 'function') used.push(call.function.name);
        messages.push({ role: 'tool', tool_call_id: call.id, content: 'Done.' });
      }
    }
    return [used, last];
  }

  test.each(pairs)('with thoughts: $from.model, $to.model', async ({ from, to }) => {
    const [used, last] = await talk([from, to, from, to], 'all');
    expect(used).toEqual(['get_weather', 'get_time', 'send_mail']);
    expect(last).toContain('> Done.');
  });

  test.each(pairs)('in OpenAI’s own fields: $from.model, $to.model', async ({ from, to }) => {
    const [used, last] = await talk([from, to, from, to], 'standard');
    expect(used).toEqual(['get_weather', 'get_time', 'send_mail']);
    expect(last).toContain('> Done.');
  });
});

/** A message with nothing but OpenAI's own fields. */
function standard({ content, tool_calls }: OpenAI.ChatCompletionMessage): OpenAI.ChatCompletionMessageParam {
  const calls = (tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [{ id: call.id, type: call.type, function: call.function }] : [],
  );
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}
