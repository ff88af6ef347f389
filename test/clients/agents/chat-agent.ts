/**
 * Agents that use chat-completions (Cline, opencode, Aider and similar ones): cache marks and thoughts as
 * OpenRouter defines them.
 */

import { asObject, asObjects, asText, type JsonObject } from '../../../src/lib/json.ts';
import { PNG } from '../support.ts';
import { type Agent, asked, history, output } from './agent.ts';

const TOOLS = ['execute_command', 'write_to_file'] as const;

const tool = (name: string, properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'function',
  function: {
    name,
    description: `${name}: a tool of the agent.`,
    parameters: { type: 'object', properties, required, additionalProperties: false },
    strict: false,
  },
});

const call = (id: string, name: string, args: JsonObject): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

/** It sets cache marks for every vendor but OpenAI, which rejects them. */
const cached = (model: string): JsonObject =>
  model.startsWith('openai/') ? {} : { cache_control: { type: 'ephemeral' } };

export const chatAgent: Agent = {
  name: 'an agent that speaks chat-completions',
  format: 'chat-completions',
  home: 'deepseek/deepseek-v4-flash',
  headers: {
    'user-agent': 'opencode/1.2.0',
    'http-referer': 'https://opencode.example',
    'x-title': 'opencode',
    'x-stainless-lang': 'js',
  },
  tools: TOOLS,
  path: () => '/v1/chat/completions',
  body: (model, steps, stream) => ({
    model,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    ...(!/gpt-4/.test(model) && { reasoning_effort: 'medium' }),
    messages: [
      {
        role: 'system',
        content: [{ type: 'text', text: 'Be brief.\n'.repeat(500), ...cached(model) }],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Have a look around.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'auto' } },
        ],
      },
      ...history(steps, (step) => [
        {
          role: 'assistant',
          content: step % 2 === 0 ? '' : null,
          ...(!model.startsWith('openai/') && { reasoning_content: `Step ${step} …` }),
          tool_calls: [
            call(`call_${step}a`, 'execute_command', { command: `sed -n ${step}p a.ts` }),
            call(`call_${step}b`, 'list_files', {}),
          ],
        },
        { role: 'tool', tool_call_id: `call_${step}a`, content: output(step) },
        { role: 'tool', tool_call_id: `call_${step}b`, content: [{ type: 'text', text: 'a.ts\nb.ts' }] },
      ]),
      { role: 'assistant', content: 'Done with that.' },
      {
        role: 'user',
        content: [{ type: 'text', text: asked(TOOLS), ...cached(model) }],
      },
    ],
    tools: [
      tool('execute_command', { command: { type: 'string' } }, ['command']),
      tool('write_to_file', { path: { type: 'string' }, lines: { type: 'integer' } }, ['path']),
      tool('list_files', {}, []),
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
  }),
  after: (body, answer) => {
    const message = asObject(asObjects(answer['choices'])[0]?.['message']) ?? {};
    const results = asObjects(message['tool_calls']).map(
      ({ id }): JsonObject => ({ role: 'tool', tool_call_id: asText(id) ?? '', content: output(0) }),
    );
    return { ...body, messages: [...asObjects(body['messages']), message, ...results] };
  },
};
