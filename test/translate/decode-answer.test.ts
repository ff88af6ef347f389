import fc from 'fast-check';
import { expect, test } from 'vitest';
import { run } from '../../src/streams/step.ts';
import { decodeByLooks, textUnlessStream } from '../../src/translate/decode-answer.ts';

const ATOMS = [
  '{"a":1}',
  'data: {}\n\n',
  'event: x\n',
  ': ping\n\n',
  ' ',
  '\r\n',
  '\ufeff',
  'é',
  '"',
  'x',
] as const;

test('a complete body is read as its pieces are: as text, or as a stream', () => {
  const bytes = fc
    .array(fc.constantFrom(...ATOMS), { maxLength: 4 })
    .map((atoms) => new TextEncoder().encode(atoms.join('')));
  fc.assert(
    fc.property(bytes, (body) => {
      const text = textUnlessStream(body);
      const isStream = /^[\s\ufeff]*[:deir]/.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body));
      expect(text === undefined).toBe(isStream);
      if (text !== undefined) expect(run(decodeByLooks(), [body])).toEqual([{ data: text, isWhole: true }]);
    }),
  );
});
