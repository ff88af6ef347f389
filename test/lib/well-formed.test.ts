import { expect, test } from 'vitest';
import { wellFormed } from '../../src/lib/well-formed.ts';

test('lone halves of surrogate pairs are replaced wherever they are, and nothing else is', () => {
  const fillings = [
    '',
    'x'.repeat(5_000),
    '\\n'.repeat(40),
    '\n'.repeat(5_000),
    'C:\\udev\\ud83d \u0001'.repeat(9),
  ];
  for (const before of fillings) {
    for (const after of fillings) {
      const sound = `${before}\u{1f600}é${after}`;
      expect(wellFormed(JSON.stringify(sound))).toBe(JSON.stringify(sound));
      for (const half of ['\ud83d', '\udc00', '\udfff']) {
        expect(wellFormed(JSON.stringify(`${before}${half}${after}`))).toBe(
          JSON.stringify(`${before}\ufffd${after}`),
        );
      }
    }
  }
});
