import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteAccumulator } from '../../src/lib/byte-accumulator.ts';

test('the accumulated bytes equal the input, however it was split', () => {
  const piece = fc
    .uint8Array({ maxLength: 50 })
    .chain((bytes) =>
      fc.constantFrom(1, 3_000, 9_000).map((times) => Buffer.concat(Array<Uint8Array>(times).fill(bytes))),
    );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom(1, 500_000, 1e9), (pieces, most) => {
      const gathered = new ByteAccumulator(most);
      for (const bytes of pieces) gathered.add(bytes);
      const whole = Buffer.concat(pieces);
      expect(gathered.size()).toBe(whole.length);
      expect(whole.equals(gathered.whole())).toBe(true);
    }),
    { numRuns: 200 },
  );
});
