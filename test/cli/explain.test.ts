/** `gateway explain`: what happens to each field of a request. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject, asObjects, parseJson } from '../../src/lib/json.ts';
import { runCommand } from '../support/command.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-explain-'));
});
afterAll(() => rm(directory, { recursive: true }));

test.each(['openai/gpt-4.1', 'openai/gpt-5.4', 'google/gemini-2.5-flash', 'mistralai/mistral-medium-3-5'])(
  'Anthropic’s client tools are mapped for %s, and identify the format of their request',
  async (model) => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
      { type: 'memory_20250818', name: 'memory' },
    ];
    const request = { model, max_tokens: 100, tools, messages: [{ role: 'user', content: 'Hello!' }] };
    await writeFile(join(directory, 'request.json'), JSON.stringify(request));
    const { code, stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
    expect(code).toBe(0);
    expect(parseJson(stdout)).toMatchObject({
      from: 'messages',
      notes: [],
      mapped: ['model', 'max_tokens', 'tools', 'messages'],
    });
  },
);

test.each(['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash', 'mistralai/mistral-medium-3-5'])(
  'OpenAI’s client tools, a call of one and the choice of another are mapped for %s',
  async (model) => {
    const tools = [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }];
    const call = { call_id: 'call_1', action: { commands: ['ls'] }, status: 'completed' };
    const input = [
      { role: 'user', content: 'Hello!' },
      { type: 'shell_call', id: 'sh_1', ...call },
      { type: 'shell_call_output', call_id: 'call_1', output: [] },
    ];
    const request = { model, tools, tool_choice: { type: 'apply_patch' }, input };
    await writeFile(join(directory, 'request.json'), JSON.stringify(request));
    const { code, stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
    expect(code).toBe(0);
    expect(parseJson(stdout)).toMatchObject({
      from: 'responses',
      notes: [],
      mapped: ['model', 'tools', 'tool_choice', 'input'],
    });
  },
);

test.each(['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash', 'mistralai/mistral-medium-3-5'])(
  'a function of responses is mapped for %s, and nothing of it is reported as lost',
  async (model) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function', name: 'get_weather', parameters, strict: false }];
    await writeFile(join(directory, 'request.json'), JSON.stringify({ model, tools, input: 'Hello!' }));
    const { code, stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
    expect(code).toBe(0);
    expect(parseJson(stdout)).toMatchObject({ notes: [], mapped: ['model', 'tools', 'input'] });
  },
);

test.each<[model: string, ...more: string[]]>([
  ['anthropic/claude-sonnet-4-5'],
  ['google/gemini-2.5-flash'],
  // Mistral refuses a user message right after a result.
  ['mistralai/mistral-medium-3-5', 'input[].content'],
])(
  'for a dialogue of responses, nothing that the caller has not written is reported as lost for %s',
  async (model, ...more) => {
    const search = { type: 'function', name: 'search', parameters: { type: 'object', properties: {} } };
    const input = [
      { type: 'message', role: 'developer', content: 'Be brief.' },
      { type: 'message', role: 'user', content: 'Hello!' },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c', namespace: 'docs', name: 'search', arguments: '{}' },
      { type: 'function_call_output', id: 'fo_1', call_id: 'c', output: 'Nothing.' },
      { type: 'agent_message', author: '/root/a', content: [{ type: 'input_text', text: 'Done.' }] },
    ];
    const tools = [{ type: 'namespace', name: 'docs', description: 'Docs.', tools: [search] }];
    const request = { model, instructions: 'Help.', tools, input, conversation: null, ours: null };
    await writeFile(join(directory, 'request.json'), JSON.stringify(request));
    const { code, stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
    expect(code).toBe(0);
    const notes = asObjects(asObject(parseJson(stdout))?.['notes']);
    expect(notes.map(({ field }) => field)).toEqual(['tools[0]', 'tools[0].tools[0].strict', ...more]);
  },
);

test.each([
  [
    {
      messages: [{ role: 'user', content: 'Hello!' }],
      frequency_penalty: 1,
      presence_penalty: 1,
      top_logprobs: 2,
    },
    ['frequency_penalty', 'presence_penalty', 'top_logprobs'],
  ],
  [
    { input: 'Hello!', include: ['message.output_text.logprobs'], top_logprobs: 2 },
    ['include', 'top_logprobs'],
  ],
  [
    {
      model: 'openai/gpt-5',
      messages: [{ role: 'user', content: 'Hello!' }],
      max_tokens: 100,
      top_p: 0.5,
      stop_sequences: ['.'],
    },
    ['top_p', 'stop_sequences'],
  ],
])('a loss is reported under the name that the caller wrote, and not as mapped', async (fields, lost) => {
  const request = { model: 'anthropic/claude-sonnet-4-5', ...fields };
  await writeFile(join(directory, 'request.json'), JSON.stringify(request));
  const { stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
  const explained = asObject(parseJson(stdout));
  expect(new Set(asObjects(explained?.['notes']).map(({ field }) => field))).toEqual(new Set(lost));
  for (const field of lost) expect(explained?.['mapped']).not.toContain(field);
});

test('a file may have a byte order mark and Windows line endings', async () => {
  const request = { model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Hello!' }] };
  const text = `\uFEFF${JSON.stringify(request, undefined, 2).replaceAll('\n', '\r\n')}\r\n`;
  await writeFile(join(directory, 'request.json'), text);
  const { code, stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
  expect(code).toBe(0);
  expect(parseJson(stdout)).toMatchObject({ from: 'chat-completions' });
});

const flat = [
  { type: 'function', name: 'read_file', parameters: { type: 'object', properties: {} } },
  { type: 'custom', name: 'ApplyPatch' },
];
const hello = [{ role: 'user', content: 'Hello!' }];
test.each([
  ['a request of responses', 'google/gemini-2.5-flash', 'generate-content', { messages: [], input: hello }],
  ['a request of responses', 'openai/gpt-5.4', 'responses', { messages: [], input: hello }],
  ['a request of responses', 'openai/gpt-4o', 'chat-completions', { messages: [], input: hello }],
  ['flat tools', 'anthropic/claude-sonnet-4-5', 'messages', { messages: hello }],
])('a Cursor request to chat-completions is explained: %s for %s', async (_, model, to, said) => {
  await writeFile(join(directory, 'request.json'), JSON.stringify({ model, ...said, tools: flat }));
  const { code, stdout } = await runCommand(directory, ['explain', 'request.json', '--json']);
  expect(code).toBe(0);
  const explained = parseJson(stdout);
  expect(explained).toMatchObject({ from: 'chat-completions', to, native: false });
  for (const name of ['read_file', 'ApplyPatch', 'Hello!']) expect(stdout).toContain(name);
  expect(explained).not.toMatchObject({ request: { messages: [] } });
});

test('a refusal is explained: which repair follows, and what is sent then', async () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'r' };
  const request = {
    model: 'deepseek/deepseek-v4-pro',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result, { type: 'text', text: 'a reminder' }] },
    ],
  };
  await writeFile(join(directory, 'request.json'), JSON.stringify(request));
  const ask = async (refusal: string, ...more: string[]) => {
    await writeFile(join(directory, 'refusal.json'), refusal);
    return runCommand(directory, ['explain', 'request.json', '--refusal', 'refusal.json', '--json', ...more]);
  };
  const refused = await ask(
    JSON.stringify({ object: 'error', message: "Unexpected role 'user' after role 'tool'" }),
  );
  expect(parseJson(refused.stdout)).toMatchObject({
    repairs: ['without-user-after-tool'],
    request: { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] },
  });
  const final = await ask(JSON.stringify({ error: { message: 'Invalid API key.' } }), '--status', '401');
  expect(parseJson(final.stdout)).toEqual({ repairs: [] });
  expect((await ask('{}', '--status', '200')).code).toBe(1);
});

describe('without --json', () => {
  const messages = [{ role: 'user', content: 'Hello!' }];
  const explain = async (request: unknown, ...more: string[]) => {
    await writeFile(join(directory, 'request.json'), JSON.stringify(request));
    return runCommand(directory, ['explain', 'request.json', ...more]);
  };
  /** What is printed above the request that would be sent, and that request. */
  const readParts = (stdout: string): readonly [string, unknown] => {
    const at = stdout.indexOf('\n{');
    return [stdout.slice(0, at), parseJson(stdout.slice(at))];
  };

  test('a translated request is printed field by field, and then as it is sent', async () => {
    const { stdout } = await explain({ model: 'anthropic/claude-sonnet-4-5', messages, seed: 3 });
    const [fields, sent] = readParts(stdout);
    expect(fields.split('\n')).toEqual([
      'anthropic/claude-sonnet-4-5: chat-completions translated to messages',
      '',
      '  dropped       seed: has no counterpart in messages',
      '  mapped        model',
      '  mapped        messages',
      '',
    ]);
    expect(sent).toMatchObject({ model: 'claude-sonnet-4-5', messages: [{ role: 'user' }] });
  });

  test('of a native request all fields are unchanged', async () => {
    const { stdout } = await explain({ model: 'openai/gpt-4.1', messages, seed: 3 });
    const [fields, sent] = readParts(stdout);
    expect(fields.split('\n')).toEqual([
      'openai/gpt-4.1: chat-completions, native: only the name of the model may change',
      '',
      '  unchanged  model',
      '  unchanged  messages',
      '  unchanged  seed',
      '',
    ]);
    expect(sent).toEqual({ model: 'gpt-4.1', messages, seed: 3 });
  });

  test('after a refusal the names of the repairs are above what is sent once more', async () => {
    const request = { model: 'openai/gpt-4.1', messages, reasoning_effort: 'low' };
    const refuse = (message: string) =>
      writeFile(join(directory, 'refusal.json'), JSON.stringify({ error: { message } }));
    await refuse("Unsupported parameter: 'reasoning_effort' is not supported with this model.");
    const refused = await explain(
      { model: 'deepseek/deepseek-v4-pro', max_tokens: 100, messages, output_config: { effort: 'low' } },
      '--refusal',
      'refusal.json',
    );
    const [repairs, sent] = readParts(refused.stdout);
    expect(repairs).toBe('sent once more: without-thinking-setting\n');
    expect(sent).toMatchObject({ model: 'deepseek-v4-pro' });
    expect(sent).not.toHaveProperty('reasoning_effort');
    // A native request is the caller's own: only the caller may leave out a setting.
    const final = await explain(request, '--refusal', 'refusal.json');
    expect(final.stdout).toBe('final: the caller gets the refusal, and nothing else is sent\n');
  });

  test.each<[request: unknown, more: readonly string[], said: string]>([
    [[], [], 'request.json does not contain a JSON object.'],
    [{ messages }, [], 'The request names no model. Give one with --model.'],
    [
      { model: 'anthropic/claude-sonnet-4-5', messages: 3 },
      [],
      "The gateway would reject this request (400): Invalid type for 'messages': expected an array of objects, but got an integer instead.",
    ],
    [
      { messages },
      ['--model', 'nobody/nothing'],
      'The gateway would reject this request (404): Model not supported: nobody/nothing',
    ],
    [
      { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
      ['--model', 'openai/gpt-4.1'],
      'The gateway would reject this request (404): Model not supported: openai/gpt-4.1',
    ],
    [
      { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
      ['--model', 'openai/gpt-4.1', '--refusal', 'request.json'],
      'The gateway would reject this request (404): Model not supported: openai/gpt-4.1',
    ],
    [
      { model: 'openai/gpt-4.1', messages },
      ['--status', '400'],
      '--status needs --refusal, the file with the refusal.',
    ],
  ])('what cannot be explained is said: %j %j', async (request, more, said) => {
    const { code, stdout, stderr } = await explain(request, ...more);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `${said}\n` });
  });
});

test.each([
  [{ messages: [{ role: 'user', content: 'Hello!' }] }, 'anthropic/claude-sonnet-4-5'],
  [
    { max_tokens: 10, system: 'Be brief.', messages: [{ role: 'user', content: 'Hello!' }] },
    'openai/gpt-4.1',
  ],
  [{ input: 'Hello!' }, 'google/gemini-2.5-flash'],
  [{ contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] }, 'openai/gpt-4.1'],
])('a request that names no model is explained for that of --model: %j', async (request, model) => {
  await writeFile(join(directory, 'request.json'), JSON.stringify(request));
  const { code, stdout } = await runCommand(
    directory,
    ['explain', 'request.json', '--model', model, '--json'],
    {
      GATEWAY_CONFIG: await allModels(),
    },
  );
  expect(code).toBe(0);
  expect(parseJson(stdout)).toMatchObject({ model, mapped: Object.keys(request) });
});

/** A configuration in which Google's format has the models of every vendor. */
async function allModels(): Promise<string> {
  const file = join(directory, 'all-models.json');
  await writeFile(file, JSON.stringify({ generateContent: { models: 'all' } }));
  return file;
}
