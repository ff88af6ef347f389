/** Every composed answer follows the rules of its format, and is the same streamed and whole. */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { RULEBOOKS, validateStream } from '../../src/protocol/validate.ts';
import { FORMATS, post, useSandbox, WAYS, WEATHER_SCHEMA } from './support.ts';

const sandbox = useSandbox();

const OPENAI_SCHEMA = { ...WEATHER_SCHEMA, additionalProperties: false };

const MORE: Readonly<Record<FormatName, Readonly<Record<string, JsonObject>>>> = {
  'chat-completions': {
    tools: { tools: [{ type: 'function', function: { name: 'get_weather', parameters: WEATHER_SCHEMA } }] },
    json: { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: OPENAI_SCHEMA } } },
    thinking: { model: 'gpt-5', reasoning_effort: 'high' },
    short: { max_tokens: 5 },
    stopped: { stop: 'sandbox' },
    choices: { n: 3 },
  },
  responses: {
    tools: { tools: [{ type: 'function', name: 'get_weather', parameters: WEATHER_SCHEMA }] },
    json: { text: { format: { type: 'json_schema', name: 'x', schema: OPENAI_SCHEMA } } },
    thinking: {
      model: 'gpt-5',
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    },
    hidden: { model: 'gpt-5', reasoning: { effort: 'high' } },
    short: { max_output_tokens: 16 },
  },
  messages: {
    tools: { tools: [{ name: 'get_weather', input_schema: WEATHER_SCHEMA }] },
    json: { output_config: { format: { type: 'json_schema', schema: OPENAI_SCHEMA } } },
    thinking: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    omitted: { thinking: { type: 'adaptive', display: 'omitted' } },
    short: { max_tokens: 5 },
    'short while thinking': { max_tokens: 1025, thinking: { type: 'enabled', budget_tokens: 1024 } },
    stopped: { stop_sequences: ['sandbox'] },
  },
  'generate-content': {
    tools: { tools: [{ functionDeclarations: [{ name: 'get_weather', parameters: WEATHER_SCHEMA }] }] },
    json: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: OPENAI_SCHEMA } },
    thinking: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
    hidden: { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } },
    short: { generationConfig: { maxOutputTokens: 5 } },
    stopped: { generationConfig: { stopSequences: ['sandbox'] } },
    choices: { generationConfig: { candidateCount: 2 } },
  },
};

describe.each(FORMATS)('%s', (format) => {
  const { vendor, ask } = WAYS[format];

  test.each(Object.entries({ plain: {}, ...MORE[format] }))('%s', async (_, more) => {
    const said = 'Please use get_weather for Oslo 🌧️ — “naïve” or not?';
    const streamed = await post(sandbox(), vendor, ...ask(said, true, more));
    const whole = await post(sandbox(), vendor, ...ask(said, false, more));
    expect([streamed.status, whole.status], streamed.text + whole.text).toEqual([200, 200]);
    const judged = validateStream(format, [Buffer.from(streamed.text)], { usageAsked: true });
    expect(judged).toEqual({ violations: [], failed: false });
    expect(RULEBOOKS[format].whole(whole.json).violations).toEqual([]);
  });
});
