import { describe, expect, test } from 'vitest';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { findDialect } from '../../../src/formats/chat-completions/dialects.ts';
import { toolNameFor } from '../../../src/formats/chat-completions/outbound/tool-names.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { growthOf, SQUARE } from '../../support/cost.ts';
import {
  chunk,
  DONE,
  HEAD,
  isOrdered,
  PROMPT,
  parsed,
  partsOf,
  pieces,
  raw,
  replyOf,
  soFar,
  TARGET,
  whole,
} from './answers.ts';

const head = (index: number, id: string, name: string, text = ''): JsonObject => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
});
const more = (index: number, text: string): JsonObject => ({ index, function: { arguments: text } });
const call = (id: string, name: string, text: string) => ({ kind: 'tool-call', id, name, arguments: text });
const end = [chunk({}, 'tool_calls'), DONE];

describe('interleaved calls', () => {
  const interleaved = [
    pieces(head(0, 'a', 'f')),
    pieces(more(0, '{"x":')),
    pieces(head(1, 'b', 'g', '{"y"')),
    pieces(more(1, ':2')),
    pieces(more(0, '1')),
  ];

  test('come out one after another', () => {
    const events = parsed([...interleaved, pieces(more(0, '}')), pieces(more(1, '}')), ...end]);
    expect(isOrdered(events)).toBe(true);
    expect(partsOf(...interleaved, pieces(more(0, '}')), pieces(more(1, '}')), ...end)).toEqual([
      call('a', 'f', '{"x":1}'),
      call('b', 'g', '{"y":2}'),
    ]);
  });

  test('wait until the first is complete, and then stream', () => {
    const starts = (events: ReplyEvent[]) => events.filter(({ type }) => type === 'part-start').length;
    const texts = (events: ReplyEvent[]) =>
      events.flatMap((event) => (event.type === 'part-delta' && event.index === 1 ? [event.text] : []));
    expect(starts(soFar(...interleaved))).toBe(1);
    const released = [...interleaved, pieces(more(0, '}'))];
    expect(starts(soFar(...released))).toBe(2);
    expect(texts(soFar(...released))).toEqual(['{"y":2']);
    expect(texts(soFar(...released, pieces(more(1, '}'))))).toEqual(['{"y":2', '}']);
  });

  test('come out at the end if the first is never complete', () => {
    expect(partsOf(...interleaved, pieces(head(2, 'c', 'h', '{}')), chunk({}, 'length'))).toEqual([
      call('a', 'f', '{"x":1'),
      call('b', 'g', '{"y":2'),
      call('c', 'h', '{}'),
    ]);
  });

  test('do not delay a call that begins after the previous one is complete', () => {
    const events = soFar(pieces(head(0, 'a', 'f', '{}')), pieces(head(1, 'b', 'g', '{"y"')));
    expect(events.slice(1).map(({ type }) => type)).toEqual([
      'part-start',
      'part-delta',
      'part-end',
      'part-start',
      'part-delta',
    ]);
  });

  test('delay text too, because a part cannot begin inside another', () => {
    const events = [
      pieces(head(0, 'a', 'f', '{"x"')),
      chunk({ content: 'Hm' }),
      chunk({ content: '.' }),
      pieces(more(0, ':1}')),
      ...end,
    ];
    expect(isOrdered(parsed(events))).toBe(true);
    expect(partsOf(...events)).toEqual([call('a', 'f', '{"x":1}'), { kind: 'text', text: 'Hm.' }]);
  });

  test('cost the same for each piece, however long the arguments are', () => {
    const read = (count: number): void => {
      const long = [pieces(head(0, 'a', 'f', '{"x":[0')), pieces(head(1, 'b', 'g'))];
      for (let at = 0; at < count; at += 1) long.push(pieces(more(0, ',{}')));
      const [first] = partsOf(...long, pieces(more(0, ']}')), pieces(more(1, '{}')), ...end);
      expect(first?.kind === 'tool-call' && first.arguments.length).toBe('{"x":[0'.length + 3 * count + 2);
    };
    // Scanning all arguments again for each piece would cost the square of their length.
    expect(growthOf(read, 10_000)).toBeLessThan(SQUARE);
  });
});

