/** OpenAI's own SDK, chat completions and models: only base URL and key differ. */

import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asObject, asObjects, asText, type JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import { PDF, PLAYED, PNG, plain, rejection, SUBJECTS, useGateway, useScripted } from './support.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const gateway = useGateway({
  keys: [{ name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4.1', 'anthropic/*'] }],
});
const scripted = useScripted();

const client = (apiKey = KEY): OpenAI => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey });
const asks = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }];

const Person = z.object({
  name: z.string(),
  born: z.number().int(),
  fields: z.array(z.string()),
  address: z.object({ city: z.string(), note: z.string().nullable() }),
  mood: z.enum(['glad', 'sad']),
});

/** The content of an answer, without what differs from one answer to the next. */
function said(completion: object): JsonObject {
  const { choices, usage } = plain(completion);
  return {
    choices: asObjects(choices).map(({ message, finish_reason }) => {
      const { content, refusal, tool_calls, reasoning_content } = asObject(message) ?? {};
      return {
        finish_reason: finish_reason ?? null,
        // A stream begins before it is known whether text comes, so it has '' where a whole answer has null.
        content: content ?? '',
        refusal: refusal ?? null,
        reasoning_content: reasoning_content ?? null,
        calls: asObjects(tool_calls).map((call) => {
          const { name, arguments: input } = asObject(call['function']) ?? {};
          return [name ?? null, input ?? null];
        }),
      };
    }),
    usage: usage ?? null,
  };
}

describe.each(SUBJECTS)('chat completions of $model', ({ model, thinks, shows }) => {
  test('an answer, with its request id and usage', async () => {
    const completion = await client().chat.completions.create({
      model,
      messages: [{ role: 'system', content: 'Be brief.' }, ...asks('Say hello to Zoë.')],
      temperature: 1,
      max_completion_tokens: 2000,
    });
    expect(completion).toMatchObject({ object: 'chat.completion', choices: [{ finish_reason: 'stop' }] });
    expect(completion._request_id).toMatch(/^req_/);
    expect(completion.choices[0]?.message.content).toContain('> Say hello to Zoë.');
    const { usage } = completion;
    expect(usage?.prompt_tokens).toBeGreaterThan(0);
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  test('a stream, chunk by chunk, has the content of the whole answer', async () => {
    const request = { model, messages: asks('Tell me a story.') };
    const whole = await client().chat.completions.create(request);
    const stream = await client().chat.completions.create({ ...request, stream: true });
    const ids = new Set<string>();
    const finishes: string[] = [];
    let content = '';
    let chunks = 0;
    for await (const chunk of stream) {
      chunks += 1;
      ids.add(chunk.id);
      expect(chunk.object).toBe('chat.completion.chunk');
      // Usage is not requested, so no chunk has only usage.
      expect(chunk.choices).toHaveLength(1);
      content += chunk.choices[0]?.delta.content ?? '';
      const finish = chunk.choices[0]?.finish_reason;
      if (finish != null) finishes.push(finish);
    }
    expect(content).toBe(whole.choices[0]?.message.content);
    expect(finishes).toEqual(['stop']);
    expect(ids.size).toBe(1);
    expect(chunks).toBeGreaterThan(10);
  });

  test('usage in a stream is the last chunk, if it is requested', async () => {
    const request = { model, messages: asks('Tell me a story.') };
    const whole = await client().chat.completions.create(request);
    const stream = await client().chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const last = chunks.at(-1);
    expect(last?.usage).toMatchObject(tokensOf(whole.usage));
    if (!model.startsWith('deepseek/')) expect(last?.choices).toEqual([]);
    expect(chunks.slice(0, -1).filter((chunk) => chunk.usage != null)).toEqual([]);
  });

  test.each(PLAYED)('the accumulator produces the whole answer: %s', async (name) => {
    const request = { model, messages: asks(`play: ${name}`) };
    const whole = await client().chat.completions.create(request);
    const stream = client().chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    let content = '';
    stream.on('content', (delta, snapshot) => {
      content += delta;
      expect(snapshot).toBe(content);
    });
    const final = await stream.finalChatCompletion();
    const reasoning = (completion: object): JsonObject => withoutReasoning(said(completion));
    expect(reasoning(final)).toEqual(reasoning(whole));
    expect((await stream.finalContent()) ?? '').toBe(content);
    expect(content).toBe(whole.choices[0]?.message.content ?? '');
  });

  test('streamed thoughts are the same as whole ones', async () => {
    const request = { model, messages: asks('play: thinking') };
    const whole = await client().chat.completions.create(request);
    const stream = await client().chat.completions.create({ ...request, stream: true });
    let thoughts = '';
    for await (const chunk of stream) {
      thoughts += asText(plain(chunk.choices[0]?.delta ?? {})['reasoning_content']) ?? '';
    }
    const told = plain(whole.choices[0]?.message)['reasoning_content'];
    expect(thoughts).toBe(told ?? '');
    expect(thoughts.includes('strawberry')).toBe(shows);
    expect(whole.choices[0]?.message.content).toContain('There are 3 letters');
  });

  test('a refusal is reported as one, not as an answer', async () => {
    const { choices } = await client().chat.completions.create({ model, messages: asks('play: refusal') });
    const [choice] = choices;
    const refused =
      choice?.finish_reason === 'content_filter' || (choice?.message.refusal ?? '').includes("can't help");
    expect(refused).toBe(true);
  });

  test('a truncated answer says so', async () => {
    const { choices, usage } = await client().chat.completions.create({
      model,
      messages: asks('Tell me a story.'),
      max_completion_tokens: 20,
    });
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage?.completion_tokens).toBeLessThanOrEqual(20);
  });

  test('a schema made with zod is parsed, whole and streamed', async () => {
    const request = {
      model,
      messages: asks('Someone born in 1815. JSON, please.'),
      response_format: zodResponseFormat(Person, 'person'),
    };
    const whole = await client().chat.completions.parse(request);
    const parsed = whole.choices[0]?.message.parsed;
    expect(Person.parse(parsed)).toEqual(parsed);
    expect(parsed?.born).toBe(1815);
    const streamed = await client().chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual(parsed);
    // The message is sent back as the SDK returned it, with what it parsed.
    const [choice] = whole.choices;
    if (choice === undefined) throw new Error('no choice');
    const next = await client().chat.completions.create({
      model,
      messages: [...request.messages, choice.message, ...asks('And now?')],
    });
    expect(next.choices[0]?.message.content).toContain('> And now?');
  });

  test('effort makes a model reason, if it can', async () => {
    const messages = asks('How many r are in strawberry?');
    const asked = client().chat.completions.create({ model, messages, reasoning_effort: 'high' });
    if (!thinks) {
      await expect(asked).rejects.toBeInstanceOf(OpenAI.BadRequestError);
      return;
    }
    const { choices, usage } = await asked;
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const thoughts = plain(choices[0]?.message)['reasoning_content'];
    if (shows) expect(thoughts).toContain('How many r are in strawberry?');
    else expect(thoughts).toBeUndefined();
    expect(choices[0]?.message.content).toContain('> How many r are in strawberry?');
    expect(choices[0]?.message.content).not.toContain('The user says');
  });

  test('a dialogue continues with the model’s thoughts and text', async () => {
    const messages = asks('Hello there.');
    for (const next of ['And now?', 'And then?']) {
      const { choices } = await client().chat.completions.create({
        model,
        messages,
        ...(thinks && { reasoning_effort: 'high' }),
      });
      const [choice] = choices;
      if (choice === undefined) throw new Error('no choice');
      messages.push(choice.message, { role: 'user', content: next });
    }
    const last = await client().chat.completions.create({ model, messages });
    expect(last.choices[0]?.message.content).toContain('> And then?');
  });

  test('images and documents arrive', async () => {
    const url = `data:image/png;base64,${PNG}`;
    const picture: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url, detail: 'high' } },
    ];
    const seen = await client().chat.completions.create({
      model,
      messages: [{ role: 'user', content: picture }],
    });
    expect(seen.choices[0]?.message.content).toContain('With it came: image.');
    const file_data = `data:application/pdf;base64,${PDF}`;
    const document: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'And this?' },
      { type: 'file', file: { filename: 'a.pdf', file_data } },
    ];
    const read = await client().chat.completions.create({
      model,
      messages: [{ role: 'user', content: document }],
    });
    expect(read.choices[0]?.message.content).toContain('With it came: document.');
  });
});

