/** A response that has failed without a word, and the event after it that says why. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, startFourCallers } from '../support/four-callers.ts';
import { eventually } from '../support/raw.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const response = (status: string): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  error: null,
  output: [],
});
const created = { type: 'response.created', sequence_number: 0, response: response('in_progress') };
const failed = { type: 'response.failed', sequence_number: 1, response: response('failed') };
const why = {
  type: 'error',
  sequence_number: 2,
  code: null,
  message: null,
  param: null,
  error: {
    type: 'invalid_request_error',
    code: 'content_policy_violation',
    message: 'The image is blocked.',
    param: 'input',
  },
};
const begun = {
  type: 'response.output_text.delta',
  item_id: 'i',
  output_index: 0,
  content_index: 0,
  delta: 'a',
};

/** Asks, and returns what the caller read and the fault that was recorded. */
async function outcome(caller: (typeof CALLERS)[number], events: readonly JsonObject[]) {
  four().answers(events);
  const before = four().records.length;
  const text = await four()
    .ask(caller, MODELS.responses, true)
    .then(
      ({ raw }) => raw,
      (error: unknown) => String(error),
    );
  await eventually(() => four().records.length > before, 'the exchange is recorded');
  return { text, record: four().records.at(-1) };
}

// Azure, for what its content filter holds back (maximhq/bifrost#6419).
describe.each(CALLERS)('to a caller of %s', (caller) => {
  test.each([
    ['before the answer has begun', [created, failed, why]],
    ['in the middle of the answer', [created, begun, failed, why]],
  ])('the caller learns the reason %s', async (_, events) => {
    const { text, record } = await outcome(caller, events);
    expect(text).toContain('The image is blocked.');
    expect(text).not.toContain('status 502');
    expect(record?.fault).toBe('invalid-request');
  });

  test("a failure that nothing explains is the vendor's", async () => {
    expect((await outcome(caller, [created, failed])).record?.fault).toBe('upstream-broken');
  });
});
