/** Custom calls of answers whose request is not known. */

import { expect, test } from 'vitest';
import { wayBack } from '../../src/translate/way-back.ts';
import { wholeReply } from '../../src/translate/whole-reply.ts';

test('a custom call is one for the caller', () => {
  const call = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'shell', input: 'ls' };
  const body = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [call],
  };
  const way = wayBack({ from: 'responses', to: 'chat-completions' });
  expect(way && wholeReply(way, JSON.stringify(body))).toMatchObject({
    choices: [
      {
        message: { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'shell', input: 'ls' } }] },
        finish_reason: 'tool_calls',
      },
    ],
  });
});
