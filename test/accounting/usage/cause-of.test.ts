/** What the log says about the cause of a failure: enough to fix it, and no content. */

import { expect, test } from 'vitest';
import { findCause } from '../../../src/accounting/usage/find-cause.ts';
import { amended, asGatewayError, GatewayError } from '../../../src/lib/errors.ts';

const withCode = (code: unknown, cause?: unknown): Error =>
  Object.assign(new Error('getaddrinfo ENOTFOUND vendor.inside', { cause }), { code });

test('the code of the connection’s failure, however deeply it is nested', () => {
  const error = new GatewayError('upstream-broken', 'Told.', { cause: withCode('ENOTFOUND') });
  expect(findCause(error)).toBe('ENOTFOUND');
  expect(findCause(amended(error, { message: 'Told otherwise.' }))).toBe('ENOTFOUND');
  const wrapped = new TypeError('fetch failed', { cause: withCode('CERT_HAS_EXPIRED') });
  expect(findCause(new GatewayError('upstream-broken', 'Told.', { cause: wrapped }))).toBe(
    'CERT_HAS_EXPIRED',
  );
});

test('of an error of ours its kind and its place, and not its message', () => {
  const told = findCause(asGatewayError(new RangeError('CANARY of a prompt')));
  expect(told).toMatch(/^RangeError at .*cause-of\.test\.ts:\d+:\d+/);
  expect(told).not.toContain('CANARY');
});

test('nothing if nothing may be logged', () => {
  expect(findCause(new GatewayError('invalid-request', 'Told.'))).toBeUndefined();
  const worded = withCode('not found: vendor.inside');
  expect(findCause(new GatewayError('upstream-broken', 'Told.', { cause: worded }))).toBeUndefined();
  expect(findCause(new GatewayError('upstream-broken', 'Told.', { cause: withCode(7) }))).toBeUndefined();
});
