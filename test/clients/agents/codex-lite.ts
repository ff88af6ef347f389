/**
 * The requests of Codex 0.169 for a model that it takes for one of OpenAI's newest by its name: the tools
 * come in an item of the input, in namespaces, and one of them runs code that calls the others.
 */

import type { JsonObject } from '../../../src/lib/json.ts';

const said = (role: string, text: string): JsonObject => ({
  type: 'message',
  id: `msg_${role}`,
  role,
  content: [{ type: 'input_text', text }],
});

/** The request after one step of work, and before the next. */
export const codexLite = (model: string): JsonObject => ({
  model,
  stream: true,
  input: [
    {
      type: 'additional_tools',
      id: 'at_1',
      role: 'developer',
      tools: [
        {
          type: 'namespace',
          name: 'functions',
          description: '',
          tools: [
            {
              type: 'custom',
              name: 'exec',
              description: 'Run JavaScript code to orchestrate/compose tool calls',
              format: { type: 'grammar', syntax: 'lark', definition: 'start: SOURCE\nSOURCE: /[\\s\\S]+/' },
            },
            {
              type: 'function',
              name: 'wait',
              description: 'Waits on a yielded `exec` cell and returns new output or completion.',
              strict: false,
              parameters: {
                type: 'object',
                properties: { cell_id: { type: 'string' } },
                required: ['cell_id'],
              },
            },
          ],
        },
        {
          type: 'namespace',
          name: 'collaboration',
          description: 'Tools for spawning and managing sub-agents.',
          tools: [
            {
              type: 'function',
              name: 'list_agents',
              description: 'List live agents in the current root thread tree.',
              strict: false,
              parameters: { type: 'object', properties: { path_prefix: { type: 'string' } } },
            },
          ],
        },
      ],
    },
    said('developer', 'You are Codex, an agent based on GPT-6.'),
    said('user', 'Read notes.txt.'),
    {
      type: 'custom_tool_call',
      id: 'ctc_1',
      status: 'completed',
      call_id: 'call_1',
      name: 'exec',
      input: 'text((await tools.exec_command({ cmd: "cat notes.txt" })).output)',
    },
    { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_1', output: 'alpha\nbeta\n' },
    said('user', 'Call collaboration__list_agents.'),
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'low', context: 'all_turns' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '01a207da-e1a5-77a3-83f2-710d07d5ece6',
  text: { verbosity: 'low' },
});

/** The tools for an unknown model: functions, and one namespace of functions. */
export const codexPlain = (model: string): JsonObject => ({
  model,
  stream: true,
  input: [said('developer', 'You are a coding agent.'), said('user', 'Call multi_agent_v1__wait_agent.')],
  tools: [
    {
      type: 'function',
      name: 'exec_command',
      description: 'Runs a command in a PTY, returning output or a session ID for ongoing interaction.',
      strict: false,
      parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
    },
    {
      type: 'namespace',
      name: 'multi_agent_v1',
      description: 'Tools for spawning and managing sub-agents.',
      tools: [
        {
          type: 'function',
          name: 'wait_agent',
          description: 'Wait for agents to reach a final status.',
          strict: false,
          parameters: {
            type: 'object',
            properties: { targets: { type: 'array', items: { type: 'string' } } },
          },
        },
      ],
    },
    { type: 'web_search', external_web_access: true },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { summary: 'auto' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '01a207da-7f45-7333-92ff-9646613bb23e',
});
