/** How a request is answered if the store fails. The codes are those of PostgreSQL's documentation, appendix A. */

import { expect, onTestFinished, test } from 'vitest';
import { connectStore } from '../../src/store/store.ts';
import { asStoreFailure } from '../../src/store/store-failure.ts';

test.each([
  ['57014', 503, 'does not answer in time', 'query_canceled, by statement_timeout'],
  ['55P03', 503, 'locked', 'lock_not_available'],
  ['25006', 503, 'read-only', 'read_only_sql_transaction'],
  ['42501', 503, 'does not permit this', 'insufficient_privilege'],
  ['XX001', 503, 'damaged', 'data_corrupted'],
])('%s: a %i that says "%s"', async (code, status, words, name) => {
  const store = connectStore({ path: '/nowhere/gateway.db' });
  onTestFinished(() => store.close());
  const failure = await asStoreFailure(store, Object.assign(new Error(name), { code }));
  expect(failure).toMatchObject({ status, code: 'store_unavailable' });
  expect(failure.message).toContain(words);
  expect(failure.message).not.toContain(name);
});
