/**
 * GitHub Copilot CLI (1.0.102): when it continues a session (`--continue`), messages of it contain notes that
 * it has made for itself and removes only within its own code.
 */

import { expect, test } from 'vitest';
import { postJson } from '../support/post-json.ts';
import { useGateway } from './support.ts';

const gateway = useGateway();

const source = { __copilotMessageSource: { kind: 'tool', name: 'bash', summary: 'list files' } };

const session = [
  { role: 'system', content: 'You are the GitHub Copilot CLI.', __copilotMessageSource: { kind: 'memory' } },
  { role: 'user', content: 'List the files here.', ...source },
  {
    role: 'assistant',
    content: 'I will look.',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
    ],
    ...source,
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'apple.txt', ...source },
  { role: 'assistant', content: 'There is apple.txt.' },
  { role: 'user', content: 'Thanks!', __copilotUserShellOutput: 'ls' },
];

const tools = [
  {
    type: 'function',
    function: {
      name: 'bash',
      description: 'Runs a command.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  },
];

test.each(['anthropic/claude-sonnet-5-5', 'google/gemini-3.8-flash'])(
  'a session of Copilot continues with %s, which would reject its notes',
  async (model) => {
    const response = await postJson(`${gateway().url}/v1/chat/completions`, {
      model,
      messages: session,
      tools,
    });
    expect(response.status, await response.text()).toBe(200);
  },
);
