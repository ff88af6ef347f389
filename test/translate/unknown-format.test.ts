/** Programs in JavaScript give any name of a format. The library says which there are. */

import { describe, expect, test } from 'vitest';
import {
  chooseFormat,
  renderError,
  translateAnswer,
  translateError,
  translateRequest,
  translateStream,
  validateStream,
} from '../../src/translate/index.ts';

const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };

/** Calls a function as a program without types does. */
function call(run: unknown, ...values: readonly unknown[]): unknown {
  if (typeof run !== 'function') throw new Error('This is no function.');
  return Reflect.apply(run, undefined, values);
}

/** Each function of the library, called with a name of a format. */
const calls: readonly (readonly [string, (name: string) => unknown])[] = [
  ['translateRequest from', (from) => call(translateRequest, { from, to: 'messages', model: 'm', body })],
  ['translateRequest to', (to) => call(translateRequest, { from: 'messages', to, model: 'm', body })],
  ['chooseFormat', (from) => call(chooseFormat, { from, model: 'openai/gpt-4.1', body })],
  ['translateAnswer from', (from) => call(translateAnswer, { from, to: 'messages', body: {} })],
  ['translateAnswer to', (to) => call(translateAnswer, { from: 'messages', to, body: {} })],
  ['translateAnswer of one format', (name) => call(translateAnswer, { from: name, to: name, body: {} })],
  ['translateStream', (name) => call(translateStream, { from: name, to: name })],
  ['translateError', (from) => call(translateError, { from, to: 'messages', status: 400, body: '' })],
  ['renderError', (to) => call(renderError, new Error('lost'), to)],
  ['validateStream', (name) => call(validateStream, name, { report: () => {} })],
];

describe.each(calls)('%s', (_, run) => {
  test.each(['claude', 'toString', 'Messages', ''])('names the known formats instead of "%s"', (name) => {
    expect(() => run(name)).toThrow(
      new TypeError(
        `Unknown format "${name}". Use one of chat-completions, responses, messages, generate-content.`,
      ),
    );
  });
});
