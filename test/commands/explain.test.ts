/** `gateway explain`: what became of each field of a request. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../src/json.ts';
import { runCommand } from '../support/command.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-explain-'));
});
afterAll(() => rm(directory, { recursive: true }));

test.each(['openai/gpt-4.1', 'openai/gpt-5.4', 'google/gemini-2.5-flash', 'mistralai/mistral-medium-3-5'])(
  "Anthropic's tools that the caller runs are mapped for %s, and their request is known by them",
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
