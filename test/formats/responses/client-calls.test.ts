/** Calls of OpenAI's tools that the caller runs: items in this format, and functions in all others. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Prompt, Turn } from '../../../src/conversation/prompt.ts';
import { outlinePrompt } from '../../../src/conversation/prompt-outline.ts';
import type { Finish, ReplyEvent } from '../../../src/conversation/reply.ts';
import { type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/responses/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/responses/outbound/render-request.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { asObjects, asText, type Json, type JsonObject } from '../../../src/lib/json.ts';
import { responsesRequest } from '../../../src/sandbox/schemas/responses.ts';
import { PERMISSIVE } from '../../support/meaning.ts';
import { expectValid, lastResponse, makeReply, parseData, REQUEST, renderStream } from './answers.ts';

const TOOLS = ['shell', 'local_shell', 'apply_patch'] as const;
type Name = (typeof TOOLS)[number];

const parse = (fields: JsonObject): Prompt =>
  parseRequest({ model: 'm', input: 'Hi', ...fields }, unreported);
const turnsOf = (...input: JsonObject[]): readonly Turn[] => parse({ input }).turns;
const PROMPT = parse({ tools: TOOLS.map((type) => ({ type })) });

/** The events that a caller gets for calls, and the items in the response. */
function answered(
  calls: readonly (readonly [name: string, written: string])[],
  finish: Finish = 'tool-calls',
) {
  const parts = calls.flatMap(([name, text], index): ReplyEvent[] => [
    { type: 'part-start', choice: 0, index, part: { kind: 'tool-call', id: `call_${index}`, name } },
    ...[text.slice(0, 5), text.slice(5)].flatMap((piece): ReplyEvent[] =>
      piece === '' ? [] : [{ type: 'part-delta', choice: 0, index, text: piece }],
    ),
    { type: 'part-end', choice: 0, index },
  ]);
  const events = renderStream(makeReply(parts, { finish }), { ...REQUEST, prompt: outlinePrompt(PROMPT) });
  expectValid(events);
  return { events: events.slice(2, -1).map(parseData), items: asObjects(lastResponse(events)['output']) };
}

const local = { environment: { type: 'local' } };
const limits = { max_output_length: null, timeout_ms: null };

test('a signature that comes with a call goes back to it', () => {
  const signature = { origin: 'google', value: 'c2ln' } as const;
  const at = { choice: 0, index: 0 };
  const parts: readonly ReplyEvent[] = [
    { type: 'part-start', ...at, part: { kind: 'tool-call', id: 'call_0', name: 'shell' } },
    { type: 'part-delta', ...at, text: '{"commands":["ls"]}' },
    { type: 'part-detail', ...at, signature },
    { type: 'part-end', ...at },
  ];
  const asked = { ...REQUEST, prompt: outlinePrompt(PROMPT) };
  const events = renderStream(makeReply(parts, { finish: 'tool-calls' }), asked);
  expectValid(events);
  const [turn] = turnsOf(...asObjects(lastResponse(events)['output']));
  expect(turn?.parts).toMatchObject([{ kind: 'tool-call', name: 'shell', signature }]);
});

