import { expect, test } from 'vitest';
import type { Program } from './programs.ts';
import { skippedReport } from './skipped-reporter.ts';

const REDIS: Program = {
  name: 'Redis',
  variable: 'REQUIRE_REDIS',
  remedy: 'install the package redis-server',
  isThere: () => false,
};

test('a run ends with the missing programs and the tests that were skipped for them', () => {
  const skipped = [
    { file: 'test/access/limits/redis.test.ts', tests: 16 },
    { file: 'test/access/limits/groups.test.ts', tests: 1 },
  ];
  expect(skippedReport(skipped, [REDIS])).toBe(`
Redis is missing: install the package redis-server. REQUIRE_REDIS=1 makes that a failure.
Not tested:
  test/access/limits/redis.test.ts: 16 skipped
  test/access/limits/groups.test.ts: 1 skipped
`);
});

test('tests skipped for another reason are reported too, and nothing if nothing is skipped', () => {
  expect(skippedReport([{ file: 'a.test.ts', tests: 2 }], [])).toBe(
    '\nNot tested:\n  a.test.ts: 2 skipped\n',
  );
  expect(skippedReport([], [REDIS])).toBe('');
});
