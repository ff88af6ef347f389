import { describe, expect, test } from 'vitest';
import { stripForeignContent } from '../../../src/formats/generate-content/outbound/strip-foreign-content.ts';
import { renderProof } from '../../../src/formats/generate-content/wire/thought-signature.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

const user = { role: 'user', parts: [{ text: 'Rome?' }] };
const result = { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'r' } } }] };
const call = { functionCall: { name: 'f', args: {} } };
const foreign = renderProof({ signature: { origin: 'anthropic', value: 'EqQB' } });
const carried = renderProof({ signature: { origin: 'google', value: 'AAAA' } }, [
  { text: 'Hm.', signature: { origin: 'openai', value: 'gAAA' } },
]);
const placeholder = { thoughtSignature: 'skip_thought_signature_validator' };
const model = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts });

const strip = (...contents: JsonObject[]): unknown => stripForeignContent({ contents })?.['contents'];

describe('what Google does not take back', () => {
  test.each<[string, JsonObject[], JsonObject[]]>([
    [
      'a thought of another vendor, and a call without a signature of Google',
      [user, model({ text: 'Hm.', thought: true, ...foreign }, call), result],
      [user, model({ ...call, ...placeholder }), result],
    ],
    [
      'a sealed signature on a call',
      [user, model({ ...call, ...foreign }), result],
      [user, model({ ...call, ...placeholder }), result],
    ],
    [
      'a signature that an earlier version wrote unsealed, in snake case',
      [user, model({ text: 'Sunny.', thought_signature: 'openai#gAAA' }), user],
      [user, model({ text: 'Sunny.' }), user],
    ],
    [
      'a seal beside Google’s own signature: that one stays',
      [user, model({ ...call, ...carried }), result],
      [user, model({ ...call, thoughtSignature: 'AAAA' }), result],
    ],
    ['a turn of nothing else', [user, model({ text: '', ...foreign }), user], [user, user]],
    [
      'calls of an earlier turn need no signature',
      [user, model({ ...call, ...foreign }), result, model({ text: 'Sunny.' }), user],
      [user, model(call), result, model({ text: 'Sunny.' }), user],
    ],
    [
      'a part that stands without a list',
      [user, { role: 'model', parts: { ...call, ...foreign } }, { ...result, parts: result.parts[0] ?? {} }],
      [user, model({ ...call, ...placeholder }), { ...result, parts: result.parts[0] ?? {} }],
    ],
    [
      'only the first of several calls needs one',
      [user, model(call, call), result],
      [user, model({ ...call, ...placeholder }, call), result],
    ],
  ])('%s', (_, given, expected) => {
    expect(strip(...given)).toEqual(expected);
  });

  test('goes from a token count, too, in whichever spelling of its field the dialogue is', () => {
    const holding = (...contents: JsonObject[]): JsonObject => ({
      generateContentRequest: { contents },
      generate_content_request: { contents },
    });
    const given = [user, model({ ...call, ...foreign }), result];
    expect(stripForeignContent(holding(...given))).toEqual(
      holding(user, model({ ...call, ...placeholder }), result),
    );
    expect(stripForeignContent(holding(user))).toBeUndefined();
  });

  test('a dialogue of Google’s own stays as it is', () => {
    const signed = { ...call, thoughtSignature: 'CiQB0e2Kb3Vy' };
    expect(strip(user, model({ text: 'Hm.', thought: true }, signed), result)).toBeUndefined();
    expect(stripForeignContent({})).toBeUndefined();
    expect(stripForeignContent({ contents: model({ text: 'Hm.' }) })).toBeUndefined();
  });
});
