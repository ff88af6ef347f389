/** The format that the console translates a request to: the one that the gateway chooses. */

import { expect, test } from 'vitest';
import { formatOfVendor } from '../../src/console/translation/format-of-vendor.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';

const HELLO = '{"messages":[{"role":"user","content":"Hello"}],"max_tokens":5}';
const INPUT = '{"input":"Hello"}';

test.each<readonly [string, FormatName, string, FormatName]>([
  [HELLO, 'chat-completions', 'anthropic/claude-sonnet-5-5', 'messages'],
  [HELLO, 'messages', 'openai/gpt-6-luna', 'responses'],
  [HELLO, 'chat-completions', 'openai/gpt-6-luna', 'chat-completions'],
  [HELLO, 'messages', 'gpt-6-luna', 'chat-completions'],
  [HELLO, 'chat-completions', 'gpt-6-luna', 'chat-completions'],
  [INPUT, 'responses', 'gpt-6-luna', 'responses'],
  [INPUT, 'responses', 'openai/gpt-6-luna', 'responses'],
  [INPUT, 'responses', 'x-ai/grok-4.5', 'responses'],
  [HELLO, 'messages', 'x-ai/grok-4.5', 'chat-completions'],
  ['', 'chat-completions', 'google/gemini-3-flash', 'generate-content'],
  ['{"messages":1}', 'chat-completions', 'anthropic/claude-sonnet-5-5', 'messages'],
  [HELLO, 'chat-completions', 'anthropic/of-tomorrow', 'messages'],
])('%s of %s to %s', (text, from, model, expected) => {
  expect(formatOfVendor(text, from, model)).toBe(expected);
});
