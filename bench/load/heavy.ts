/** Requests that take much work: a large image, and a long dialogue of an agent. */

import type { Request } from './scenarios.ts';

/** A kind of heavy requests. */
export interface Heavy {
  readonly name: string;
  /** Milliseconds from the beginning of one to that of the next. Undefined: each follows the answer to the one before. */
  readonly every: number | undefined;
  body(model: string, format: 'chat-completions' | 'messages'): string;
}

/** Bytes of the image, in base64: what a body may have at most. */
const IMAGE = 30_800_000;
const TURNS = 1_000;

function withImage(model: string, format: 'chat-completions' | 'messages'): string {
  const data = 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(Math.ceil(IMAGE / 24));
  const image =
    format === 'messages'
      ? { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
      : { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };
  return JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content: [image] }] });
}

const RESULT = `It says "ok".\n${'line\n'.repeat(120)}`;
const INPUT = { step: 'x'.repeat(400) };

/** Four turns: a question, a call, its result and an answer. */
function fourTurns(step: number, format: 'chat-completions' | 'messages'): readonly object[] {
  const id = `call_${step}`;
  const question = {
    role: 'user',
    content: `Do step ${step}, and say "done" then. ${'Please. '.repeat(40)}`,
  };
  const answer = { role: 'assistant', content: `Step ${step} is done. ${'Good. '.repeat(60)}` };
  const called =
    format === 'messages'
      ? [
          { role: 'assistant', content: [{ type: 'tool_use', id, name: 'run', input: INPUT }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: RESULT }] },
        ]
      : [
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id, type: 'function', function: { name: 'run', arguments: JSON.stringify(INPUT) } },
            ],
          },
          { role: 'tool', tool_call_id: id, content: RESULT },
        ];
  return [question, ...called, answer];
}

/** 600 KB, of which half are calls and their results. */
function dialogue(model: string, format: 'chat-completions' | 'messages'): string {
  const schema = { type: 'object', properties: { step: { type: 'string' } } };
  const tool =
    format === 'messages'
      ? { name: 'run', input_schema: schema }
      : { type: 'function', function: { name: 'run', parameters: schema } };
  const messages = Array.from({ length: TURNS / 4 }, (_, step) => fourTurns(step, format)).flat();
  return JSON.stringify({ model, max_tokens: 100, tools: [tool], messages });
}

export const HEAVY: Readonly<Record<string, Heavy>> = {
  image: { name: 'an image of 30.8 MB after the other', every: undefined, body: withImage },
  dialogue: { name: '20 dialogues of 600 KB a second', every: 50, body: dialogue },
};

/** A heavy request of the kind `name`. */
export function heavyRequest(
  name: string,
  path: string,
  model: string,
  headers: Readonly<Record<string, string>>,
): Request {
  const heavy = HEAVY[name];
  if (heavy === undefined) throw new Error(`There is no kind ${name} of heavy requests.`);
  const format = path.endsWith('/messages') ? 'messages' : 'chat-completions';
  return { path, headers, body: heavy.body(model, format) };
}
