/** Errors within a 200 whose code is an HTTP status, as a number or, as other gateways write it, as a text. */

import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

// LiteLLM writes each of these fields with Python's `str` (its `ProxyException`), Envoy AI Gateway the status as a text.
const errorOf = (code: string | number, message = 'No.'): JsonObject => ({
  message,
  type: 'None',
  param: 'None',
  code,
});

const BEGUN: Readonly<Record<FormatName, readonly JsonObject[]>> = {
  'chat-completions': [{ id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'a' } }] }],
  responses: [
    { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
  ],
  messages: [
    {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} },
    },
  ],
  'generate-content': [{ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'a' }] } }] }],
};

const NAMED: ReadonlySet<FormatName> = new Set(['messages', 'responses']);

const failure = (format: FormatName, error: JsonObject): JsonObject =>
  NAMED.has(format) ? { type: 'error', error } : { error };

describe.each(FORMAT_NAMES)('a vendor that speaks %s', (format) => {
  test.each([
    ['429', 'rate-limited'],
    [429, 'rate-limited'],
    ['503', 'upstream-overloaded'],
    ['504', 'upstream-timeout'],
    ['400', 'invalid-request'],
    ['500', 'upstream-broken'],
    ['1000', 'upstream-broken'],
  ])('the code %j means %s', (code, fault) => {
    const data = JSON.stringify(failure(format, errorOf(code)));
    expect(formats[format].outbound.parseFailure({ data })).toMatchObject({ fault, param: undefined });
  });

  const others = CALLERS.filter((caller) => caller !== format);
  test.each(others)('a caller of %s gets the status, whole and within a stream', async (caller) => {
    const said = failure(format, errorOf('400', 'Too many tools.'));
    for (const answer of [said, [...BEGUN[format], said]]) {
      four().answers(answer);
      await expect(four().ask(caller, MODELS[format], answer !== said)).rejects.toThrow(
        /^400: .*Too many tools/,
      );
    }
  });
});

// OpenRouter's API reference, "Responses": `error?: ErrorResponse` of each choice.
test.each(CALLERS.filter((caller) => caller !== 'chat-completions'))(
  'a caller of %s gets the error that a choice has, whole and at the end of a stream',
  async (caller) => {
    const [chunk = {}] = BEGUN['chat-completions'];
    const error = { code: 429, message: 'Too busy.' };
    const failed = (content: string): JsonObject => ({ content, role: 'assistant' });
    const end = { index: 0, finish_reason: 'error', error };
    for (const answer of [
      { ...chunk, object: 'chat.completion', choices: [{ ...end, message: failed('a') }] },
      [chunk, { ...chunk, choices: [{ ...end, delta: failed('') }] }],
    ]) {
      four().answers(answer);
      await expect(four().ask(caller, MODELS['chat-completions'], Array.isArray(answer))).rejects.toThrow(
        /^429: .*Too busy/,
      );
    }
  },
);
