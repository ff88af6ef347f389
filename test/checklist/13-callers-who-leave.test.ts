/** Checklist, section 13: callers who leave a translated request. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { postJson } from '../support/post-json.ts';
import { CALLERS, CLAUDE, chunk, GEMINI, gemini, QWEN, useDoor } from './support.ts';

const door = useDoor();

// No timer that starts with the request may end it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }));
afterEach(() => void vi.useRealTimers());

const models = { 'chat-completions': GEMINI, responses: CLAUDE, messages: QWEN } as const;
const paths = {
  'chat-completions': '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;

const cases = CALLERS.flatMap((from) =>
  [true, false].flatMap((stream) =>
    (['before the head', 'after the head', 'in the middle'] as const).map((when) => ({ from, stream, when })),
  ),
);

test.each(cases)(
  'checklist 104, 105: $from, stream: $stream, $when: the request to the vendor is aborted at once',
  async ({ from, stream, when }) => {
    const closed = door.upstream().closed();
    let asked: () => void = () => {};
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    door.answers((_, response) => {
      asked();
      if (when === 'before the head') return;
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      response.flushHeaders();
      if (when === 'in the middle') {
        const piece = from === 'chat-completions' ? gemini([{ text: 'Yes, ' }]) : chunk({ content: 'Yes, ' });
        response.write(stream ? `data: ${JSON.stringify(piece)}\n\n` : '{"a":');
      }
    });
    const leave = new AbortController();
    const answer = postJson(
      door.url() + paths[from],
      {
        model: models[from],
        stream,
        max_tokens: 10,
        ...(from === 'responses'
          ? { input: 'Hi', max_tokens: undefined }
          : { messages: [{ role: 'user', content: 'Hi' }] }),
      },
      { signal: leave.signal },
    ).then((response) => response.text());
    answer.catch(() => undefined);
    await wasAsked;
    await sleep(50);
    leave.abort();
    await closed;
    await expect(answer).rejects.toThrow();
  },
);
