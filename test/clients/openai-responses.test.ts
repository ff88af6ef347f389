/** OpenAI's own SDK, responses: only base URL and key differ. */

import OpenAI from 'openai';
import { ResponsesToolRunner, ResponsesToolRunnerError } from 'openai/helpers/responses-tool-runner';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asObject, asObjects, type JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import {
  PDF,
  PLAYED,
  PNG,
  plain,
  rejection,
  SUBJECTS,
  type Subject,
  useGateway,
  useScripted,
} from './support.ts';

const gateway = useGateway({ countTokens: { models: 'all' } });
const scripted = useScripted();

const client = (): OpenAI => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY });

const Person = z.object({ name: z.string(), born: z.number().int(), mood: z.enum(['glad', 'sad']) });

const functionTool = (name: string): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  description: `Does ${name}`,
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});

/** The content of a response, without what differs from one to the next. */
function said(response: object): JsonObject {
  const { output, usage, status, incomplete_details, error } = plain(response);
  return {
    output: asObjects(output).map(({ id: _, call_id, encrypted_content, parsed_arguments: __, ...item }) => ({
      ...item,
      ...(item['content'] !== undefined && {
        content: asObjects(item['content']).map(({ parsed: _parsed, logprobs: _logprobs, ...part }) => part),
      }),
      ...(call_id !== undefined && { call_id: typeof call_id }),
      ...(encrypted_content !== undefined && { encrypted_content: typeof encrypted_content }),
    })),
    usage: usage ?? null,
    status: status ?? null,
    incomplete_details: incomplete_details ?? null,
    error: error ?? null,
  };
}

/** Models whose vendor has this endpoint and stores responses: the gateway itself stores none. */
const NATIVE = /^(?:openai|deepseek)\//;

