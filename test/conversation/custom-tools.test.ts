import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { CustomTool, Prompt } from '../../src/conversation/prompt.ts';
import type { ReplyEvent } from '../../src/conversation/reply.ts';
import {
  asFunctionCall,
  asFunctionTool,
  findGrammar,
  unwrapCustomCalls,
  unwrapInput,
  withCustomCalls,
} from '../../src/conversation/rules/custom-tools.ts';
import { run } from '../../src/streams/step.ts';

const patch: CustomTool = { kind: 'custom', name: 'apply_patch', description: 'Applies a patch.' };
const prompt: Prompt = { model: 'm', turns: [], stream: true, tools: [patch] };

function callEvents(name: string, pieces: readonly string[], choice = 0, index = 0): ReplyEvent[] {
  return [
    { type: 'part-start', choice, index, part: { kind: 'tool-call', id: 'call_1', name } },
    ...pieces.map((text): ReplyEvent => ({ type: 'part-delta', choice, index, text })),
    { type: 'part-end', choice, index },
  ];
}

describe('asFunctionTool', () => {
  test('asks for one string', () => {
    expect(asFunctionTool(patch)).toMatchObject({
      kind: 'function',
      name: 'apply_patch',
      description: 'Applies a patch.',
      parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
    });
  });

  test('describes the grammar, in either format of OpenAI', () => {
    const flat = { type: 'grammar', syntax: 'regex', definition: '^[a-z]+$' };
    const nested = { type: 'grammar', grammar: { syntax: 'regex', definition: '^[a-z]+$' } };
    for (const format of [flat, nested]) {
      expect(findGrammar({ ...patch, format })).toEqual({ syntax: 'regex', definition: '^[a-z]+$' });
      expect(asFunctionTool({ ...patch, format }).description).toBe(
        'Applies a patch.\n\nThe input must match this regex grammar:\n^[a-z]+$',
      );
    }
    expect(findGrammar({ ...patch, format: { type: 'text' } })).toBeUndefined();
  });
});

test('any text comes back as it went in', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const call = asFunctionCall({
        kind: 'tool-call',
        id: 'c',
        name: 'apply_patch',
        arguments: text,
        custom: true,
      });
      expect(call.custom).toBeUndefined();
      expect(unwrapInput(call.arguments)).toBe(text);
    }),
  );
});

test('arguments of another shape stay as the model wrote them', () => {
  expect(unwrapInput('{"input":7}')).toBe('{"input":7}');
  expect(unwrapInput('{"inp')).toBe('{"inp');
  expect(unwrapInput('{}')).toBe('');
  expect(unwrapInput('')).toBe('');
});

describe('unwrapCustomCalls', () => {
  test('makes a function call a custom call, in one piece', () => {
    expect(run(unwrapCustomCalls(prompt), callEvents('apply_patch', ['{"inp', 'ut":"a\\nb"}']))).toEqual([
      {
        type: 'part-start',
        choice: 0,
        index: 0,
        part: { kind: 'tool-call', id: 'call_1', name: 'apply_patch', custom: true },
      },
      { type: 'part-delta', choice: 0, index: 0, text: 'a\nb' },
      { type: 'part-end', choice: 0, index: 0 },
    ]);
  });

  test('leaves other calls and empty input alone, and never makes an empty delta', () => {
    const other = callEvents('weather', ['{"input":"x"}']);
    expect(run(unwrapCustomCalls(prompt), other)).toEqual(other);
    const none = run(unwrapCustomCalls(prompt), callEvents('apply_patch', []));
    expect(none.map((event) => event.type)).toEqual(['part-start', 'part-end']);
  });

  test('does the same when applied twice', () => {
    const once = run(unwrapCustomCalls(prompt), callEvents('apply_patch', ['{"input":"{\\"input\\":1}"}']));
    expect(run(unwrapCustomCalls(prompt), once)).toEqual(once);
  });

  test('keeps interleaved choices apart', () => {
    const [a0, a1, a2] = callEvents('apply_patch', ['{"input":"a"}'], 0);
    const [b0, b1, b2] = callEvents('weather', ['{"input":"b"}'], 1);
    const mixed = [a0, b0, b1, a1, b2, a2].filter((event) => event !== undefined);
    const reply = collect(run(unwrapCustomCalls(prompt), mixed));
    expect(reply.choices.map(({ parts }) => parts)).toEqual([
      [{ kind: 'tool-call', id: 'call_1', name: 'apply_patch', custom: true, arguments: 'a' }],
      [{ kind: 'tool-call', id: 'call_1', name: 'weather', arguments: '{"input":"b"}' }],
    ]);
  });
});

test('a parser stays as it is if there is no custom tool', () => {
  const parser = { transform() {} };
  expect(withCustomCalls(parser, { ...prompt, tools: [] })).toBe(parser);
  expect(withCustomCalls(parser, prompt)).not.toBe(parser);
});
