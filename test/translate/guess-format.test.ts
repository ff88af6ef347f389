/** The format of a request that says none. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/conversation/format-name.ts';
import { guessFormat } from '../../src/translate/guess-format.ts';
import { FIXTURES } from '../support/recording.ts';

const hello = [{ role: 'user', content: 'Hello!' }];

test.each([
  ['generate-content', { generation_config: {} }],
  ['responses', { input: 'Hello!' }],
  ['responses', { instructions: 'Be brief.' }],
  ['chat-completions', { input: 'Hello!', messages: [] }],
  ['messages', { model: 'claude-sonnet-5-5', max_tokens: 9, messages: hello }],
  ['chat-completions', { model: 'anthropic/claude-sonnet-5-5', max_tokens: 9, messages: hello }],
  ['messages', { thinking: { type: 'enabled', budget_tokens: 2000 }, messages: hello }],
  ['chat-completions', { thinking: { type: 'enabled' }, messages: [{ role: 'system', content: 'Hi.' }] }],
  ['messages', { tools: [{ type: 'bash_20250124', name: 'bash' }], messages: hello }],
  ['chat-completions', {}],
])('is %s for %j', (format, body) => {
  expect(guessFormat(body)).toBe(format);
});

test.each(FORMAT_NAMES)('of every request in the fixtures of %s is known', (format) => {
  const folder = join(FIXTURES, 'requests', format);
  const others = readdirSync(folder).filter(
    (file) => guessFormat(JSON.parse(readFileSync(join(folder, file), 'utf8'))) !== format,
  );
  expect(others).toEqual([]);
});