/** An item of an answer, as the next request contains it: without the SDK's own parsed values. */
function asInput(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem[] {
  if (item.type === 'function_call') {
    const { call_id, name, arguments: text } = item;
    return [{ type: 'function_call', call_id, name, arguments: text, ...(item.id && { id: item.id }) }];
  }
  return item.type === 'reasoning' || item.type === 'message' ? [item] : [];
}

describe.each(SUBJECTS)('responses of $model', ({ model, spoken, thinks }) => {
  test.each(['auto', 'none'] as const)('a search and no other tool: %s', async (tool_choice) => {
    const tools: OpenAI.Responses.Tool[] = [{ type: 'web_search' }];
    const response = await client().responses.create({ model, input: 'Hi', tools, tool_choice });
    expect(response.status).toBe('completed');
  });

  const native = NATIVE.test(model);
  /** The format in which the vendor is asked. */
  const format = native ? 'responses' : spoken;

  test('an answer, with its request id and usage', async () => {
    const response = await client().responses.create({
      model,
      instructions: 'Be brief.',
      input: 'Say hello to Zoë.',
      max_output_tokens: 2000,
    });
    expect(response).toMatchObject({ object: 'response', status: 'completed', error: null });
    expect(response._request_id).toMatch(/^req_/);
    expect(response.output_text).toContain('> Say hello to Zoë.');
    const { usage } = response;
    expect(usage?.input_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
  });

  test('a stream has every event, numbered, and the content of the whole answer', async () => {
    const request = { model, input: 'Tell me a story.' };
    const whole = await client().responses.create(request);
    const stream = await client().responses.create({ ...request, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    const text = events
      .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    expect(text).toBe(whole.output_text);
    const last = events.at(-1);
    expect(last?.type).toBe('response.completed');
    expect(last?.type === 'response.completed' && said(last.response)).toEqual(said(whole));
    const ids = events.flatMap((event) => ('response' in event ? [event.response.id] : []));
    expect(new Set(ids).size).toBe(1);
  });

  test.each(PLAYED)('the accumulator produces the whole answer: %s', async (name) => {
    const request = { model, input: `play: ${name}` };
    const whole = await client().responses.create(request);
    const stream = client().responses.stream(request);
    let text = '';
    stream.on('response.output_text.delta', ({ delta, snapshot }) => {
      text += delta;
      expect(text.endsWith(snapshot)).toBe(true);
    });
    const final = await stream.finalResponse();
    expect(said(final)).toEqual(said(whole));
    expect(final.output_text).toBe(whole.output_text);
    expect(text).toBe(whole.output_text);
  });

  test('a truncated answer says so', async () => {
    const response = await client().responses.create({
      model,
      input: 'Tell me a story.',
      max_output_tokens: 20,
    });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });

  test('a refusal is reported as one, not as an answer', async () => {
    const response = await client().responses.create({ model, input: 'play: refusal' });
    const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const refused =
      response.incomplete_details?.reason === 'content_filter' ||
      parts.some(({ type }) => type === 'refusal');
    expect(refused).toBe(true);
  });

  test('a schema made with zod is parsed, whole and streamed', async () => {
    const request = {
      model,
      input: 'Someone born in 1815. JSON, please.',
      text: { format: zodTextFormat(Person, 'person') },
    };
    const whole = await client().responses.parse(request);
    expect(Person.parse(whole.output_parsed)).toMatchObject({ born: 1815 });
    const streamed = await client().responses.stream(request).finalResponse();
    expect(streamed.output_parsed).toEqual(whole.output_parsed);
    // OpenAI itself rejects what its SDK leaves on the items; a translation has no reason to.
    if (native) return;
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: request.input },
      ...whole.output.flatMap(asInput),
      { role: 'user', content: 'And now?' },
    ];
    expect((await client().responses.create({ model, input })).output_text).toContain('> And now?');
  });

  test('a tool made with zod has its arguments parsed', async () => {
    const Query = z.object({ city: z.string(), days: z.number().int() });
    const response = await client().responses.parse({
      model,
      input: 'Use get_weather for 3 days.',
      tools: [zodResponsesFunction({ name: 'get_weather', parameters: Query })],
    });
    const call = response.output.find((item) => item.type === 'function_call');
    expect(Query.parse(call?.parsed_arguments)).toMatchObject({ days: 3 });
  });

  test('parallel calls are separate items', async () => {
    const response = await client().responses.create({
      model,
      input: 'Use get_weather and get_time.',
      tools: [functionTool('get_weather'), functionTool('get_time')],
    });
    const calls = response.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time']);
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(2);
    expect(new Set(response.output.map(({ id }) => id)).size).toBe(response.output.length);
  });

  const efforts = thinks ? [undefined, 'high' as const] : [undefined];
  describe.each(efforts)('a tool loop by hand, nothing stored, effort %s', (effort) => {
    test.each(['whole', 'streamed'])('%s', async (mode) => {
      const input: OpenAI.Responses.ResponseInput = [
        { role: 'user', content: 'Use find_city, then get_weather and get_time, then send_mail.' },
      ];
      const responses: OpenAI.Responses.Response[] = [];
      for (let step = 0; step < 4; step += 1) {
        const request = {
          model,
          input,
          tools: ['find_city', 'get_weather', 'get_time', 'send_mail'].map(functionTool),
          store: false,
          ...(effort && {
            reasoning: { effort, summary: 'auto' as const },
            include: ['reasoning.encrypted_content' as const],
          }),
        };
        const response =
          mode === 'whole'
            ? await client().responses.create(request)
            : await client().responses.stream(request).finalResponse();
        responses.push(response);
        input.push(...response.output.flatMap(asInput));
        for (const item of response.output) {
          if (item.type !== 'function_call') continue;
          input.push({
            type: 'function_call_output',
            call_id: item.call_id,
            output: `Done at step ${step}.`,
          });
        }
      }
      const calls = responses.map(
        ({ output }) => output.filter(({ type }) => type === 'function_call').length,
      );
      expect(calls).toEqual([1, 2, 1, 0]);
      expect(responses.at(-1)?.output_text).toContain('> Done at step 2.');
      const thoughtful = responses.map(
        ({ usage }) => (usage?.output_tokens_details.reasoning_tokens ?? 0) > 0,
      );
      expect(thoughtful).toEqual(responses.map(() => effort !== undefined));
      const reasoned = responses.map(({ output }) => output.some(({ type }) => type === 'reasoning'));
      // Gemini also signs calls without thoughts, and the signature needs an item to come back in.
      const signs = model === 'google/gemini-3-flash-preview';
      expect(reasoned).toEqual(thoughtful.map((thought, step) => thought || (signs && calls[step] !== 0)));
      expect(responses.at(-1)?.output.at(-1)?.type).toBe('message');
    });
  });

  test.each([false, true])('the SDK’s tool runner over three steps, streamed: %s', async (stream) => {
    const ran: string[] = [];
    const runner = new ResponsesToolRunner({
      functions: ['find_city', 'get_weather', 'get_time', 'send_mail'].map((name) => ({
        tool: functionTool(name),
        execute: () => {
          ran.push(name);
          return `${name} is done.`;
        },
      })),
    });
    const running = runner.run(
      client(),
      {
        model,
        input: 'Use find_city, then get_weather and get_time, then send_mail.',
        ...(thinks && { reasoning: { effort: 'high' } }),
      },
      { stream },
    );
    if (!thinks) {
      // It always asks for encrypted reasoning, which OpenAI rejects for a model without reasoning.
      await expect(running).rejects.toBeInstanceOf(ResponsesToolRunnerError);
      return;
    }
    const final = await running;
    expect(ran).toEqual(['find_city', 'get_weather', 'get_time', 'send_mail']);
    expect(final.output_text).toContain('> send_mail is done.');
  });

  test('images and documents arrive', async () => {
    const ask = async (text: string, part: OpenAI.Responses.ResponseInputContent): Promise<string> => {
      const content: OpenAI.Responses.ResponseInputContent[] = [{ type: 'input_text', text }, part];
      const response = await client().responses.create({ model, input: [{ role: 'user', content }] });
      return response.output_text;
    };
    const image_url = `data:image/png;base64,${PNG}`;
    expect(await ask('What is this?', { type: 'input_image', image_url, detail: 'auto' })).toContain(
      'With it came: image.',
    );
    const file_data = `data:application/pdf;base64,${PDF}`;
    expect(await ask('And this?', { type: 'input_file', filename: 'a.pdf', file_data })).toContain(
      'With it came: document.',
    );
  });

  test('a stored response can be continued if the vendor stores it, and otherwise the error says so', async () => {
    const first = await client().responses.create({ model, input: 'Hello.' });
    const asked = client().responses.create({ model, input: 'And?', previous_response_id: first.id });
    if (native) {
      expect((await asked).output_text).toContain('> And?');
      return;
    }
    const error = await rejection(asked, OpenAI.BadRequestError);
    expect(error.message).toContain('previous_response_id');
    // The code by which clients know that they must send the whole dialogue.
    expect(error.code).toBe('previous_response_not_found');
  });

  test('tokens are counted if the vendor counts, and otherwise the error says so', async () => {
    const tools = [functionTool('find_weather')];
    const counted = client().responses.inputTokens.count({ model, input: 'Hello there.', tools });
    if (/^(?:anthropic|openai|google)\//.test(model)) {
      const { object, input_tokens } = await counted;
      expect(object).toBe('response.input_tokens');
      expect(input_tokens).toBeGreaterThan(10);
      return;
    }
    await expect(counted).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  test('a dialogue is compacted by OpenAI’s own models, and continues from there', async () => {
    const compacted = client().responses.compact({
      model,
      input: [
        { role: 'user', content: 'The word is mango.' },
        { role: 'assistant', content: 'I shall remember it.' },
      ],
    });
    if (!model.startsWith('openai/')) {
      await expect(compacted).rejects.toBeInstanceOf(OpenAI.NotFoundError);
      return;
    }
    const { object, output, usage } = await compacted;
    expect(object).toBe('response.compaction');
    expect(output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    expect(usage.input_tokens).toBeGreaterThan(0);
    const next = await client().responses.create({
      model,
      input: [...output.flatMap(asInput), { role: 'user', content: 'Which word is it?' }],
    });
    expect(next.status).toBe('completed');
  });

  test('an invalid value is a BadRequestError that names it', async () => {
    const asked = client().responses.create({
      model,
      input: 'Hello',
      // @ts-expect-error: what the SDK's types do not allow, plain JavaScript does.
      temperature: 'hot',
    });
    const error = await rejection(asked, OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'temperature' });
  });

  test('a failure in the middle of a stream is thrown, after the content before it', async () => {
    const { answerUntilFailure, gateway: behind } = scripted();
    const { begun, fail } = answerUntilFailure(format);
    const { responses } = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY });
    const stream = await responses.create({ model, input: 'Hello', stream: true });
    let heard = '';
    let failed = false;
    const read = async (): Promise<void> => {
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') heard += event.delta;
        if (heard === begun) fail();
        failed ||= event.type === 'response.failed';
      }
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(heard).toBe(begun);
    // The SDK throws on an `error` event, and returns a `response.failed`.
    expect(failed || error instanceof OpenAI.APIError).toBe(true);
    const helper = responses.stream({ model, input: 'Hello' });
    helper.on('response.output_text.delta', ({ snapshot }) => {
      if (snapshot === begun) fail();
    });
    const final = await helper.finalResponse().catch((thrown: unknown) => thrown);
    expect(final instanceof OpenAI.APIError || asObject(plain(final))?.['status'] === 'failed').toBe(true);
  });

  test('a stream that breaks off does not count as complete', async () => {
    const { breakOff, gateway: behind } = scripted();
    breakOff(format);
    const { responses } = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY, maxRetries: 0 });
    const stream = responses.stream({ model, input: 'Hello' });
    const types: string[] = [];
    stream.on('event', ({ type }) => types.push(type));
    const final = await stream.finalResponse().catch((error: unknown) => error);
    expect(final instanceof Error || asObject(plain(final))?.['status'] === 'failed').toBe(true);
    expect(types).not.toContain('response.completed');
  });

  test('a caller that disconnects in the middle of a stream is no longer served', async () => {
    const { upstream, stall, gateway: behind } = scripted();
    stall(format);
    const closed = upstream.closed();
    const openai = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY });
    const stream = await openai.responses.create({ model, input: 'Hello', stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    await closed;
    expect(upstream.received).toHaveLength(1);
  });
});

