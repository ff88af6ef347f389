import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { chunk, DONE, deltasOf, parsed, partsOf, rendered, whole } from './answers.ts';

const end = [chunk({}, 'stop'), DONE];
const thinking = (text: string, more = {}) => ({ kind: 'thinking', text, ...more });
const text = (words: string) => ({ kind: 'text', text: words });
const anthropic = (value: string) => ({ origin: 'anthropic', value });

describe('plain thoughts', () => {
  test.each(['reasoning_content', 'reasoning'])('in `%s`, streamed and whole', (field) => {
    const parts = [thinking('One two.'), text('Three.')];
    const streamed = [
      chunk({ role: 'assistant', content: null, [field]: '' }),
      chunk({ content: null, [field]: 'One ' }),
      chunk({ content: '', [field]: 'two.' }),
      chunk({ content: 'Three.', [field]: null }),
    ];
    expect(partsOf(...streamed, ...end)).toEqual(parts);
    expect(partsOf(whole({ content: 'Three.', [field]: 'One two.' }))).toEqual(parts);
  });

  test('in two fields are emitted once', () => {
    expect(partsOf(chunk({ reasoning: 'a', reasoning_content: 'a' }), ...end)).toEqual([thinking('a')]);
    const details = [{ type: 'reasoning.text', text: 'a', format: 'unknown', index: 0 }];
    expect(partsOf(chunk({ reasoning: 'a', reasoning_details: details }), ...end)).toEqual([thinking('a')]);
    const blocks = [{ type: 'thinking', thinking: 'a', signature: '' }];
    expect(partsOf(chunk({ reasoning_content: 'a', thinking_blocks: blocks }), ...end)).toEqual([
      thinking('a'),
    ]);
  });

  test("in Mistral's list of contents", () => {
    const piece = (words: string) => ({ type: 'thinking', thinking: [{ type: 'text', text: words }] });
    const parts = [thinking('One two.'), text('Three.')];
    expect(
      partsOf(
        chunk({ content: [piece('One ')] }),
        chunk({ content: [piece('two.'), { type: 'text', text: 'Thr' }] }),
        chunk({ content: 'ee.' }),
        ...end,
      ),
    ).toEqual(parts);
    expect(partsOf(whole({ content: [piece('One two.'), { type: 'text', text: 'Three.' }] }))).toEqual(parts);
  });

  test('between texts are separate parts', () => {
    expect(
      partsOf(chunk({ content: 'a' }), chunk({ reasoning: 'b' }), chunk({ content: 'c' }), ...end),
    ).toEqual([text('a'), thinking('b'), text('c')]);
  });
});

describe("LiteLLM's thinking_blocks", () => {
  const block = (words: string, signature?: string): JsonObject => ({
    type: 'thinking',
    thinking: words,
    ...(signature !== undefined && { signature }),
  });
  const redacted = { type: 'redacted_thinking', data: 'secret' };

  test('in pieces, each beside its plain text, the signature last', () => {
    const piece = (words: string) => chunk({ reasoning_content: words, thinking_blocks: [block(words, '')] });
    const signature = chunk({ content: '', thinking_blocks: [block('', 'sig-1')] });
    // The second piece repeats everything before it.
    expect(
      partsOf(piece('ha'), piece('ha'), signature, piece('ho'), chunk({ content: 'x' }), ...end),
    ).toEqual([thinking('haha', { signature: anthropic('sig-1') }), thinking('ho'), text('x')]);
  });

  test('whole: each block is a part', () => {
    const message = {
      content: 'x',
      reasoning_content: 'ab',
      thinking_blocks: [block('a', 's1'), redacted, block('b', 's2')],
    };
    expect(partsOf(whole(message))).toEqual([
      thinking('a', { signature: anthropic('s1') }),
      thinking('', { redacted: anthropic('secret') }),
      thinking('b', { signature: anthropic('s2') }),
      text('x'),
    ]);
  });

  test("all at the end, as in the gateway's own streams: signatures without repeated text", () => {
    const blocks = [block('a', 's1'), block('b', 'google#s2')];
    const events = parsed([
      chunk({ reasoning_content: 'ab' }),
      chunk({ content: 'x' }),
      chunk({ thinking_blocks: blocks }),
      ...end,
    ]);
    expect(events.flatMap((event) => (event.type === 'part-delta' ? [event.text] : []))).toEqual(['ab', 'x']);
    expect(events.flatMap((event) => (event.type === 'part-detail' ? [event.signature] : []))).toEqual([
      anthropic('s1'),
      { origin: 'google', value: 's2' },
    ]);
    // Rendered again in the same format, the list is unchanged.
    expect(deltasOf(rendered(events)).flatMap((delta) => delta['thinking_blocks'] ?? [])).toEqual(blocks);
  });

  test('all at the end, directly after the thought: the signature is on that thought', () => {
    expect(
      partsOf(chunk({ reasoning_content: 'a' }), chunk({ thinking_blocks: [block('a', 's1')] }), ...end),
    ).toEqual([thinking('a', { signature: anthropic('s1') })]);
  });

  test('a thought without text, with a signature, is content', () => {
    expect(partsOf(chunk({ thinking_blocks: [block('', 's1')] }), chunk({ content: 'x' }), ...end)).toEqual([
      thinking('', { signature: anthropic('s1') }),
      text('x'),
    ]);
  });
});

