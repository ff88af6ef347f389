/** The pace of a model, and what happens when the caller leaves. */

import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { post, WAYS } from './support.ts';

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

  test('closing ends what is being written', async () => {
    const sandbox = await startSandbox({ pace: 'realistic' });
    const [path, body] = WAYS.messages.ask('play: long-text', true);
    const pending = post(sandbox, 'anthropic', path, body);
    const failed = expect(pending).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 400));
    const started = performance.now();
    await sandbox.close();
    await failed;
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test('a caller who leaves is let go, and others are served on', async () => {
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

test('at once, an answer takes a few milliseconds', async () => {
  const sandbox = await startSandbox({ pace: 'none' });
  const [path, body] = WAYS['chat-completions'].ask('Hi', true);
  await post(sandbox, 'openai', path, body);
  const started = performance.now();
  for (let index = 0; index < 20; index += 1) await post(sandbox, 'openai', path, body);
  const each = (performance.now() - started) / 20;
  await sandbox.close();
  expect(each).toBeLessThan(50);
});