test('Gemini’s web citations are on the text they belong to, with code and a call between and after', async () => {
  const { answer, gateway: behind } = scripted();
  const support = (text: string, startIndex: number, chunk: number): JsonObject => ({
    segment: { startIndex, endIndex: startIndex + text.length, text },
    groundingChunkIndices: [chunk],
  });
  const parts = [
    { text: 'It rains.' },
    { executableCode: { language: 'PYTHON', code: '1' } },
    { text: 'It pours.' },
    { functionCall: { name: 'get_city', args: {} } },
  ];
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: 'https://a.example' } }, { web: { uri: 'https://b.example' } }],
    groundingSupports: [support('It rains.', 0, 0), support('It pours.', 9, 1)],
  };
  answer((_, response) =>
    json(response, {
      candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', groundingMetadata, index: 0 }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 6, totalTokenCount: 13 },
    }),
  );
  const { responses } = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY });
  const { output } = await responses.create({ model: 'google/gemini-3-flash-preview', input: 'Hello' });
  const texts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  expect(texts).toMatchObject([
    { text: 'It rains.', annotations: [{ url: 'https://a.example', start_index: 0, end_index: 9 }] },
    { text: 'It pours.', annotations: [{ url: 'https://b.example', start_index: 0, end_index: 9 }] },
  ]);
});

