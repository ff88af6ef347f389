/**
 * Streams of messages whose blocks interleave, as services write them that make them of chat-completions. Anthropic's SDKs
 * collect the deltas of a block by its `index`.
 */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, namedInputs, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const started = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const text = (index: number): JsonObject => started(index, { type: 'text', text: '' });
const call = (index: number, name: string): JsonObject =>
  started(index, { type: 'tool_use', id: `toolu_${name}`, name, input: {} });
const piece = (index: number, delta: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta,
});
const said = (index: number, of: string): JsonObject => piece(index, { type: 'text_delta', text: of });
const input = (index: number, of: string): JsonObject =>
  piece(index, { type: 'input_json_delta', partial_json: of });
const stopped = (index: number): JsonObject => ({ type: 'content_block_stop', index });

const start: JsonObject = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
};
const end: readonly JsonObject[] = [
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: {} },
  { type: 'message_stop' },
];

const STREAMS: readonly [name: string, events: readonly JsonObject[], text: string, names: string][] = [
  [
    'a call that starts before the text has stopped',
    [
      text(0),
      said(0, 'Hel'),
      call(1, 'f'),
      input(1, '{"x":'),
      said(0, 'lo'),
      stopped(0),
      input(1, '1}'),
      stopped(1),
    ],
    'Hello',
    'f',
  ],
  [
    'two calls with their arguments in turns, the second of which stops first',
    [
      call(0, 'f'),
      call(1, 'g'),
      input(1, '{"x"'),
      input(0, '{"x"'),
      input(1, ':1}'),
      stopped(1),
      input(0, ':1}'),
      stopped(0),
    ],
    '',
    'f g',
  ],
  [
    'a text and calls that all stop at the end',
    [
      text(0),
      call(1, 'f'),
      input(1, '{"x":1}'),
      call(2, 'g'),
      said(0, 'Hello'),
      input(2, '{"x":1}'),
      stopped(0),
      stopped(1),
      stopped(2),
    ],
    'Hello',
    'f g',
  ],
  [
    'a text that starts before a call has stopped, and no stops',
    [call(0, 'f'), input(0, '{"x"'), text(1), said(1, 'Hel'), input(0, ':1}'), said(1, 'lo')],
    'Hello',
    'f',
  ],
  [
    'three calls without stops',
    [
      call(0, 'f'),
      call(1, 'g'),
      call(2, 'h'),
      ...['{"x"', ':1}'].flatMap((of) => [2, 1, 0].map((index) => input(index, of))),
    ],
    '',
    'f g h',
  ],
  [
    'a text whose stop comes after the next text has started',
    [
      text(0),
      said(0, 'Hel'),
      text(1),
      stopped(0),
      said(1, 'lo'),
      stopped(1),
      call(2, 'f'),
      input(2, '{"x":1}'),
      stopped(2),
    ],
    'Hello',
    'f',
  ],
];

describe.each(CALLERS.filter((caller) => caller !== 'messages'))('to a caller of %s', (caller) => {
  test.each(STREAMS)('%s', async (_, events, expected, names) => {
    four().answers([start, ...events, ...end]);
    const read = await four().ask(caller, MODELS.messages, true);
    expect(read.text).toBe(expected);
    expect(namedInputs(read)).toEqual(names.split(' ').map((name) => [name, { x: 1 }]));
  });

  test('a call that waits and lacks its end is cut if the message says no reason', async () => {
    four().answers([
      start,
      text(0),
      said(0, 'Hi'),
      call(1, 'f'),
      input(1, '{"x":'),
      { type: 'message_stop' },
    ]);
    await expect(four().ask(caller, MODELS.messages, true)).rejects.toThrow(/^502/);
  });
});
