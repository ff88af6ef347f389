/** An answer that the caller began, marked as services beside OpenAI have it. */

import { describe, expect, test } from 'vitest';
import { translateRequest } from '../../src/translate/index.ts';

describe.each(['prefix', 'partial'] as const)('%s', (mark) => {
  test.each([
    ['messages', 'claude-sonnet-4-5', 'messages'],
    ['generate-content', 'gemini-2.5-flash', 'contents'],
    ['responses', 'gpt-4.1', 'input'],
  ] as const)('is left out in %s, which have no such field', (to, model, turns) => {
    const { body, notes } = translateRequest({
      from: 'chat-completions',
      to,
      model,
      body: {
        model: 'm',
        stream: false,
        messages: [
          { role: 'user', content: 'Count.' },
          { role: 'assistant', content: 'One,', [mark]: true },
        ],
      },
    });
    const text = JSON.stringify(body[turns]);
    expect(text).toContain('One,');
    expect(text).not.toContain(mark);
    expect(notes.map(({ field, outcome }) => [field, outcome])).toContainEqual([
      `messages[].${mark}`,
      'dropped',
    ]);
  });
});
