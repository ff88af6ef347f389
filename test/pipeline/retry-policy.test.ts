import { expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { getLoss, type Loss, mayRetry, waitBefore } from '../../src/pipeline/retry/retry-policy.ts';

const LIMITS = {
  limit: 1,
  after: 'reset',
  wait: 250,
  longest: 2_000,
  retryAfter: 5_000,
  share: 0.1,
  perSecond: 3,
} as const;

test.each<[GatewayError, Loss | undefined]>([
  [new GatewayError('upstream-broken', '', { loss: 'rejected' }), 'rejected'],
  [new GatewayError('upstream-broken', '', { loss: 'reset' }), 'reset'],
  [new GatewayError('upstream-broken', ''), 'failed'],
  [new GatewayError('upstream-timeout', ''), 'failed'],
  [new GatewayError('upstream-timeout', '', { loss: 'rejected' }), 'rejected'],
  [new GatewayError('upstream-overloaded', ''), 'rejected'],
  [new GatewayError('rate-limited', ''), 'rejected'],
  [new GatewayError('conflict', ''), 'rejected'],
  [new GatewayError('upstream-auth', ''), 'elsewhere'],
  [new GatewayError('quota-exceeded', ''), 'elsewhere'],
  [new GatewayError('invalid-request', ''), undefined],
  [new GatewayError('context-too-long', ''), undefined],
  [new GatewayError('too-large', ''), undefined],
  [new GatewayError('unprocessable', ''), undefined],
  [new GatewayError('model-not-found', ''), 'elsewhere'],
  [new GatewayError('internal', ''), undefined],
])('%s: %s', (error, loss) => {
  expect(getLoss(error)).toBe(loss);
});

test('a vendor is retried only after the failures that the configuration allows', () => {
  const table = (['rejected', 'reset', 'failed'] as const).map((worst) =>
    (['rejected', 'reset', 'failed', 'elsewhere'] as const).filter((loss) => mayRetry(loss, worst)),
  );
  expect(table).toEqual([['rejected'], ['rejected', 'reset'], ['rejected', 'reset', 'failed']]);
});

test('the wait is random, up to a bound that doubles until it reaches the maximum', () => {
  const error = new GatewayError('upstream-overloaded', '');
  const waits = [1, 2, 3, 4, 5].map((made) =>
    [0, 0.5, 1].map((random) => waitBefore(error, made, LIMITS, () => random)),
  );
  expect(waits).toEqual([
    [0, 125, 250],
    [0, 250, 500],
    [0, 500, 1_000],
    [0, 1_000, 2_000],
    [0, 1_000, 2_000],
  ]);
});

test('the wait that the vendor asks for is kept, plus a little; or there is no retry', () => {
  const asking = (retryAfter: number) => new GatewayError('rate-limited', '', { retryAfter });
  expect(waitBefore(asking(2), 1, LIMITS, () => 1)).toBe(2_250);
  expect(waitBefore(asking(5), 1, LIMITS, () => 0)).toBe(5_000);
  expect(waitBefore(asking(5.1), 1, LIMITS, () => 0)).toBeUndefined();
  expect(waitBefore(new GatewayError('rate-limited', ''), 1, LIMITS)).toBeUndefined();
});
