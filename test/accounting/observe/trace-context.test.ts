/** W3C Trace Context: which header counts as the caller's trace, and what is sent on. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTraceParent, renderTraceParent } from '../../../src/accounting/traces/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a header that names a trace', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`00-${TRACE}-${SPAN}-03`, 3],
    // Bits without a defined meaning are not sent on.
    [`00-${TRACE}-${SPAN}-ff`, 3],
    // A later version may have more fields after the known ones.
    [`01-${TRACE}-${SPAN}-01-what-comes-later`, 1],
    [`cc-${TRACE}-${SPAN}-01`, 1],
    [` 00-${TRACE}-${SPAN}-01 `, 1],
  ])('%s', (header, flags) => {
    expect(parseTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, flags });
  });
});

describe('a header that names no trace', () => {
  test.each([
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0x`,
    `00_${TRACE}_${SPAN}_01`,
  ])('%s', (header) => {
    expect(parseTraceParent(header)).toBeUndefined();
  });

  test('no input throws', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        parseTraceParent(header);
      }),
    );
  });
});

test('law: a header that was written is parsed back', () => {
  const hex = (digits: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).filter((text) => !/^0+$/.test(text));
  fc.assert(
    fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 3 }), (traceId, spanId, flags) => {
      expect(parseTraceParent(renderTraceParent({ traceId, spanId, flags }))).toEqual({
        traceId,
        spanId,
        flags,
      });
    }),
  );
});