describe("OpenRouter's reasoning_details", () => {
  const detail = (type: string, more: JsonObject): JsonObject => ({
    type: `reasoning.${type}`,
    index: 0,
    ...more,
  });
  const claude = { format: 'anthropic-claude-v1' };

  test('text in pieces, then its signature', () => {
    expect(
      partsOf(
        chunk({ reasoning: 'a', reasoning_details: [detail('text', { text: 'a', ...claude })] }),
        chunk({ reasoning: 'b', reasoning_details: [detail('text', { text: 'b', ...claude })] }),
        chunk({ reasoning: null, reasoning_details: [detail('text', { signature: 's1', ...claude })] }),
        chunk({ reasoning: 'c', reasoning_details: [detail('text', { text: 'c', index: 1, ...claude })] }),
        ...end,
      ),
    ).toEqual([thinking('ab', { signature: anthropic('s1') }), thinking('c')]);
  });

  test('a summary and the encrypted text after it are one thought', () => {
    const openai = { format: 'openai-responses-v1' };
    const details = [
      detail('summary', { summary: 'short', ...openai }),
      detail('encrypted', { data: 'enc', id: 'rs_1', ...openai }),
    ];
    expect(partsOf(whole({ content: 'x', reasoning: 'short', reasoning_details: details }))).toEqual([
      thinking('short', { signature: { origin: 'openai', value: 'enc' } }),
      text('x'),
    ]);
  });

  test("encrypted text of Anthropic's is redacted", () => {
    expect(
      partsOf(whole({ content: 'x', reasoning_details: [detail('encrypted', { data: 'enc', ...claude })] })),
    ).toEqual([thinking('', { redacted: anthropic('enc') }), text('x')]);
  });

  test("Google's signature without a call belongs to the text", () => {
    const google = detail('encrypted', { data: 'enc', format: 'google-gemini-v1' });
    expect(partsOf(whole({ content: 'x', reasoning_details: [google] }))).toEqual([
      { ...text('x'), signature: { origin: 'google', value: 'enc' } },
    ]);
  });
});

describe("agentgateway's reasoning_signature", () => {
  const signed = (value: string) => [thinking('haha', { signature: anthropic(value) }), text('x')];

  test('comes after the thought, or with it', () => {
    const said = [chunk({ reasoning_content: 'ha' }), chunk({ reasoning_content: 'ha' })];
    const last = chunk({ content: 'x' });
    expect(partsOf(...said, chunk({ reasoning_signature: 'sig' }), last, ...end)).toEqual(signed('sig'));
    const both = chunk({ reasoning_content: 'ha', reasoning_signature: 'sig' });
    expect(partsOf(chunk({ reasoning_content: 'ha' }), both, last, ...end)).toEqual(signed('sig'));
    const message = { content: 'x', reasoning_content: 'haha', reasoning_signature: 'sig' };
    expect(partsOf(whole(message))).toEqual(signed('sig'));
  });

  test('says nothing if it is empty, or beside fields that say more', () => {
    const plain = { content: 'x', reasoning_content: 'haha' };
    expect(partsOf(whole({ ...plain, reasoning_signature: '' }))).toEqual([thinking('haha'), text('x')]);
    const details = [{ type: 'reasoning.text', text: 'haha', signature: 'a', format: 'anthropic-claude-v1' }];
    const more = { ...plain, reasoning_details: details, reasoning_signature: 'b' };
    expect(partsOf(whole(more))).toEqual(signed('a'));
  });
});

describe("Google's extra_content", () => {
  const google = { origin: 'google', value: 'sig' };
  const signed = { extra_content: { google: { thought: true, thought_signature: 'sig' } } };

  test('on a message belongs to its text', () => {
    expect(partsOf(whole({ content: 'x', ...signed }))).toEqual([{ ...text('x'), signature: google }]);
    expect(partsOf(chunk({ content: 'x' }), chunk({ content: '', ...signed }), ...end)).toEqual([
      { ...text('x'), signature: google },
    ]);
  });

  test('on a message with only calls belongs to the first call', () => {
    const calls = [{ id: '', type: 'function', function: { name: 'f', arguments: '{}' } }];
    expect(partsOf(whole({ tool_calls: calls, ...signed }, 'tool_calls'))).toMatchObject([
      { kind: 'tool-call', name: 'f', signature: google },
    ]);
  });

  test('without any part gives an empty text', () => {
    expect(partsOf(chunk({ reasoning: 'a' }), chunk(signed), ...end)).toEqual([
      thinking('a'),
      { ...text(''), signature: google },
    ]);
  });
});
