/** The ids of what an answer stores are read off its bytes, whatever the answer's head calls it. */

import { expect, test } from 'vitest';
import { bindStored } from '../../src/pipeline/restrictions/bind-stored.ts';
import { run } from '../../src/streams/step.ts';

const RESPONSE = { id: 'resp_1', object: 'response', output: [{ id: 'msg_1', type: 'message' }] };
const WHOLE = JSON.stringify(RESPONSE);
const STREAM = `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response: RESPONSE })}\n\n`;

test.each([
  ['a whole answer', WHOLE, false],
  ['a whole answer that is called a stream', WHOLE, true],
  ['a stream', STREAM, true],
  ['a stream that is called a whole answer', STREAM, false],
])('%s', (_, body, isCalledStream) => {
  const bound: string[] = [];
  const step = bindStored('responses', isCalledStream, (ids) => void bound.push(...ids));
  if (step === undefined) throw new Error('Nothing is bound.');
  const bytes = new TextEncoder().encode(`\n${body}`);
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 30), bytes.subarray(30)];
  expect(Buffer.concat(run(step, pieces)).toString()).toBe(`\n${body}`);
  expect(bound).toEqual(['resp_1', 'msg_1']);
});
