/** What is opened before the tests of a file, or of a `describe`, and closed after them. */

import { afterAll, beforeAll } from 'vitest';

/** Opens it for the tests; the function that is returned gives it to them. */
export function whileTestsRun<T extends { close(): Promise<void> }>(open: () => Promise<T>): () => T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return () => {
    if (opened === undefined) throw new Error('It is opened before the tests, and not earlier.');
    return opened;
  };
}
