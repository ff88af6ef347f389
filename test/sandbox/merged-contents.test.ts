/** The sandbox reads successive contents of one side as one turn, at a cost in proportion to their number. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { checkContents } from '../../src/sandbox/generate-content/check-contents.ts';
import { excessOf } from '../support/cost.ts';

test('thousands of contents of the user in a row', { timeout: 120_000 }, () => {
  const bodyWith = (count: number): JsonObject => ({
    contents: Array.from({ length: count }, (_, at) => ({ role: 'user', parts: [{ text: `${at}` }] })),
  });
  expect(excessOf(bodyWith, checkContents, 2_000)).toBeUndefined();
});
