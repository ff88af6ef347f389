import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TrailingBytes } from '../../src/streams/trailing-bytes.ts';

/** The web's latin1 is windows-1252, which has other characters from 0x80 to 0x9f. */
const asAscii = (text: string): string => text.replaceAll(/[\x80-\uffff]/g, '?');

test('holds the last bytes, however they are split', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.uint8Array({ maxLength: 300 })),
      (length, chunks) => {
        const tail = new TrailingBytes(new Uint8Array(length));
        for (const chunk of chunks) tail.add(chunk);
        const all = Buffer.concat(chunks);
        const kept = Buffer.from(tail.bytes());
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(length, all.length));
        expect(kept.length).toBeLessThanOrEqual(length);
        expect(kept).toEqual(all.subarray(all.length - kept.length));
        expect(asAscii(tail.latin1())).toBe(asAscii(kept.toString('latin1')));
        for (const count of [0, 1, 3, length, 2 * length]) {
          const last = Buffer.from(tail.last(count));
          expect(last).toEqual(all.subarray(all.length - Math.min(count, kept.length)));
        }
      },
    ),
  );
});
