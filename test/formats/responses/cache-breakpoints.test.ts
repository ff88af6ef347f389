/** Cache breakpoints in a request of this format or of chat-completions that goes to a service of this format. */

import { expect, test } from 'vitest';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import type { Avoidance } from '../../../src/conversation/rules/avoidance.ts';
import { unreported } from '../../../src/formats/format.ts';
import { formats } from '../../../src/formats/formats.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

type Marked = readonly [FormatName, JsonObject];

const bodies = (mark: JsonObject): readonly [Marked, ...Marked[]] => [
  [
    'responses',
    {
      model: 'm',
      input: [
        { role: 'system', content: [{ type: 'input_text', text: 's', ...mark }] },
        { role: 'user', content: [{ type: 'input_text', text: 'x', ...mark }] },
      ],
    },
  ],
  [
    'chat-completions',
    {
      model: 'm',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's', ...mark }] },
        { role: 'user', content: [{ type: 'text', text: 'x', ...mark }] },
      ],
    },
  ],
];

/** Counts each of the two fields in the request to a model. */
function marksFor(
  from: FormatName,
  body: JsonObject,
  model: string,
  ...avoids: Avoidance[]
): readonly number[] {
  const target = { model, dialect: 'openai', maxOutputTokens: 100, sampling: true, structuredOutput: true };
  const prompt = { ...formats[from].inbound.parseRequest(body, unreported), model };
  const sent = JSON.stringify(
    formats.responses.outbound.renderRequest(prompt, { ...target, avoids: new Set(avoids) }, unreported),
  );
  return ['"cache_control"', '"prompt_cache_breakpoint"'].map((field) => sent.split(field).length - 1);
}

const CONTROL = { cache_control: { type: 'ephemeral' } };
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } };

test.each(bodies(CONTROL))("of Anthropic in %s are OpenAI's where the model has them", (from, body) => {
  expect(marksFor(from, body, 'gpt-5.6')).toEqual([0, 2]);
  expect(marksFor(from, body, 'gpt-5.4')).toEqual([0, 0]);
});

test.each([...bodies(CONTROL), ...bodies(BREAKPOINT)])(
  'none in %s is left once the service has refused one',
  (from, body) => {
    expect(marksFor(from, body, 'gpt-5.6', 'service-fields')).toEqual([0, 0]);
  },
);

const FOR_OPENAI = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };
const FOR_CLAUDE = { cache_control: { type: 'ephemeral', ttl: '1h' } };

test.each(bodies({ ...FOR_OPENAI, ...FOR_CLAUDE }))(
  'of both spellings in %s, that of Anthropic says how long Claude keeps a prefix',
  (from, body) => {
    expect(claudesMarks(from, body, 'messages')).toEqual(Array(2).fill(FOR_CLAUDE.cache_control));
  },
);

test('how long OpenAI keeps a prefix is no time of a router that takes marks of Anthropic', () => {
  // A caller of chat-completions has its own spelling back there.
  const [[from, body]] = bodies(FOR_OPENAI);
  expect(claudesMarks(from, body, 'chat-completions')).toEqual(Array(2).fill({ type: 'ephemeral' }));
});

/** The marks in Anthropic's spelling that a request for Claude has. */
function claudesMarks(from: FormatName, body: JsonObject, to: FormatName): readonly unknown[] {
  const target = {
    model: 'claude',
    dialect: to === 'messages' ? 'anthropic' : 'openrouter',
    maxOutputTokens: 100,
    sampling: true,
    structuredOutput: true,
  };
  const prompt = { ...formats[from].inbound.parseRequest(body, unreported), model: 'claude' };
  const sent = JSON.stringify(formats[to].outbound.renderRequest(prompt, target, unreported));
  return [...sent.matchAll(/"cache_control":(\{[^{}]*\})/g)].map(([, mark = '']): unknown =>
    JSON.parse(mark),
  );
}