describe('each piece goes to the right call', () => {
  test('if every piece repeats id, type and name', () => {
    expect(
      partsOf(
        pieces(head(0, 'a', 'f', '{"x"')),
        pieces(head(0, 'a', 'f', ':1}')),
        pieces(head(1, 'b', 'f', '{}')),
        ...end,
      ),
    ).toEqual([call('a', 'f', '{"x":1}'), call('b', 'f', '{}')]);
  });

  test('if every piece repeats them empty', () => {
    const again = { index: 0, id: '', type: 'function', function: { name: '', arguments: '{"x":1}' } };
    expect(partsOf(pieces(head(0, 'a', 'f')), pieces(again), ...end)).toEqual([call('a', 'f', '{"x":1}')]);
  });

  test('if every piece has a new id', () => {
    const other = { index: 0, id: 'z', function: { arguments: ':1}' } };
    expect(partsOf(pieces(head(0, 'a', 'f', '{"x"')), pieces(other), ...end)).toEqual([
      call('a', 'f', '{"x":1}'),
    ]);
  });

  test('without an index', () => {
    const { index: _, ...first } = head(0, 'a', 'f', '{"x"');
    const { index: __, ...second } = head(0, 'b', 'g', '{}');
    expect(
      partsOf(pieces(first), pieces({ function: { arguments: ':1}' } }), pieces(second), ...end),
    ).toEqual([call('a', 'f', '{"x":1}'), call('b', 'g', '{}')]);
  });

  test('if every call has the index 0', () => {
    expect(partsOf(pieces(head(0, 'a', 'f', '{}')), pieces(head(0, 'b', 'f', '{"y":2}')), ...end)).toEqual([
      call('a', 'f', '{}'),
      call('b', 'f', '{"y":2}'),
    ]);
  });

  test('if every call has the index 0, no id and complete arguments', () => {
    const parts = partsOf(pieces(head(0, '', 'f', '{"x":1}')), pieces(head(0, '', 'f', '{"x":2}')), ...end);
    expect(parts).toMatchObject([
      { name: 'f', arguments: '{"x":1}' },
      { name: 'f', arguments: '{"x":2}' },
    ]);
  });

  test('if two calls have the same id', () => {
    const parts = partsOf(pieces(head(0, 'a', 'f', '{}')), pieces(head(1, 'a', 'g', '{}')), ...end);
    expect(parts).toMatchObject([{ id: 'a', name: 'f' }, { name: 'g' }]);
    expect(new Set(parts.map((part) => part.kind === 'tool-call' && part.id)).size).toBe(2);
  });

  test('if the name comes after the id', () => {
    const late = { index: 0, function: { name: 'f', arguments: '1}' } };
    const first = { index: 0, id: 'a', type: 'function', function: { arguments: '{"x":' } };
    expect(partsOf(pieces(first), pieces(late), ...end)).toEqual([call('a', 'f', '{"x":1}')]);
  });

  test('if a complete call is repeated at the end', () => {
    const both = [head(0, 'a', 'f', '{"x":1}'), head(1, 'b', 'g', '{}')];
    expect(partsOf(pieces(...both), pieces(head(0, 'a', 'f', '{"x":1}')), ...end)).toEqual([
      call('a', 'f', '{"x":1}'),
      call('b', 'g', '{}'),
    ]);
  });

  test('and a call that never gets a name is an error', () => {
    expect(() => partsOf(pieces({ index: 0, id: 'a', function: { arguments: '{}' } }), ...end)).toThrow(
      /without a name/,
    );
    expect(() =>
      partsOf(pieces({ index: 0, id: 'a', function: { name: '', arguments: '' } }), ...end),
    ).toThrow(/without a name/);
  });

  // router-for-me/CLIProxyAPI, TestStreamingTool_MixedEmptyNameAndValid.
  test('but one that has nothing else either is none beside another', () => {
    const empty = { index: 0, id: 'a', function: { name: '', arguments: '' } };
    expect(partsOf(pieces(empty, head(1, 'b', 'f', '{}')), ...end)).toEqual([call('b', 'f', '{}')]);
  });
});

