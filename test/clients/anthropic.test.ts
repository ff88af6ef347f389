/** Anthropic's own SDK, messages: only base URL and key differ. */

import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asObject, asObjects, type JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { PDF, PLAYED, PNG, plain, SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway({ countTokens: { models: 'all' } });

const client = (): Anthropic => new Anthropic({ baseURL: gateway().url, apiKey: KEY });
const asks = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }];

const Person = z.object({ name: z.string(), born: z.number().int(), mood: z.enum(['glad', 'sad']) });

/** The content of a message, without what differs from one to the next. */
function said(message: object): JsonObject {
  const { content, stop_reason, stop_sequence, usage } = plain(message);
  const { input_tokens, output_tokens, cache_read_input_tokens } = asObject(usage) ?? {};
  return {
    content: asObjects(content).map(({ id, signature, parsed: _, ...block }) => ({
      ...block,
      ...(id !== undefined && { id: typeof id }),
      ...(signature !== undefined && { signed: signature !== '' }),
    })),
    stop_reason: stop_reason ?? null,
    stop_sequence: stop_sequence ?? null,
    usage: {
      input_tokens: input_tokens ?? null,
      output_tokens: output_tokens ?? null,
      cache_read_input_tokens: cache_read_input_tokens ?? 0,
    },
  };
}

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe.each(SUBJECTS)('messages of $model', ({ model, thinks }) => {
  test('a message, with its request id and usage', async () => {
    const message = await client().messages.create({
      model,
      max_tokens: 2000,
      system: 'Be brief.',
      messages: asks('Say hello to Zoë.'),
    });
    expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
    expect(message._request_id).toMatch(/^req_/);
    expect(textOf(message)).toContain('> Say hello to Zoë.');
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  test('a stream, event by event, has the content of the whole message', async () => {
    const request = { model, max_tokens: 2000, messages: asks('Tell me a story.') };
    const whole = await client().messages.create(request);
    const stream = await client().messages.create({ ...request, stream: true });
    const types: string[] = [];
    let text = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    }
    expect(text).toBe(textOf(whole));
    expect(types[0]).toBe('message_start');
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(types.filter((type) => type === 'content_block_delta').length).toBeGreaterThan(10);
  });

  test.each(PLAYED)('the accumulator produces the whole message: %s', async (name) => {
    const request = { model, max_tokens: 4000, messages: asks(`play: ${name}`) };
    const whole = await client().messages.create(request);
    const stream = client().messages.stream(request);
    const heard = { text: '', thinking: '', json: '' };
    stream.on('text', (delta) => {
      heard.text += delta;
    });
    stream.on('thinking', (delta) => {
      heard.thinking += delta;
    });
    stream.on('inputJson', (delta) => {
      heard.json += delta;
    });
    const final = await stream.finalMessage();
    expect(said(final)).toEqual(said(whole));
    expect(stream.request_id).toMatch(/^req_/);
    expect(heard.text).toBe(textOf(whole));
    expect(heard.thinking).toBe(
      whole.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    );
    const inputs = whole.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []));
    expect(heard.json.replaceAll('{}', '')).toBe(
      inputs.map((input) => JSON.stringify(input).replaceAll('{}', '')).join(''),
    );
  });

  test('a refusal is reported as one, not as an answer', async () => {
    const message = await client().messages.create({
      model,
      max_tokens: 100,
      messages: asks('play: refusal'),
    });
    expect(message.stop_reason).toBe('refusal');
  });

  test('a truncated message says so', async () => {
    const message = await client().messages.create({
      model,
      max_tokens: 20,
      messages: asks('Tell me a story.'),
    });
    expect(message.stop_reason).toBe('max_tokens');
    expect(message.usage.output_tokens).toBeLessThanOrEqual(20);
  });

  test('a schema made with zod is parsed, whole and streamed', async () => {
    const request = {
      model,
      max_tokens: 2000,
      messages: asks('Someone born in 1815. JSON, please.'),
      output_config: { format: zodOutputFormat(Person) },
    };
    if (model.startsWith('deepseek/')) {
      // It supports JSON, but no schemas: its service is asked for any JSON, and the schema is put into the
      // prompt.
      expect(JSON.parse(textOf(await client().messages.create(request)))).toBeTypeOf('object');
      return;
    }
    const whole = await client().messages.parse(request);
    expect(Person.parse(whole.parsed_output)).toMatchObject({ born: 1815 });
    const streamed = await client().messages.stream(request).finalMessage();
    expect(streamed.parsed_output).toEqual(whole.parsed_output);
  });

  describe.each<{ name: string; more: Partial<Anthropic.MessageCreateParamsNonStreaming> }>([
    { name: 'by a budget', more: { thinking: { type: 'enabled', budget_tokens: 2048 } } },
    {
      name: 'by effort',
      more: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    },
  ])('thinking $name', ({ name, more }) => {
    const takes = thinks && !refuses(model, name);
    test('happens if the model supports it, whole and streamed', async () => {
      const request = { model, max_tokens: 4000, messages: asks('How many r are in strawberry?'), ...more };
      const asked = client().messages.create(request);
      if (refuses(model, name)) {
        await expect(asked).rejects.toBeInstanceOf(Anthropic.BadRequestError);
        return;
      }
      const whole = await asked;
      const blocks = whole.content.filter((block) => block.type === 'thinking');
      const thoughts = blocks.map(({ thinking }) => thinking).join('');
      expect(thoughts.includes('strawberry')).toBe(takes);
      expect(textOf(whole)).toContain('> How many r are in strawberry?');
      if (takes) expect(whole.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
      const stream = client().messages.stream(request);
      const signatures: string[] = [];
      stream.on('signature', (signature) => signatures.push(signature));
      expect(said(await stream.finalMessage())).toEqual(said(whole));
      const signed = blocks.filter(({ signature }) => signature !== '');
      expect(signatures.filter((signature) => signature !== '')).toHaveLength(signed.length);
      if (model.startsWith('anthropic/')) expect(signed).toHaveLength(1);
    });
  });

  test('a dialogue continues with the model’s thoughts and text', async () => {
    const messages = asks('Hello there.');
    for (const next of ['And now?', 'And then?']) {
      const message = await client().messages.create({
        model,
        max_tokens: 4000,
        messages,
        ...thinkingOf(model, thinks),
      });
      messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: next });
    }
    const last = await client().messages.create({ model, max_tokens: 4000, messages });
    expect(textOf(last)).toContain('> And then?');
  });

  test('images and documents arrive', async () => {
    const ask = async (block: Anthropic.ContentBlockParam): Promise<string> => {
      const content: Anthropic.ContentBlockParam[] = [block, { type: 'text', text: 'What is this?' }];
      return textOf(
        await client().messages.create({ model, max_tokens: 2000, messages: [{ role: 'user', content }] }),
      );
    };
    const picture = { type: 'base64', media_type: 'image/png', data: PNG } as const;
    expect(await ask({ type: 'image', source: picture })).toContain('With it came: image.');
    const document = { type: 'base64', media_type: 'application/pdf', data: PDF } as const;
    expect(await ask({ type: 'document', source: document, title: 'a.pdf' })).toContain(
      'With it came: document.',
    );
    const text = { type: 'text', media_type: 'text/plain', data: 'Forty-two.' } as const;
    expect(await ask({ type: 'document', source: text })).toContain('What is this?');
  });

  test('a part that is marked for the cache is read from it the next time', async () => {
    const system: Anthropic.TextBlockParam[] = [
      // Longer than the shortest cacheable prompt, and never sent before.
      { type: 'text', text: `${model}: ${'Know this. '.repeat(600)}`, cache_control: { type: 'ephemeral' } },
    ];
    const request = { model, max_tokens: 2000, system, messages: asks('Hello') };
    const first = await client().messages.create(request);
    const second = await client().messages.create(request);
    expect(first.usage.cache_read_input_tokens ?? 0).toBe(0);
    expect(second.usage.cache_read_input_tokens).toBeGreaterThan(1000);
    const all = ({ usage }: Anthropic.Message): number =>
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    expect(all(second)).toBe(all(first));
  });

  test('a stop sequence ends the message', async () => {
    const asked = client().messages.create({
      model,
      max_tokens: 2000,
      messages: asks('Hello'),
      stop_sequences: ['simulated'],
    });
    expect(textOf(await asked)).not.toContain('simulated');
  });

  test('the beta endpoint is the same endpoint', async () => {
    const request = { model, max_tokens: 2000, messages: asks('Hello'), betas: ['context-1m-2025-08-07'] };
    const whole = await client().beta.messages.create(request);
    const streamed = await client().beta.messages.stream(request).finalMessage();
    expect(said(streamed)).toEqual(said(whole));
  });

  test('tokens are counted if the vendor counts, and otherwise the error says so', async () => {
    const counted = client().messages.countTokens({ model, messages: asks('Hello there.') });
    if (/^(?:anthropic|openai|google)\//.test(model)) {
      expect((await counted).input_tokens).toBeGreaterThan(0);
      return;
    }
    await expect(counted).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(counted).rejects.toMatchObject({
      message: expect.stringContaining(
        `Token counting is not available for ${model}: its vendor does not offer it.`,
      ),
    });
  });
});

/** Anthropic's models take one of two reasoning settings (4.6 takes both), and reject the other. */
function refuses(model: string, way: string): boolean {
  return model === `anthropic/claude-${way === 'by effort' ? 'sonnet-4-5' : 'opus-4-8'}`;
}

/** The reasoning setting that a model accepts. */
function thinkingOf(model: string, thinks: boolean): Partial<Anthropic.MessageCreateParamsNonStreaming> {
  if (!thinks) return {};
  return refuses(model, 'by a budget')
    ? { thinking: { type: 'adaptive' } }
    : { thinking: { type: 'enabled', budget_tokens: 2048 } };
}
