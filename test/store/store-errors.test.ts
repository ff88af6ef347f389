/** What PostgreSQL's codes mean (its documentation, appendix A). */

import { expect, test } from 'vitest';
import { isAway, isEndedConnection } from '../../src/store/store-errors.ts';

test.each([
  ['08006', true, 'connection_failure'],
  ['25006', false, 'read_only_sql_transaction'],
  ['25P03', true, 'idle_in_transaction_session_timeout'],
  ['25P04', true, 'transaction_timeout'],
  ['40001', false, 'serialization_failure'],
  ['53300', true, 'too_many_connections'],
  ['57014', false, 'query_canceled'],
  ['57P01', true, 'admin_shutdown'],
  ['57P04', false, 'database_dropped'],
  ['57P05', true, 'idle_session_timeout'],
])('%s: another connection may help: %s', (code, helps, name) => {
  expect(isAway(Object.assign(new Error(name), { code }))).toBe(helps);
});

test.each([
  ['Connection terminated unexpectedly', true],
  ['Client has encountered a connection error and is not queryable', true],
  ['Connection terminated due to connection timeout', false],
])('"%s" is of a connection that was made: %s', (message, ended) => {
  expect(isEndedConnection(new Error(message))).toBe(ended);
  expect(isAway(new Error(message))).toBe(true);
});