describe('other shapes of calls', () => {
  test('arguments sent as an object become text', () => {
    const object = { id: 'a', type: 'function', function: { name: 'f', arguments: { x: 1 } } };
    expect(partsOf(whole({ content: null, tool_calls: [object] }, 'tool_calls'))).toEqual([
      call('a', 'f', '{"x":1}'),
    ]);
  });

  test('the older function_call, in pieces and whole', () => {
    const streamed = replyOf(
      chunk({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"x":' } }),
      chunk({ function_call: { arguments: '1}' } }),
      chunk({}, 'function_call'),
      DONE,
    );
    expect(streamed).toEqual(
      replyOf(whole({ content: null, function_call: { name: 'f', arguments: '{"x":1}' } }, 'function_call')),
    );
    expect(streamed.choices[0]).toMatchObject({
      parts: [{ kind: 'tool-call', name: 'f', arguments: '{"x":1}' }],
      end: { finish: 'tool-calls' },
    });
  });

  test('a custom call, whose text is never parsed as JSON', () => {
    const custom = { index: 0, id: 'a', type: 'custom', custom: { name: 'sh', input: '' } };
    expect(
      partsOf(
        pieces(custom),
        pieces({ index: 0, custom: { input: '{}' } }),
        pieces({ index: 0, custom: { input: ' | wc' } }),
        ...end,
      ),
    ).toEqual([{ ...call('a', 'sh', '{} | wc'), custom: true }]);
  });

  test('a function that replaced a custom tool becomes a custom call again', () => {
    const prompt = { ...PROMPT, tools: [{ kind: 'custom', name: 'sh' } as const] };
    const events = parsed(
      [pieces(head(0, 'a', 'sh', '{"inp')), pieces(more(0, 'ut":"ls -l"}')), ...end],
      prompt,
    );
    expect(events.filter(({ type }) => type.startsWith('part'))).toMatchObject([
      { type: 'part-start', part: { custom: true } },
      { type: 'part-delta', text: 'ls -l' },
      { type: 'part-end' },
    ]);
  });

  test("Snowflake's empty fields are not calls", () => {
    const fields = {
      custom: { input: '', name: '' },
      function: { name: 'f', arguments: '{}' },
      id: 'a',
      type: 'function',
    };
    const said = { content: '', function_call: { name: '', arguments: '' }, tool_calls: [fields] };
    expect(partsOf(whole(said, ''))).toEqual([call('a', 'f', '{}')]);
    expect(replyOf(whole(said, '')).choices[0]?.end.finish).toBe('tool-calls');
  });

  test('renamed tools get their names back, and others keep theirs', () => {
    const tools = [{ kind: 'function', name: 'files.read' } as const];
    const made = toolNameFor('files.read', findDialect('openai'));
    expect(made).not.toBe('files.read');
    const called = [pieces(head(0, 'a', made, '{}')), pieces(head(1, 'b', 'other', '{}')), ...end];
    const events = parsed(called, { ...PROMPT, tools }, { ...TARGET, dialect: 'openai' });
    const names = events.flatMap((event) =>
      event.type === 'part-start' && event.part.kind === 'tool-call' ? [event.part.name] : [],
    );
    expect(names).toEqual(['files.read', 'other']);
  });

  test('generated ids are unique, and the same streamed and whole', () => {
    const body = (id: string) => ({ ...HEAD, id });
    const said = {
      role: 'assistant',
      content: null,
      tool_calls: [head(0, '', 'f', '{}'), head(1, '', 'f', '{}')],
    };
    const streamed = replyOf(
      raw({ ...body('x-9'), choices: [{ index: 0, delta: said, finish_reason: 'tool_calls' }] }),
    );
    const all = replyOf(
      raw({ ...body('x-9'), choices: [{ index: 0, message: said, finish_reason: 'tool_calls' }] }),
    );
    expect(streamed.choices).toEqual(all.choices);
    const ids = all.choices[0]?.parts.map((part) => part.kind === 'tool-call' && part.id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id && /^call_[A-Za-z0-9_]+$/.test(id))).toBe(true);
  });

  test("a signature on a call, and one of Google's that OpenRouter sends separately", () => {
    const signed = { ...head(0, 'a', 'f', '{}'), extra_content: { google: { thought_signature: 'sig' } } };
    const google = { origin: 'google', value: 'sig' };
    expect(partsOf(pieces(signed), ...end)).toEqual([{ ...call('a', 'f', '{}'), signature: google }]);
    const detail = { type: 'reasoning.encrypted', data: 'sig', format: 'google-gemini-v1', id: 'b' };
    const message = {
      content: null,
      reasoning_details: [detail],
      tool_calls: [head(0, 'a', 'f', '{}'), head(1, 'b', 'g', '{}')],
    };
    expect(partsOf(whole(message, 'tool_calls'))).toMatchObject([
      { id: 'a' },
      { id: 'b', signature: google },
    ]);
    expect(partsOf(whole(message, 'tool_calls'))[0]).not.toHaveProperty('signature');
  });

  test.each([
    ['before', [0, 1, 2]],
    ['after', [1, 2, 0]],
  ])('such a signature in a stream, %s its call', (_, order) => {
    const detail = { type: 'reasoning.encrypted', data: 'sig', format: 'google-gemini-v1', id: 'b' };
    const said = [
      chunk({ reasoning_details: [detail] }),
      pieces(head(0, 'a', 'f', '{}')),
      pieces(head(1, 'b', 'g', '{}')),
    ];
    expect(partsOf(...order.flatMap((at) => said[at] ?? []), ...end)).toEqual([
      call('a', 'f', '{}'),
      { ...call('b', 'g', '{}'), signature: { origin: 'google', value: 'sig' } },
    ]);
  });
});
