import { expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { reportOutcome } from '../../src/pipeline/retry/report-outcome.ts';
import type { Lease } from '../../src/upstream/pool/pool.ts';

test.each([
  ['a second if no wait is given', undefined, 1_000],
  ['a second if the wait is zero', 0, 1_000],
  ['as long as it asks', 30, 30_000],
  ['at most a minute, since a limit may be raised early', 43_200, 60_000],
])('an upstream that is over a limit rests for %s', (_, retryAfter, expected) => {
  const rests: number[] = [];
  const nothing = (): void => undefined;
  const lease: Lease = {
    vendor: {
      name: 'v',
      origin: 'http://v',
      basePath: '',
      key: 'k',
      auth: 'authorization',
      formats: ['chat-completions'],
      fullIds: false,
      headers: {},
    },
    markAnswered: nothing,
    succeed: nothing,
    fail: nothing,
    coolDown: (milliseconds) => rests.push(milliseconds),
    release: nothing,
  };
  const { settle: judge, ended } = reportOutcome(lease, 'generate');
  ended('whole');
  judge(new GatewayError('rate-limited', 'Slow down.', retryAfter === undefined ? {} : { retryAfter }));
  expect(rests).toEqual([expected]);
});
