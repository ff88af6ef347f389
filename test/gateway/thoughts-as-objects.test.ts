/** Thoughts that a chat service writes as an object with a text and its signature, where others write a text. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { CALLERS, type FourCallers, MODELS, startFourCallers } from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers();
});
afterAll(() => four.close());

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };

function answer(field: string, pieces: readonly Json[], stream: boolean): JsonObject | JsonObject[] {
  if (!stream) {
    const message = { role: 'assistant', content: 'Yes.', [field]: pieces[0] ?? null };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return { ...head, object: 'chat.completion', choices, usage };
  }
  const choice = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    ...pieces.map((piece) => choice({ role: 'assistant', content: null, [field]: piece })),
    choice({ content: 'Yes.' }),
    { ...choice({}, 'stop'), usage },
  ];
}

const whole = { text: 'Let me see.', signature: 'c2ln' };
const pieces = [{ text: 'Let me ' }, { text: 'see.' }, { signature: 'c2ln' }];
/** Gemini's callers see thoughts only if they ask for them. */
const visible = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

const shapes: readonly [name: string, whole: Json, pieces: readonly Json[]][] = [
  ['an object', whole, pieces],
  ['an object, all at once', whole, [whole]],
  ['an object with a null', { ...whole, signature: null }, [{ text: 'Let me see.', signature: null }]],
  [
    "an object in Anthropic's words",
    { thinking: 'Let me see.', signature: 'c2ln' },
    [{ thinking: 'Let me see.' }],
  ],
  ['a list of objects', [whole], pieces.map((piece) => [piece])],
  ['a text', 'Let me see.', ['Let me ', 'see.']],
];

const callers = CALLERS.slice(1);

describe.each(shapes)('U-50: %s', (name, said, streamed) => {
  const fields = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'];
  const rows = fields
    // A list of details has no texts.
    .filter((field) => field !== 'reasoning_details' || name !== 'a text')
    .flatMap((field) => callers.map((caller): [string, FormatName] => [field, caller]));

  test.each(rows)('in %s, for a caller of %s, streamed and whole', async (field, caller) => {
    const more = caller === 'generate-content' ? visible : {};
    for (const stream of [false, true]) {
      four.answers(answer(field, stream ? streamed : [said], stream));
      const read = await four.ask(caller, MODELS['chat-completions'], stream, more);
      expect(read, read.raw).toMatchObject({ text: 'Yes.', thoughts: 'Let me see.' });
      if (said === whole)
        expect(read.raw).toMatch(/"(?:signature|thoughtSignature|encrypted_content)":"[^"]+/);
      expect(read.raw).not.toContain('[object Object]');
    }
  });
});

test.each(['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'])(
  'a caller of chat-completions may send %s back as such an object',
  (field) => {
    const messages = [{ role: 'assistant', content: 'Yes.', [field]: whole }];
    const { turns } = formats['chat-completions'].inbound.parseRequest({ model: 'm', messages }, unreported);
    expect(turns[0]?.parts).toMatchObject([
      { kind: 'thinking', text: 'Let me see.', signature: { value: 'c2ln' } },
      { kind: 'text', text: 'Yes.' },
    ]);
    expect(turns[0]?.unknownFields).toBeUndefined();
  },
);
