/** Cache breakpoints in a request of this format or of chat-completions that goes to a service of this format. */

import { expect, test } from 'vitest';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import type { Avoidance } from '../../../src/conversation/rules/avoidance.ts';
import { unreported } from '../../../src/formats/format.ts';
import { formats } from '../../../src/formats/formats.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

const bodies = (mark: JsonObject): readonly (readonly [FormatName, JsonObject])[] => [
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
