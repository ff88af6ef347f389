/** The pace of a model, and what happens when the caller disconnects. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { post, WAYS } from './support.ts';

vi.mock('node:timers/promises', async (original) => {
  const timers = await original<typeof import('node:timers/promises')>();
  return { ...timers, setTimeout: vi.fn(timers.setTimeout) };
});

describe('realistic', () => {
  test('a first token after a while, then one event after the other', async () => {
    const sandbox = await startSandbox({ pace: 'realistic' });
    const [path, body] = WAYS['chat-completions'].ask('play: length', true);
    const { baseUrl, apiKey } = sandbox.places.openai;
    const started = performance.now();
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(body),
    });
    const first = performance.now() - started;
    let chunks = 0;
    for await (const _ of response.body ?? []) chunks += 1;
    const all = performance.now() - started;
    await sandbox.close();
    expect(first).toBeGreaterThan(240);
    expect(chunks).toBeGreaterThan(10);
    // 32 tokens at 80 a second; a loaded machine may be slower, never faster.
    expect(all).toBeGreaterThan(240 + 350);
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
