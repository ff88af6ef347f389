/** Refusals in which services name a field about caching: for not knowing it, or for the way in which it is used. */

import { expect, test } from 'vitest';
import { cachingFields } from '../../src/formats/openai/caching-fields.ts';
import { GatewayError } from '../../src/lib/errors.ts';

test.each([
  [['cache_control'], "Unknown parameter: 'messages[0].content[0].cache_control'."],
  [['cache_control'], 'Unrecognized request arguments supplied: top_a, cache_control'],
  [['cache_control'], 'unknown field `cache_control`, expected one of `role`, `content`'],
  [
    ['prompt_cache_breakpoint'],
    "Unsupported parameter: 'prompt_cache_breakpoint' is not supported with this model.",
  ],
  [
    ['prompt_cache_key'],
    "[{'type': 'extra_forbidden', 'loc': ('body', 'prompt_cache_key'), 'msg': 'Extra inputs are not permitted'}]",
  ],
  [['prompt_cache_key'], "body.prompt_cache_key: property 'body.prompt_cache_key' is unsupported"],
  [[], "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64."],
  [[], 'A maximum of 4 blocks with cache_control may be provided. Found 5.'],
  [[], 'messages.0.content.0.text: cache_control cannot be set for empty text blocks'],
  [[], 'messages.0.content.0.cache_control.ephemeral.scope: Extra inputs are not permitted'],
  [[], "Unknown parameter: 'my_cache_control_2'."],
])('%j is refused by: %s', (fields, message) => {
  const refusal = new GatewayError('invalid-request', message);
  expect(cachingFields.refusedIn(refusal, [])).toEqual(fields);
});

test('a field that only the param names is refused, too', () => {
  const refusal = new GatewayError('invalid-request', 'Unknown parameter.', {
    param: 'tools[0].cache_control',
  });
  expect(cachingFields.refusedIn(refusal, [])).toEqual(['cache_control']);
});

test('a request without the refused breakpoint is the same object', () => {
  const request = { messages: [{ role: 'user', content: 'x', prompt_cache_breakpoint: {} }], tools: null };
  expect(cachingFields.without(request, new Set(['cache_control', 'max_tokens']))).toBe(request);
});
