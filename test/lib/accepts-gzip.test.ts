import { expect, it } from 'vitest';
import { acceptsGzip } from '../../src/lib/accepts-gzip.ts';

it.each([
  ['gzip', true],
  ['br, gzip', true],
  ['GZIP;q=0.5, br', true],
  ['gzip;q=0.001', true],
  ['gzip; q=1.0, identity', true],
  ['gzip;q=0', false],
  ['br, gzip ; q=0.000', false],
  ['gzip;q=0, br', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('takes %j as asked', (accepted, expected) => {
  expect(acceptsGzip(accepted)).toBe(expected);
});
