/** What a note calls dropped makes no difference to the request: without it, the vendor gets the same. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { asObject, isObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { type TranslatedRequest, translateRequest } from '../../src/translate/index.ts';
import { spellings } from '../../src/translate/spellings.ts';
import { FIXTURES } from '../support/recording.ts';

const MODELS: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': [
    'openai/gpt-4o',
    'openai/gpt-5.4',
    'openai/gpt-6.2-astra',
    'mistralai/mistral-medium-3-5',
    'deepseek/deepseek-v4.1-flash',
    'moonshotai/kimi-k3.1-pro',
    'z-ai/glm-5.3',
  ],
  responses: ['openai/gpt-4.1', 'openai/gpt-5.4', 'openai/gpt-6.2-astra', 'x-ai/grok-4.7'],
  messages: [
    'anthropic/claude-3-5-haiku-20241022',
    'anthropic/claude-haiku-4-5',
    'anthropic/claude-opus-4-8',
    'anthropic/claude-sonnet-5-5',
  ],
  'generate-content': ['google/gemini-2.0-flash', 'google/gemini-2.5-flash', 'google/gemini-3.8-flash'],
};

/**
 * Notes on what cannot be left out alone: a type, a block's whole content, and what makes a thought of a text. Where some
 * thoughts or breakpoints are sent and some are not, their names are the same.
 */
const INSEPARABLE =
  /\.(?:type|content|thought|thinking|reasoning|signature|thoughtSignature|encrypted_content|cache_control)$/;

/** Requests of which the recorded ones have no example. */
const FURTHER: readonly (readonly [FormatName, string, JsonObject])[] = [
  [
    'generate-content',
    'ids of calls',
    {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'f', response: {} } }] },
      ],
    },
  ],
  [
    'messages',
    'thinking with a further display',
    {
      model: 'm',
      max_tokens: 9000,
      messages: [{ role: 'user', content: 'x' }],
      thinking: { type: 'enabled', budget_tokens: 2000, display: 'updates' },
      metadata: { user_id: 'u', trace: 't' },
    },
  ],
  [
    'responses',
    'log probabilities among others',
    {
      model: 'm',
      input: 'x',
      include: ['message.output_text.logprobs', 'file_search_call.results'],
      reasoning: { effort: 'low', summary: 'detailed' },
      safety_identifier: 'u',
      text: { format: { type: 'json_object' }, verbosity: 'low' },
    },
  ],
  [
    'chat-completions',
    'a document by its address, and breakpoints in both spellings',
    {
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'file_url', file_url: { url: 'https://a.example/b.pdf' } }] },
        { role: 'assistant', content: 'x' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'y', prompt_cache_breakpoint: { mode: 'explicit' } }],
        },
      ],
      prompt_cache_key: 'k',
      safety_identifier: 'u',
    },
  ],
];

const requests: readonly (readonly [FormatName, string, JsonObject])[] = [
  ...FORMAT_NAMES.flatMap((from) => {
    const folder = join(FIXTURES, 'requests', from);
    return readdirSync(folder).map((file) => {
      const body = asObject(parseJson(readFileSync(join(folder, file), 'utf8'))) ?? {};
      return [from, file, body] as const;
    });
  }),
  ...FURTHER,
];

function translated(
  from: FormatName,
  to: FormatName,
  model: string,
  body: JsonObject,
): TranslatedRequest | undefined {
  try {
    return translateRequest({ from, to, model, body, stream: false });
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return undefined;
    throw error;
  }
}

/** A value without the fields at a path. A step with `[]` goes through everything below it. */
function without(value: Json | undefined, [step = '', ...rest]: readonly string[]): Json | undefined {
  if (!isObject(value)) return value;
  const name = step.replace(/\[.*\]$/, '');
  const fields = Object.entries(value).filter(([key]) => rest.length > 0 || key !== name);
  return Object.fromEntries(
    fields.map(([key, inner]) => {
      if (key !== name) return [key, inner];
      return [
        key,
        name === step ? (without(inner, rest) ?? null) : withoutDeep(inner ?? null, rest.at(-1) ?? ''),
      ];
    }),
  );
}

function withoutDeep(value: Json, name: string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutDeep(item, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      spellings(name).includes(key) ? [] : [[key, withoutDeep(inner ?? null, name)]],
    ),
  );
}

describe.each(FORMAT_NAMES)('to %s', (to) => {
  const others = requests.filter(([from]) => from !== to);

  test.each(others)('from %s: %s', (from, _, body) => {
    for (const model of MODELS[to]) {
      const whole = translated(from, to, model, body);
      const dropped = whole?.notes.filter(
        ({ outcome, field }) => outcome === 'dropped' && !INSEPARABLE.test(field),
      );
      for (const { field } of dropped ?? []) {
        const rest = asObject(without(body, field.split('.')));
        if (rest === undefined) throw new TypeError(`${field} left no request.`);
        expect(translated(from, to, model, rest)?.body, `${field} for ${model}`).toEqual(whole?.body);
      }
    }
  });

  test.each(others)('from %s: %s, whose breakpoints', (from, _, body) => {
    // Among the messages of one request some may be sent; then the note says which are not.
    for (const model of MODELS[to]) {
      const whole = translated(from, to, model, body);
      for (const { field, detail } of whole?.notes ?? []) {
        if (/\.(?:cache_control|prompt_cache_breakpoint)$/.test(field))
          expect(detail).not.toMatch(/only means/);
      }
    }
  });
});
