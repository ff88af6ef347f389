/** Errors within a 200 in shapes of single services, to callers of every format. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, startFourCallers } from '../support/four-callers.ts';
import { startGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { startUpstream } from '../support/upstream.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const BEGUN: JsonObject = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'a' } }] };

const others = CALLERS.filter((caller) => caller !== 'chat-completions');

// DeepInfra (NousResearch/hermes-agent#65631) and Venice (#68451).
describe.each([{ choices: null }, {}])('error_type and error_message beside %j', (beside) => {
  const failure: JsonObject = {
    ...beside,
    error_type: 'BadRequestError',
    error_message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
  };

  test.each(others)('a caller of %s gets the reason, whole, at once and within a stream', async (caller) => {
    for (const answer of [failure, [failure], [BEGUN, failure]]) {
      four().answers(answer);
      const asked = four().ask(caller, MODELS['chat-completions'], Array.isArray(answer));
      await expect(asked).rejects.toThrow(/^400: .*maximum context length is 8192/);
      expect(four().records.at(-1)?.fault).toBe('context-too-long');
    }
  });
});

// Alibaba's, whose limits of a minute are quotas by their names (NousResearch/hermes-agent#58017).
describe('an error of Alibaba’s that names no status but in a comment', () => {
  const upstream = whileTestsRun(() =>
    startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        'id:1\nevent:error\n:HTTP_STATUS/429\n' +
          'data:{"code":"Throttling.AllocationQuota","message":"Allocated quota exceeded."}\n\n',
      );
    }),
  );

  test.each(['messages', 'responses'])('is a rate limit to a caller of %s', async (format) => {
    const gateway = await startGateway({ vendors: vendorsAtUrl(upstream().url) });
    const response = await postJson(`${gateway.url}/v1/${format}`, {
      model: 'qwen/qwen3-max',
      stream: true,
      ...(format === 'messages'
        ? { max_tokens: 9, messages: [{ role: 'user', content: 'Hello?' }] }
        : { input: 'Hello?' }),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
    await gateway.close();
  });
});

// QwenLM/qwen-code, `StreamContentError`: the failure is the text of the last chunk, in one of these forms.
describe.each([
  'id:1\nevent:error\n:HTTP_STATUS/429\ndata:{"code":"Throttling.AllocationQuota","message":"Slow down."}',
  '{"error":{"code":"429","message":"Slow down."}}',
  'Throttling: Slow down.',
])('error_finish beside %j', (content) => {
  const chunk = (end: JsonObject): JsonObject => ({
    ...BEGUN,
    choices: [{ index: 0, ...end, finish_reason: 'error_finish' }],
  });
  const answers = [
    chunk({ message: { role: 'assistant', content } }),
    [chunk({ delta: { content } })],
    [BEGUN, chunk({ delta: { content } })],
  ];

  test.each(others)('a caller of %s gets the reason and no text, whole and streamed', async (caller) => {
    for (const answer of answers) {
      four().answers(answer);
      const asked = four().ask(caller, MODELS['chat-completions'], Array.isArray(answer));
      await expect(asked).rejects.toThrow(/^429: .*Slow down/);
    }
  });

  test('a native answer fails for that reason, too', async () => {
    for (const answer of answers) {
      four().answers(answer);
      await four().ask('chat-completions', MODELS['chat-completions'], Array.isArray(answer));
      expect(four().records.at(-1)?.fault).toBe('rate-limited');
    }
  });
});

test('an error_finish that says nothing is a failure', async () => {
  four().answers([BEGUN, { ...BEGUN, choices: [{ index: 0, delta: {}, finish_reason: 'error_finish' }] }]);
  await expect(four().ask('messages', MODELS['chat-completions'], true)).rejects.toThrow(/^502: /);
});