describe('calls of the model become items', () => {
  test.each<[Name, Json, JsonObject]>([
    ['shell', { commands: ['ls'] }, { action: { commands: ['ls'], ...limits }, ...local }],
    [
      'shell',
      { commands: ['ls', 'pwd'], timeout_ms: 5000, max_output_length: 100 },
      { action: { commands: ['ls', 'pwd'], timeout_ms: 5000, max_output_length: 100 }, ...local },
    ],
    ['shell', { commands: 'ls' }, { action: { commands: ['ls'], ...limits }, ...local }],
    ['shell', { commands: ['rm', { file: 'x' }] }, { action: { commands: [], ...limits }, ...local }],
    [
      'shell',
      { command: 'ls', timeout_ms: 1.5, max_output_length: -1 },
      { action: { commands: [], ...limits }, ...local },
    ],
    ['shell', ['ls'], { action: { commands: [], ...limits }, ...local }],
    ['local_shell', { command: ['ls', '-a'] }, { action: { type: 'exec', command: ['ls', '-a'], env: {} } }],
    [
      'local_shell',
      { command: ['ls'], env: { A: 'b', C: 1 }, timeout_ms: 5, user: 'u', working_directory: '/w' },
      {
        action: {
          type: 'exec',
          command: ['ls'],
          env: { A: 'b' },
          timeout_ms: 5,
          user: 'u',
          working_directory: '/w',
        },
      },
    ],
    ['local_shell', { command: null }, { action: { type: 'exec', command: [], env: {} } }],
    ...[
      { type: 'create_file', path: 'a', diff: '+a' },
      { type: 'update_file', path: 'a', diff: '@@\n-a\n+b' },
      { type: 'delete_file', path: 'a' },
    ].map((operation): [Name, Json, JsonObject] => ['apply_patch', operation, { operation }]),
    [
      'apply_patch',
      { type: 'delete_file', path: 'a', diff: '-a' },
      { operation: { type: 'delete_file', path: 'a' } },
    ],
    ...[{ type: 'rename_file', path: 'a' }, { type: 'update_file', path: 'a' }, { diff: '+a' }, 7].map(
      (written): [Name, Json, JsonObject] => [
        'apply_patch',
        written,
        { operation: { type: 'update_file', path: '', diff: JSON.stringify(written) } },
      ],
    ),
  ])('%s %j', (name, written, said) => {
    const { items } = answered([[name, JSON.stringify(written)]]);
    const item = { id: expect.any(String), type: `${name}_call`, call_id: 'call_0', status: 'completed' };
    expect(items).toEqual([{ ...item, ...said }]);
  });

  test('a stream has the events that OpenAI sends for each kind of call', () => {
    const patch = { type: 'update_file', path: 'a', diff: '+b' };
    const { events } = answered([
      ['shell', '{"commands":["ls",""]}'],
      ['find', '{}'],
      ['apply_patch', JSON.stringify(patch)],
      ['apply_patch', '{"type":"delete_file","path":"a"}'],
      ['local_shell', '{"command":["ls"]}'],
    ]);
    const at = { output_index: 0, command_index: 0 };
    const second = { output_index: 0, command_index: 1 };
    const added = 'response.output_item.added';
    const done = 'response.output_item.done';
    const name = 'response.shell_call_command';
    const said = events
      .filter(({ output_index }) => output_index !== 1)
      .map(({ sequence_number: _, ...event }) => event);
    expect(said).toMatchObject([
      { type: added, item: { status: 'in_progress', action: { commands: [], ...limits }, ...local } },
      { type: `${name}.added`, ...at, command: '' },
      { type: `${name}.delta`, ...at, delta: 'ls' },
      { type: `${name}.done`, ...at, command: 'ls' },
      { type: `${name}.added`, ...second, command: '' },
      { type: `${name}.done`, ...second, command: '' },
      { type: done, item: { id: expect.stringMatching(/^sh_/), status: 'completed' } },
      { type: added, item: { status: 'in_progress', operation: { ...patch, diff: '' } } },
      { type: done, item: { id: expect.stringMatching(/^apc_/), operation: patch } },
      { type: added, item: { operation: { type: 'delete_file', path: 'a' } } },
      { type: done, item: { operation: { type: 'delete_file', path: 'a' } } },
      { type: added, item: { action: { type: 'exec', command: [], env: {} } } },
      { type: done, item: { id: expect.stringMatching(/^lsh_/), action: { command: ['ls'] } } },
    ]);
  });

  test('a call that the answer cut off does nothing', () => {
    const cut = (name: Name) => answered([[name, '{"commands":["rm -rf /ho']], 'length').items[0];
    expect(cut('shell')).toMatchObject({ status: 'incomplete', action: { commands: [] } });
    expect(cut('local_shell')).toMatchObject({ status: 'incomplete', action: { command: [] } });
    expect(cut('apply_patch')).toMatchObject({ status: 'in_progress', operation: { path: '' } });
  });

  test('functions with these names stay functions if the request has no such tools', () => {
    const tools = TOOLS.map((name) => ({ type: 'function', name, parameters: null }));
    const start = { type: 'part-start', choice: 0, index: 0 } as const;
    const events = TOOLS.flatMap((name, index): ReplyEvent[] => [
      { ...start, index, part: { kind: 'tool-call', id: `call_${index}`, name } },
      { type: 'part-delta', choice: 0, index, text: '{}' },
      { type: 'part-end', choice: 0, index },
    ]);
    const said = renderStream(makeReply(events), { ...REQUEST, prompt: outlinePrompt(parse({ tools })) });
    expect(asObjects(lastResponse(said)['output'])).toMatchObject(
      TOOLS.map((name) => ({ type: 'function_call', name, arguments: '{}' })),
    );
  });

  test('any arguments give a valid item, which OpenAI and other vendors accept as history', () => {
    const field = fc.constantFrom('commands', 'command', 'type', 'path', 'diff', 'env', 'timeout_ms');
    const some = fc.oneof(
      fc.constantFrom('create_file', 'update_file', 'delete_file', 'a'),
      fc.array(fc.string()),
      fc.integer(),
      fc.jsonValue(),
    );
    const written = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(field, some).map((args) => JSON.stringify(args)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...TOOLS), written), { minLength: 1 }), (calls) => {
        const { items } = answered(calls);
        const history = items.flatMap((item) => [item, outputOf(item)]);
        expect(responsesRequest.safeParse({ model: 'm', input: history }).error?.issues).toBeUndefined();
        const turns = turnsOf(...history);
        const args = turns.flatMap(({ parts }) =>
          parts.flatMap((part) =>
            part.kind === 'tool-call' ? ([[part.name, part.arguments]] as const) : [],
          ),
        );
        // Parsed and rendered again, the items stay the same.
        const bare = (list: readonly JsonObject[]) => list.map(({ id: _, ...item }) => item);
        expect(bare(answered(args).items)).toEqual(bare(items));
      }),
      { numRuns: 300 },
    );
  });
});

