/**
 * Streams of responses whose items share an `output_index`, as gateways write them that number the calls of
 * chat-completions (decolua/9router#2611, theopenco/llmgateway#2908, tashfeenahmed/freellmapi#846).
 */

import { describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, namedInputs, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

type Events = readonly JsonObject[];

const added = (at: number, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: at,
  item,
});
const done = (at: number, item: JsonObject): JsonObject => ({
  ...added(at, item),
  type: 'response.output_item.done',
});
const piece = (type: string, at: number, id: string, delta: string): JsonObject => ({
  type: `response.${type}.delta`,
  output_index: at,
  content_index: 0,
  summary_index: 0,
  item_id: id,
  delta,
});
const completed: JsonObject = {
  type: 'response.completed',
  response: { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [] },
};

const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
const wholeMessage = { ...message, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] };
const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
const call = (name: string, text: string): JsonObject => ({
  type: 'function_call',
  id: `fc_${name}`,
  call_id: `call_${name}`,
  name,
  arguments: text,
});

const hello: Events = [added(0, message), piece('output_text', 0, 'msg_1', 'Hello'), done(0, wholeMessage)];
const called = (at: number, name: string, text: string): Events => [
  added(at, call(name, '')),
  piece('function_call_arguments', at, `fc_${name}`, text),
  done(at, call(name, text)),
];
const f = called(0, 'f', '{"x":1}');
const g = called(0, 'g', '{"y":2}');

/** The events of an item with other fields in the item of each of them, by their order. */
const withFields = (events: Events, ...fields: Events): Events =>
  events.map((event, at) => {
    const item = asObject(event['item']);
    return item ? { ...event, item: { ...item, ...fields[at] } } : { ...event, ...fields[at] };
  });

interface Expected {
  readonly text?: string;
  readonly thoughts?: string;
  readonly calls: readonly (readonly [name: string, input: JsonObject])[];
}

const F = ['f', { x: 1 }] as const;
const G = ['g', { y: 2 }] as const;

const STREAMS: readonly [name: string, events: Events, expected: Expected][] = [
  ['a text and a call', [...hello, ...f], { text: 'Hello', calls: [F] }],
  ['a call and a text', [...f, ...hello], { text: 'Hello', calls: [F] }],
  [
    'a thought and a call, before a call with a place of its own',
    [
      added(0, thought),
      piece('reasoning_summary_text', 0, 'rs_1', 'Hm'),
      done(0, { ...thought, summary: [{ type: 'summary_text', text: 'Hm' }] }),
      ...f,
      ...called(1, 'g', '{"y":2}'),
    ],
    { thoughts: 'Hm', calls: [F, G] },
  ],
  ['two calls', [...f, ...g], { calls: [F, G] }],
  [
    'two calls that are open at once',
    [f[0] ?? {}, g[0] ?? {}, f[1] ?? {}, g[1] ?? {}, f[2] ?? {}, g[2] ?? {}],
    { calls: [F, G] },
  ],
  [
    'two calls that are open at once, and end the other way round',
    [f[0] ?? {}, g[0] ?? {}, g[1] ?? {}, f[1] ?? {}, g[2] ?? {}, f[2] ?? {}],
    { calls: [F, G] },
  ],
  [
    'a text and calls that come only whole',
    [done(0, wholeMessage), done(0, call('f', '{"x":1}')), done(0, call('g', '{"y":2}'))],
    { text: 'Hello', calls: [F, G] },
  ],
  [
    'a call that comes whole while another is open',
    [f[0] ?? {}, f[1] ?? {}, done(0, call('g', '{"y":2}')), f[2] ?? {}],
    { calls: [F, G] },
  ],
  [
    'a call that ends twice while it waits for another one',
    [f[0] ?? {}, ...called(1, 'g', '{"y":2}'), done(1, call('g', '{"y":2}')), ...f.slice(1)],
    { calls: [F, G] },
  ],
  [
    'a text and a call, the ids of which change with each event',
    [
      ...withFields(hello, { id: 'a' }, { item_id: 'b' }, { id: 'c' }),
      ...withFields(called(1, 'f', '{"x":1}'), { id: 'd' }, { item_id: 'e' }, { id: 'g' }),
    ],
    { text: 'Hello', calls: [F] },
  ],
  [
    'a call whose end has another id for the call alone',
    withFields(f, {}, {}, { call_id: 'other' }),
    { calls: [F] },
  ],
  [
    'a text whose end has another place than its beginning',
    [...hello.slice(0, 2), ...f, done(1, wholeMessage)],
    { text: 'Hello', calls: [F] },
  ],
];

describe.each(CALLERS.filter((caller) => caller !== 'responses'))('to a caller of %s', (caller) => {
  test.each(STREAMS)('%s', async (_, events, { text = '', thoughts = '', calls }) => {
    four().answers([...events, completed]);
    const thinking = { generationConfig: { thinkingConfig: { includeThoughts: true } } };
    const more = caller === 'generate-content' ? thinking : {};
    const read = await four().ask(caller, MODELS.responses, true, more);
    expect([read.text, read.thoughts, namedInputs(read)]).toEqual([text, thoughts, calls]);
  });

  test('a call whose place a text without an id shares at a time is one', async () => {
    const { id: _, ...anonymous } = message;
    four().answers([added(0, anonymous), ...f.slice(0, 2), done(0, anonymous), ...f.slice(2), completed]);
    expect(namedInputs(await four().ask(caller, MODELS.responses, true))).toEqual([F]);
  });

  test('an item that is added and ends twice is one', async () => {
    const repeated = [hello[0] ?? {}, ...hello, hello[2] ?? {}, f[0] ?? {}, ...f, f[2] ?? {}];
    const apart = repeated.map((event) =>
      JSON.stringify(event).includes('"fc_f"') ? { ...event, output_index: 1 } : event,
    );
    four().answers([...apart, completed]);
    const read = await four().ask(caller, MODELS.responses, true);
    expect([read.text, namedInputs(read)]).toEqual(['Hello', [F]]);
  });
});
