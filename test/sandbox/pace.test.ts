/** The pace of a model, and what happens when the caller disconnects. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../support/raw.ts';
import { useStoppedClock } from '../support/stopped-clock.ts';
import { post, WAYS } from './support.ts';

vi.mock('node:timers/promises', async (original) => {
  const timers = await original<typeof import('node:timers/promises')>();
  return { ...timers, setTimeout: vi.fn(timers.setTimeout) };
});

afterEach(() => void vi.mocked(sleep).mockReset());

describe('realistic', () => {
  const clock = useStoppedClock();

  test('a first token after a while, then one event after the other', async () => {
    const sandbox = await startSandbox({ pace: 'realistic' });
    const [path, body] = WAYS['chat-completions'].ask('play: length', true);
    const { baseUrl, apiKey } = sandbox.places.openai;
    let text = '';
    const heard = (): number => text.split('\n\n').length - 1;
    /** The pauses in milliseconds, and how many events the caller had before each of them. */
    const pauses: number[] = [];
    const before: number[] = [];
    clock.stop();
    vi.mocked(sleep).mockImplementation(async (milliseconds = 0, value) => {
      await eventually(() => heard() >= pauses.length, 'what was written is with the caller');
      before.push(heard());
      pauses.push(milliseconds);
      clock.advance(milliseconds);
      return value;
    });
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(body),
    });
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
    await sandbox.close();
    const [first, ...later] = pauses;
    expect(first).toBe(250);
    expect(later.length).toBeGreaterThan(10);
    expect(before).toEqual(pauses.map((_, at) => at));
    // 32 tokens at 80 a second, of which the last event has its share too.
    const even = 400 / heard();
    for (const pause of later) expect(pause).toBeCloseTo(even);
  });

  test('closing ends the answers in progress', async () => {
    const sandbox = await startSandbox({ pace: 'realistic' });
    const [path, body] = WAYS.messages.ask('play: long-text', true);
    const { baseUrl, apiKey } = sandbox.places.anthropic;
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    });
    const failed = expect(response.text()).rejects.toThrow();
    await sandbox.close();
    await failed;
  });

  test('a caller that disconnects is dropped, and others are still served', async () => {
    const sandbox = await startSandbox({ pace: 'realistic' });
    const { baseUrl, apiKey } = sandbox.places.openai;
    const [path, body] = WAYS['chat-completions'].ask('play: long-text', true);
    const leaving = new AbortController();
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    const [, short] = WAYS['chat-completions'].ask('play: refusal', false);
    expect((await post(sandbox, 'openai', path, short)).status).toBe(200);
    await sandbox.close();
  });
});

test.each([true, false])('with pace off, an answer waits for nothing (stream: %s)', async (stream) => {
  const sandbox = await startSandbox({ pace: 'none' });
  const [path, body] = WAYS['chat-completions'].ask('Hi', stream);
  vi.mocked(sleep).mockClear();
  expect((await post(sandbox, 'openai', path, body)).status).toBe(200);
  await sandbox.close();
  expect(sleep).not.toHaveBeenCalled();
});
