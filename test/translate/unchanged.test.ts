/** What a translation reads stays as it is: the value of tools is shared by all requests that have the same. */

import { expect, test } from 'vitest';
import * as library from '../../src/translate/index.ts';
import { readCases } from './cases.ts';
import { written } from './checks.js';

/** Any change of it, or of what it holds, throws. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

test('a request is translated to every format without a change of its own value', () => {
  const { requests } = readCases();
  expect(requests.length).toBeGreaterThan(200);
  for (const { from, to, name, body, expected } of requests)
    expect(written(library, from, to, frozen(structuredClone(body))), `${from} to ${to}: ${name}`).toEqual(
      expected,
    );
});
