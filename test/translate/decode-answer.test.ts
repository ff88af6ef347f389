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

test('a body that is called a stream is one, unless it begins as an object or a list does', () => {
  const bytes = fc
    .array(fc.constantFrom(...ATOMS, '[]'), { maxLength: 4 })
    .map((atoms) => new TextEncoder().encode(atoms.join('')));
  fc.assert(
    fc.property(bytes, (body) => {
      const text = textUnlessStream(body, true);
      const said = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
      const isWhole = /^[\s\ufeff]*[[{]/.test(said) && !/[\r\n](?:data|event):/.test(said);
      expect(text !== undefined).toBe(isWhole);
      const events = run(decodeByLooks(undefined, undefined, true), [body]);
      if (isWhole) expect(events).toEqual([{ data: text, isWhole: true }]);
      else expect(events.filter((event) => event.isWhole)).toEqual([]);
      // White space and marks before the first byte are left out if they come alone.
      if (/^[\s\ufeff]/.test(said)) return;
      const bytewise = [...body].map((byte) => Uint8Array.of(byte));
      expect(run(decodeByLooks(undefined, undefined, true), bytewise)).toEqual(events);
    }),
  );
});
