/** What stands in a `thoughtSignature`: bytes in base64, from which everything comes back. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findSeal,
  renderProof,
  unsealProof,
} from '../../../src/formats/generate-content/wire/thought-signature.ts';

const signature = fc.record({
  origin: fc.constantFrom('anthropic', 'openai', 'google', 'other'),
  value: fc.oneof(fc.base64String({ minLength: 4 }), fc.string({ unit: 'binary', minLength: 1 })),
});
const proof = fc.oneof(
  fc.record({ signature }),
  fc.record({ redacted: signature.filter(({ origin }) => origin !== 'google') }),
);
const thought = fc.oneof(
  proof,
  fc.record({ text: fc.string({ unit: 'binary' }) }),
  fc.record({ text: fc.string(), signature }),
);

const write = (...args: Parameters<typeof renderProof>): string =>
  renderProof(...args).thoughtSignature ?? '';

describe('whatever is proven', () => {
  test('is base64 that Go and Java read, and comes back in either alphabet', () => {
    fc.assert(
      fc.property(proof, fc.array(thought, { maxLength: 4 }), (own, thoughts) => {
        // The halves of characters do not survive UTF-8, and no vendor's signature has them.
        fc.pre(JSON.stringify([own, thoughts]).match(/\\ud[89a-f]/) === null);
        const written = write(own, thoughts);
        expect(Buffer.from(written, 'base64').toString('base64')).toBe(written);
        const expected = { ...own, ...(thoughts.length > 0 && { thoughts }) };
        for (const returned of [written, written.replaceAll('+', '-').replaceAll('/', '_')]) {
          const isOwn = thoughts.length === 0 && 'signature' in own && own.signature.value === written;
          if (isOwn) expect(unsealProof(returned, 'thinking').signature?.origin).toBe('google');
          else expect(unsealProof(returned, 'thinking')).toEqual(expected);
        }
      }),
    );
  });

  test('without anything there is none', () => {
    expect(renderProof({})).toEqual({});
  });
});

describe('whose a signature is', () => {
  const google = 'EpYSCpMSCAISjhIBDDnWx+meFE0lq4hrGQYuMZoLAA==';
  const anthropic = { origin: 'anthropic', value: 'EqQB' } as const;

  test.each([google, google.replaceAll('+', '-'), 'skip_thought_signature_validator', '', 'S', 'no base64'])(
    'what the gateway has not made is no seal: %j',
    (text) => expect(findSeal(text)).toBeUndefined(),
  );

  test.each([
    ['a signature', write({ signature: anthropic }), { origin: 'anthropic' }],
    ['redacted thinking', write({ redacted: { origin: 'openai', value: 'x' } }), { origin: 'openai' }],
    ['thoughts', write({}, [{ text: 'a' }, { signature: anthropic }]), { origin: 'anthropic' }],
    ['thoughts that nobody signed', write({}, [{ text: 'a' }]), { origin: 'other' }],
    [
      "thoughts, and Google's own signature",
      write({ signature: { origin: 'google', value: google } }, [{ signature: anthropic }]),
      { origin: 'anthropic', google },
    ],
    [
      "Google's own that is no base64",
      write({ signature: { origin: 'google', value: 'no base64' } }),
      { origin: 'google', google: 'no base64' },
    ],
    ['one that was not sealed as base64', 'anthropic#EqQB', { origin: 'anthropic' }],
    ['one that is cut', write({}, [{ text: 'a long thought' }]).slice(0, 24), { origin: 'other' }],
  ])('of %s', (_, text, seal) => expect(findSeal(text)).toEqual(seal));
});
