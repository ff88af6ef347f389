/** OpenAI's own SDK, responses that the vendor has stored: fetched, cancelled, deleted, and their input listed. */

import OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { plain, rejection, useGateway } from './support.ts';

const gateway = useGateway();
const client = (): OpenAI => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY, maxRetries: 0 });

const model = 'gpt-5.4';

type Created = OpenAI.Responses.ResponseStreamEvent & { type: 'response.created' };

function isCreated(event: OpenAI.Responses.ResponseStreamEvent): event is Created {
  return event.type === 'response.created';
}

describe('a stored response', () => {
  test('is fetched as it was answered', async () => {
    const made = await client().responses.create({ model, input: 'Hello' });
    const { output_text, ...fetched } = await client().responses.retrieve(made.id, {
      include: ['message.output_text.logprobs'],
    });
    expect(plain(fetched)).toEqual(plain({ ...made, output_text: undefined }));
    expect(output_text).toBe(made.output_text);
  });

  test('in the background is queued, then in progress, then complete', async () => {
    const made = await client().responses.create({ model, input: 'Think well.', background: true });
    expect(made).toMatchObject({ status: 'queued', output: [], usage: null });
    const seen = new Set<string | undefined>();
    const last = await vi.waitUntil(
      async () => {
        const now = await client().responses.retrieve(made.id);
        seen.add(now.status);
        return now.status === 'completed' && now;
      },
      { timeout: 60_000 },
    );
    expect([...seen]).toEqual(['in_progress', 'completed']);
    expect(last.output_text).toContain('> Think well.');
    expect(last.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('in the background is cancelled, for good', async () => {
    const made = await client().responses.create({ model, input: 'Never mind', background: true });
    expect(await client().responses.cancel(made.id)).toMatchObject({ id: made.id, status: 'cancelled' });
    expect(await client().responses.retrieve(made.id)).toMatchObject({ status: 'cancelled', output: [] });
  });

  test('of a request that has waited is not cancelled: the vendor says why', async () => {
    const made = await client().responses.create({ model, input: 'Hello' });
    const error = await rejection(client().responses.cancel(made.id), OpenAI.BadRequestError);
    expect(error).toMatchObject({ type: 'invalid_request_error' });
  });

  test('is deleted', async () => {
    const made = await client().responses.create({ model, input: 'Hello' });
    expect(await client().responses.delete(made.id)).toEqual({
      id: made.id,
      object: 'response',
      deleted: true,
    });
    const error = await rejection(client().responses.retrieve(made.id), OpenAI.NotFoundError);
    expect(String(error)).toContain(made.id);
  });

  test('lists its input by pages', async () => {
    const input: OpenAI.Responses.ResponseInput = [1, 2, 3, 4, 5].map((number) => ({
      role: 'user',
      content: `Number ${number}`,
    }));
    const made = await client().responses.create({ model, input });
    const texts = async (order?: 'asc'): Promise<string[]> => {
      const said: string[] = [];
      const pages = client().responses.inputItems.list(made.id, { limit: 2, ...(order && { order }) });
      for await (const item of pages) said.push(JSON.stringify(item));
      return said.map((text) => /Number \d/.exec(text)?.[0] ?? text);
    };
    const inOrder = [1, 2, 3, 4, 5].map((number) => `Number ${number}`);
    expect(await texts('asc')).toEqual(inOrder);
    expect(await texts()).toEqual(inOrder.toReversed());
  });

  test('is streamed on from where a stream has stopped', async () => {
    const first = await client().responses.create({ model, input: 'Go on', background: true, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = await Array.fromAsync(first);
    const id = events.find(isCreated)?.response.id ?? '';
    const at = events.findIndex(({ type }) => type === 'response.output_text.delta') + 2;
    const rest = await client().responses.retrieve(id, {
      stream: true,
      starting_after: events[at]?.sequence_number ?? -1,
    });
    expect(await Array.fromAsync(rest)).toEqual(events.slice(at + 1));
    const nothing = await client().responses.retrieve(id, { stream: true, starting_after: 1_000_000 });
    expect(await Array.fromAsync(nothing)).toEqual([]);
  });
});