function outputOf({ type, call_id }: JsonObject): JsonObject {
  const output = type === 'shell_call' ? [] : 'done';
  return {
    type: `${asText(type)}_output`,
    call_id: call_id ?? null,
    output,
    ...(type === 'apply_patch_call' && { status: 'completed' }),
  };
}

describe('calls in the history', () => {
  const call = (fields: JsonObject): JsonObject => ({ call_id: 'call_1', status: 'completed', ...fields });
  const listing = call({ type: 'shell_call', id: 'sh_1', action: { commands: ['ls'], timeout_ms: null } });
  const removal = call({ type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a' } });
  const old = call({
    type: 'local_shell_call',
    id: 'lsh_1',
    action: { type: 'exec', command: ['ls'], env: {}, user: null },
  });
  const exit = { type: 'exit', exit_code: 0 };

  test.each<[JsonObject, string, string]>([
    [listing, 'shell', '{"commands":["ls"]}'],
    [{ ...listing, environment: { type: 'local' } }, 'shell', '{"commands":["ls"]}'],
    [old, 'local_shell', '{"command":["ls"],"env":{}}'],
    [removal, 'apply_patch', '{"type":"delete_file","path":"a"}'],
  ])('%j becomes a function call', (item, name, args) => {
    expect(turnsOf(item)).toMatchObject([
      { role: 'assistant', parts: [{ kind: 'tool-call', id: 'call_1', name, arguments: args }] },
    ]);
  });

  test.each<[JsonObject, JsonObject, string]>([
    [listing, { output: [{ stdout: 'a\nb\n', stderr: '', outcome: exit }] }, 'a\nb\nexit code: 0'],
    [
      listing,
      {
        output: [
          { stdout: '', stderr: 'Oh!\n', outcome: { type: 'exit', exit_code: 2 } },
          { stdout: 'c', stderr: 'd', outcome: { type: 'timeout' } },
        ],
      },
      'stderr:\nOh!\nexit code: 2\n\nc\nstderr:\nd\ntimed out',
    ],
    [listing, { output: [] }, 'No command was run.'],
    [
      listing,
      { output: [{ stdout: 'abcdefghij', stderr: '', outcome: exit }], max_output_length: 10 },
      'abcdefghij\nexit code: 0',
    ],
    [
      listing,
      {
        output: ['abcdefghij', 'k'].map((stdout) => ({ stdout, stderr: '', outcome: exit })),
        max_output_length: 9,
      },
      'ab\n[6 characters left out]\nij\nexit code: 0\n\nk\nexit code: 0',
    ],
    [
      listing,
      { output: [{ stdout: 'abc', stderr: '', outcome: exit }], max_output_length: 0 },
      '[3 characters left out]\nexit code: 0',
    ],
    [old, { output: '{"output":"a"}' }, '{"output":"a"}'],
    [old, { call_id: null, id: 'call_1', output: 'a' }, 'a'],
    [old, { call_id: null, id: 'lsh_1', output: 'a' }, 'a'],
    [removal, { status: 'completed', output: 'Gone.' }, 'Gone.'],
    [removal, { status: 'completed' }, 'completed'],
  ])('for %j, %j becomes its result', (asked, fields, text) => {
    const name = asText(asked['type'])?.replace(/_call$/, '');
    const item = { call_id: 'call_1', ...fields, type: `${asText(asked['type'])}_output` };
    expect(turnsOf(asked, item)[1]).toMatchObject({
      role: 'user',
      parts: [{ kind: 'tool-result', id: 'call_1', name, content: [{ kind: 'text', text }] }],
    });
    expect(turnsOf(asked, item)[1]?.parts[0]).not.toHaveProperty('isError');
  });

  test('a failed patch is an error', () => {
    const failed = { type: 'apply_patch_call_output', call_id: 'call_1', status: 'failed', output: 'No a.' };
    expect(turnsOf(removal, failed)[1]?.parts).toMatchObject([
      { content: [{ text: 'No a.' }], isError: true },
    ]);
  });

  test('consecutive calls are one turn, and so are their outputs', () => {
    const roles = turnsOf(
      listing,
      { ...removal, call_id: 'call_2' },
      { type: 'shell_call_output', call_id: 'call_1', output: [] },
      { type: 'apply_patch_call_output', call_id: 'call_2', status: 'completed' },
    ).map(({ role, parts }) => [role, parts.length]);
    expect(roles).toEqual([
      ['assistant', 2],
      ['user', 2],
    ]);
  });

  test("calls of a shell in OpenAI's container stay opaque", () => {
    const environment = { type: 'container_reference', container_id: 'c' };
    const output = { type: 'shell_call_output', call_id: 'call_1', output: [] };
    const kinds = turnsOf({ ...listing, environment }, output).flatMap(({ parts }) =>
      parts.map(({ kind }) => kind),
    );
    expect(kinds).toEqual(['opaque', 'opaque']);
  });

  test.each<[JsonObject, string]>([
    [{ type: 'shell_call', action: { commands: [] } }, 'input[0].call_id'],
    [{ type: 'shell_call', call_id: 'call_1' }, 'input[0].action'],
    [{ type: 'apply_patch_call', call_id: 'call_1', operation: 'delete' }, 'input[0].operation'],
    [{ type: 'local_shell_call', action: {} }, 'input[0].call_id'],
    [{ type: 'shell_call_output', call_id: 'call_1' }, 'input[0].output'],
    [{ type: 'shell_call_output', call_id: 'call_1', output: 'a' }, 'input[0].output'],
    [{ type: 'local_shell_call_output', call_id: 'call_1', output: [] }, 'input[0].output'],
  ])('%j is refused for its %s', (item, param) => {
    expect(() => turnsOf(item)).toThrow(GatewayError);
    expect(() => turnsOf(item)).toThrow(expect.objectContaining({ param }));
  });
});

describe('tools', () => {
  const again = (body: JsonObject) => renderRequest(parse(body), PERMISSIVE, unreported);

  test.each<[JsonObject, Json]>([
    [{ type: 'shell' }, { type: 'shell' }],
    [{ type: 'shell', environment: { type: 'local' } }, { type: 'shell' }],
    [{ type: 'shell', environment: null }, { type: 'shell' }],
    [{ type: 'local_shell' }, { type: 'local_shell' }],
    [{ type: 'apply_patch', allowed_callers: ['direct'] }, { type: 'apply_patch' }],
    [
      { type: 'apply_patch' },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'apply_patch' }, { type: 'shell' }] },
    ],
  ])('%j becomes a function, which a choice may name, and renders to itself', (tool, tool_choice) => {
    const tools = [tool, { type: 'custom', name: 'c' }];
    const notes: Note[] = [];
    const prompt = parseRequest({ model: 'm', input: 'Hi', tools, tool_choice }, reportInto(notes));
    const name = asText(tool['type']);
    expect(prompt.tools?.[0]).toMatchObject({ kind: 'function', name, parameters: { type: 'object' } });
    expect(prompt.toolChoice?.allowed?.[0]).toBe(name);
    expect(notes).toEqual([]);
    expect(again({ tools, tool_choice })).toMatchObject({ tools, tool_choice });
  });

  test("a shell in OpenAI's container is a hosted tool, and so is a choice of it", () => {
    const tools = [{ type: 'shell', environment: { type: 'container_auto' } }];
    const { tools: parsed, toolChoice } = parse({ tools, tool_choice: { type: 'shell' } });
    expect(parsed).toMatchObject([{ kind: 'hosted' }]);
    expect(toolChoice).toBeUndefined();
  });

  test('the description lists the skills on the machine', () => {
    const skills = [{ name: 'pdf', description: 'Makes PDFs.', path: '/skills/pdf' }];
    const { tools } = parse({ tools: [{ type: 'shell', environment: { type: 'local', skills } }] });
    const description = expect.stringContaining('\n- pdf (/skills/pdf): Makes PDFs.');
    expect(tools).toMatchObject([{ description }]);
  });
});
