/** Anthropic's client tools, with Anthropic's own SDK, called by models of other vendors. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatStream, chunk, completion, gemini, geminiStream, json, useDoor } from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();
const OTHERS = SUBJECTS.filter(({ spoken }) => spoken !== 'messages');
const WAYS = OTHERS.flatMap(({ model }) => [
  { model, stream: false },
  { model, stream: true },
]);

const TOOLS: Anthropic.Beta.BetaToolUnion[] = [
  { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
  { type: 'memory_20250818', name: 'memory', strict: true },
  { type: 'computer_20251124', name: 'computer', display_width_px: 1024, display_height_px: 768 },
];

const clientAt = (baseURL: string): Anthropic => new Anthropic({ baseURL, apiKey: KEY });

describe.each(WAYS)('$model, streamed: $stream', ({ model, stream }) => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'memory-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('the SDK’s memory tool writes and reads, run by its tool runner', async () => {
    const memory = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(directory));
    const ask = (content: string): Promise<Anthropic.Beta.BetaMessage> =>
      clientAt(gateway().url)
        .beta.messages.toolRunner({
          model,
          max_tokens: 2000,
          messages: [{ role: 'user', content }],
          tools: [memory],
          stream,
        })
        .runUntilDone();
    const made = await ask('Use memory to create "/memories/notes.md".');
    expect(textOf(made)).toContain('> File created successfully at: /memories/notes.md');
    expect(made.stop_reason).toBe('end_turn');
    expect(await readFile(join(directory, 'memories/notes.md'), 'utf8')).toBe('/memories/notes.md');
    expect(textOf(await ask('Use memory to view "/memories/notes.md".'))).toContain('with line numbers');
  });

  test('each is called by its name, with the documented input', async () => {
    const call = async (
      content: string,
      tool_choice: Anthropic.Beta.BetaToolChoice = { type: 'auto' },
    ): Promise<readonly unknown[]> => {
      const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content }];
      const request = { model, max_tokens: 2000, tools: TOOLS, tool_choice, messages };
      const api = clientAt(gateway().url).beta.messages;
      const message = stream ? await api.stream(request).finalMessage() : await api.create(request);
      expect(message.stop_reason).toBe('tool_use');
      return message.content.flatMap((block) =>
        block.type === 'tool_use' ? [[block.name, block.input]] : [],
      );
    };
    expect(await call('Run "ls -la" with bash.')).toEqual([['bash', { command: 'ls -la' }]]);
    expect(await call('Take a screenshot of the computer.')).toMatchObject([
      ['computer', { action: 'screenshot' }],
    ]);
    const name = 'str_replace_based_edit_tool';
    expect(await call('Insert a line into "/repo/a.py".', { type: 'tool', name })).toMatchObject([
      [name, { command: 'insert', path: '/repo/a.py', insert_text: expect.any(String) }],
    ]);
  });
});

function textOf({ content }: Anthropic.Beta.BetaMessage): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('');
}

describe('a vendor receives functions, and their calls become tool_use', () => {
  const door = useDoor();
  const input = { command: 'insert', path: '/repo/a.py', insert_line: 2, insert_text: 'x = 1\n' };
  const name = 'str_replace_based_edit_tool';
  const request = {
    max_tokens: 2000,
    tools: TOOLS,
    tool_choice: { type: 'tool', name } as const,
    messages: [
      { role: 'user' as const, content: 'Look at it, then put a line in.' },
      {
        role: 'assistant' as const,
        content: [{ type: 'tool_use' as const, id: 'toolu_1', name: 'bash', input: { command: 'cat a.py' } }],
      },
      {
        role: 'user' as const,
        content: [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'import os' }],
      },
    ],
  };
  const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
  const functionCall = { functionCall: { name, args: input } };
  const names = TOOLS.map((tool) => ('name' in tool ? tool.name : ''));

  const openai = {
    model: 'openai/gpt-4.1',
    whole: json(completion({ content: null, tool_calls: [call] }, 'tool_calls')),
    stream: chatStream(
      chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }),
      chunk({}, 'tool_calls'),
      { ...chunk({}), choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } },
    ),
    sent: {
      tools: names.map((one) => ({ type: 'function', function: { name: one } })),
      tool_choice: { type: 'function', function: { name } },
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [{ function: { name: 'bash', arguments: '{"command":"cat a.py"}' } }],
        },
        { role: 'tool', content: 'import os' },
      ],
    },
  };
  const google = {
    model: 'google/gemini-2.5-flash',
    whole: json(gemini([functionCall], 'STOP')),
    stream: geminiStream(gemini([functionCall], 'STOP')),
    sent: {
      tools: [{ functionDeclarations: names.map((one) => ({ name: one })) }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } },
      contents: [
        { role: 'user' },
        { role: 'model', parts: [{ functionCall: { name: 'bash', args: { command: 'cat a.py' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'bash' } }] },
      ],
    },
  };

  test.each([openai, google])('$model', async ({ model, whole, stream, sent }) => {
    const { messages } = clientAt(door.url()).beta;
    door.answers(whole);
    const answers = [await messages.create({ ...request, model })];
    expect(door.sent()).toMatchObject(sent);
    door.answers(stream);
    answers.push(await messages.stream({ ...request, model }).finalMessage());
    for (const { content, stop_reason } of answers) {
      expect(content).toMatchObject([{ type: 'tool_use', name, input }]);
      expect(stop_reason).toBe('tool_use');
    }
  });
});