describe('reasoning settings of Google’s own OpenAI-compatible endpoint', () => {
  const asking = (thinking_config: JsonObject) => ({ extra_body: { google: { thinking_config } } });
  const messages = asks('How many r are in strawberry?');

  test.each([
    ['google/gemini-2.5-flash', { thinking_budget: 800, include_thoughts: true }],
    ['google/gemini-2.5-flash', { thinking_budget: -1 }],
    ['google/gemini-3-flash-preview', { thinking_level: 'low', include_thoughts: true }],
    ['anthropic/claude-sonnet-4-5', { thinking_budget: 2000, include_thoughts: true }],
  ])('%s reasons: %j', async (model, config) => {
    const request: OpenAI.ChatCompletionCreateParamsNonStreaming = { model, messages, ...asking(config) };
    const { choices } = await client().chat.completions.create(request);
    expect(plain(choices[0]?.message)['reasoning_content']).toContain('How many r are in strawberry?');
  });

  test('and does not reason', async () => {
    const request: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: 'google/gemini-2.5-flash',
      messages,
      ...asking({ thinking_budget: 0 }),
    };
    const { choices } = await client().chat.completions.create(request);
    expect(plain(choices[0]?.message)['reasoning_content']).toBeUndefined();
  });
});

describe('OpenAI’s own features', () => {
  test('several answers, and log probabilities', async () => {
    const { upstream, answer, gateway: behind } = scripted();
    const logprobs = {
      content: [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }],
      refusal: null,
    };
    const choice = (index: number) => ({
      index,
      message: { role: 'assistant', content: 'Hi', refusal: null },
      logprobs,
      finish_reason: 'stop',
    });
    answer((_, response) =>
      json(response, {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'gpt-4.1',
        choices: [choice(0), choice(1)],
      }),
    );
    const openai = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY });
    const completion = await openai.chat.completions.create({
      model: 'openai/gpt-4.1',
      messages: asks('Hello'),
      n: 2,
      logprobs: true,
      top_logprobs: 2,
    });
    expect(completion.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(completion.choices[1]?.logprobs?.content?.[0]).toMatchObject({ token: 'Hi', logprob: -0.1 });
    expect(JSON.parse(upstream.received[0]?.body.toString() ?? '')).toMatchObject({ n: 2, top_logprobs: 2 });
  });

  test('several answers in a stream are distinguished', async () => {
    const request = { model: 'gpt-4.1', messages: asks('Hello'), n: 3 };
    const final = await client().chat.completions.stream(request).finalChatCompletion();
    expect(said(final)['choices']).toEqual(said(await client().chat.completions.create(request))['choices']);
    expect(final.choices).toHaveLength(3);
  });

  test.each(SUBJECTS.filter(({ spoken }) => spoken !== 'chat-completions'))(
    'several answers of $model: if the model can, otherwise a clear error',
    async ({ model, spoken }) => {
      const asked = client().chat.completions.create({ model, messages: asks('Hello'), n: 2 });
      if (spoken === 'generate-content') {
        expect((await asked).choices.map(({ index }) => index)).toEqual([0, 1]);
        return;
      }
      const error = await rejection(asked, OpenAI.BadRequestError);
      expect(error).toMatchObject({ param: 'n' });
    },
  );
});