describe('a dialogue moves from one model to another', () => {
  const pairs = SUBJECTS.flatMap((from) =>
    SUBJECTS.filter(({ model }) => model !== from.model).map((to) => ({ from, to })),
  );

  /** Asks one model after the other, and returns the tools they called and the final text. */
  async function talk(
    subjects: readonly Subject[],
    kept: 'all' | 'no thoughts',
  ): Promise<[readonly string[], string]> {
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Use get_weather, then get_time, then send_mail.' },
    ];
    const used: string[] = [];
    let last = '';
    for (const { model, thinks } of subjects) {
      const { output, output_text } = await client().responses.create({
        model,
        input,
        tools: ['get_weather', 'get_time', 'send_mail'].map(functionTool),
        store: false,
        ...(thinks && { reasoning: { effort: 'high' }, include: ['reasoning.encrypted_content'] }),
      });
      last = output_text;
      input.push(...output.filter(({ type }) => kept === 'all' || type !== 'reasoning').flatMap(asInput));
      for (const item of output) {
        if (item.type !== 'function_call') continue;
        used.push(item.name);
        input.push({ type: 'function_call_output', call_id: item.call_id, output: 'Done.' });
      }
    }
    return [used, last];
  }

  test.each(pairs)('with thoughts: $from.model, $to.model', async ({ from, to }) => {
    const [used, last] = await talk([from, to, from, to], 'all');
    expect(used).toEqual(['get_weather', 'get_time', 'send_mail']);
    expect(last).toContain('> Done.');
  });

  test.each(pairs)('without thoughts: $from.model, $to.model', async ({ from, to }) => {
    const [used, last] = await talk([from, to, from, to], 'no thoughts');
    expect(used).toEqual(['get_weather', 'get_time', 'send_mail']);
    expect(last).toContain('> Done.');
  });
});

describe('what is not available for a response', () => {
  test('an unknown model is a NotFoundError', async () => {
    const error = await rejection(
      client().responses.create({ model: 'openai/gpt-none', input: 'Hello' }),
      OpenAI.NotFoundError,
    );
    expect(error).toMatchObject({ code: 'model_not_found' });
  });

  test('a stored response cannot be fetched', async () => {
    await expect(client().responses.retrieve('resp_1')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});
