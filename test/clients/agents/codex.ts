/** Codex: responses, nothing stored, encrypted reasoning, a free-form tool with a grammar. */

import { asObjects, asText, type JsonObject } from '../../../src/lib/json.ts';
import { sign } from '../../../src/sandbox/signatures.ts';
import { PNG } from '../support.ts';
import { type Agent, asked, history, output } from './agent.ts';

const TOOLS = ['shell', 'apply_patch'] as const;

const PATCH =
  '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-const a = 1;\n+const a = "2";\n*** End Patch\n';

/** A field of every item, if Codex takes its provider for OpenAI. */
const PASSED: JsonObject = { internal_chat_message_metadata_passthrough: { turn_id: '01999c4e-2f7a' } };

/** It knows OpenAI's models without reasoning, and takes all others for reasoning models. */
const thinks = (model: string): boolean => !/gpt-4/.test(model);

export const codex: Agent = {
  name: 'Codex',
  format: 'responses',
  home: 'openai/gpt-5.4',
  headers: {
    'user-agent': 'codex_cli_rs/0.160.0 (Ubuntu 24.4.0; x86_64) xterm-256color',
    originator: 'codex_cli_rs',
    session_id: '01999c4e-2f7a-7d11-9c3a-000000000001',
    conversation_id: '01999c4e-2f7a-7d11-9c3a-000000000001',
    'openai-beta': 'responses=experimental',
    accept: 'text/event-stream',
  },
  tools: TOOLS,
  path: () => '/v1/responses',
  body: (model, steps, stream) => ({
    model,
    instructions: `You are a coding agent.\n${'Keep to the conventions of the repository.\n'.repeat(200)}`,
    input: [
      {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: '<permissions>full</permissions>' }],
        ...PASSED,
      },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'high' },
        ],
        ...PASSED,
      },
      ...history(steps, (step) => [
        {
          type: 'reasoning',
          id: `rs_${step}`,
          summary: [{ type: 'summary_text', text: `**Step ${step}**` }],
          content: null,
          encrypted_content: sign('openai', `rs_${step}`),
          ...PASSED,
        },
        {
          type: 'message',
          id: `msg_${step}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: `Looking at step ${step}.`, annotations: [] }],
          ...PASSED,
        },
        step % 3 === 2
          ? {
              type: 'custom_tool_call',
              id: `ctc_${step}`,
              status: 'completed',
              call_id: `call_${step}`,
              name: 'apply_patch',
              input: PATCH,
              ...PASSED,
            }
          : step % 3 === 1
            ? {
                type: 'function_call',
                id: `fc_${step}`,
                call_id: `call_${step}`,
                namespace: 'mcp__docs',
                name: 'search',
                arguments: `{"query":"step ${step}"}`,
                ...PASSED,
              }
            : {
                type: 'function_call',
                id: `fc_${step}`,
                call_id: `call_${step}`,
                name: 'shell',
                arguments: `{"command":["bash","-lc","sed -n '${step}p' a.ts"],"workdir":"/repo"}`,
              },
        step % 3 === 2
          ? { type: 'custom_tool_call_output', call_id: `call_${step}`, output: output(step), ...PASSED }
          : { type: 'function_call_output', call_id: `call_${step}`, output: output(step), ...PASSED },
      ]),
      {
        type: 'message',
        id: 'msg_done',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Done with that.', annotations: [] }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: asked(TOOLS) }] },
    ],
    tools: [
      {
        type: 'function',
        name: 'shell',
        description: 'Runs a shell command and returns its output.',
        strict: false,
        parameters: {
          type: 'object',
          properties: {
            command: { type: 'array', items: { type: 'string' } },
            workdir: { type: 'string' },
            timeout_ms: { type: 'number' },
          },
          required: ['command'],
          additionalProperties: false,
        },
      },
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Edits files. This is a free-form tool: do not wrap the patch in JSON.',
        format: {
          type: 'grammar',
          syntax: 'lark',
          definition: 'start: begin hunk+ end\nbegin: "*** Begin Patch" LF\n',
        },
      },
      {
        type: 'namespace',
        name: 'mcp__docs',
        description: 'Documentation of every library.',
        tools: [
          {
            type: 'function',
            name: 'search',
            description: 'Finds pages.',
            strict: false,
            parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
          },
          { type: 'custom', name: 'note', description: 'Keeps a note on a page.' },
        ],
      },
      {
        type: 'function',
        name: 'update_plan',
        description: 'Updates the task plan.',
        strict: false,
        parameters: {
          type: 'object',
          properties: {
            plan: {
              type: 'array',
              items: {
                type: 'object',
                properties: { step: { type: 'string' }, status: { type: 'string' } },
                required: ['step', 'status'],
                additionalProperties: false,
              },
            },
          },
          required: ['plan'],
          additionalProperties: false,
        },
      },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    ...(thinks(model) && { reasoning: { effort: 'medium', summary: 'auto' } }),
    store: false,
    stream,
    include: thinks(model) ? ['reasoning.encrypted_content'] : [],
    prompt_cache_key: '01999c4e-2f7a-7d11-9c3a-000000000001',
    client_metadata: { 'x-codex-installation-id': '01999c4e-2f7a-7d11-9c3a-000000000002' },
    text: { verbosity: 'medium' },
  }),
  after: (body, answer) => {
    const items = asObjects(answer['output']);
    return {
      ...body,
      input: [
        ...asObjects(body['input']),
        ...items,
        ...items.flatMap(({ type, call_id }): JsonObject[] =>
          type === 'function_call' || type === 'custom_tool_call'
            ? [{ type: `${type}_output`, call_id: asText(call_id) ?? '', output: output(0) }]
            : [],
        ),
      ],
    };
  },
};