describe('models', () => {
  test('are listed, of every vendor', async () => {
    const ids: string[] = [];
    for await (const model of client().models.list()) {
      expect(model).toMatchObject({ object: 'model', owned_by: model.id.split('/')[0] });
      ids.push(model.id);
    }
    for (const { model } of SUBJECTS) expect(ids).toContain(model);
    expect(await client().models.retrieve('openai/o3-mini')).toMatchObject({ shutdown_date: '2026-10-23' });
  });

  test('have the fields by which agents compact: the context window, and the longest answer', async () => {
    const { data } = await client().models.list();
    for (const model of data) {
      expect(model).toMatchObject({
        context_length: expect.any(Number),
        max_completion_tokens: expect.any(Number),
      });
      expect(await client().models.retrieve(model.id)).toEqual(model);
    }
  });

  test.each(SUBJECTS)(
    '$model is found by its id, though the SDK writes the slash as %2F',
    async ({ model }) => {
      expect(await client().models.retrieve(model)).toMatchObject({ id: model, object: 'model' });
    },
  );

  test('an OpenAI model is found by its name alone; an unknown one is not', async () => {
    expect(await client().models.retrieve('gpt-4.1')).toMatchObject({ id: 'openai/gpt-4.1' });
    await expect(client().models.retrieve('no-such-model')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test('are those that the key may use', async () => {
    const list = await client(RESTRICTED).models.list();
    const vendors = new Set(list.data.map(({ id }) => id.split('/')[0]));
    expect([...vendors].sort()).toEqual(['anthropic', 'openai']);
    expect(list.data.filter(({ id }) => id.startsWith('openai/')).map(({ id }) => id)).toEqual([
      'openai/gpt-4.1',
    ]);
  });
});

function tokensOf(usage: OpenAI.CompletionUsage | undefined): JsonObject {
  const { prompt_tokens, completion_tokens, total_tokens } = usage ?? {};
  return plain({ prompt_tokens, completion_tokens, total_tokens });
}

/** The SDK's own accumulator keeps only the last piece of a field that it does not know. */
function withoutReasoning(value: JsonObject): JsonObject {
  const choices = asObjects(value['choices']).map(({ reasoning_content: _, ...choice }) => choice);
  return { ...value, choices };
}
