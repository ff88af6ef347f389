/**
 * Claude Code: messages, with thoughts, cache marks, betas, and system messages in the middle of the
 * dialogue.
 */

import { asObjects, asText, type JsonObject } from '../../../src/lib/json.ts';
import { sign } from '../../../src/sandbox/signatures.ts';
import { PNG } from '../support.ts';
import { type Agent, asked, history, output } from './agent.ts';

const TOOLS = ['Bash', 'Edit'] as const;

const TODO = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['pending', 'done'] },
    content: { type: 'string', minLength: 1 },
  },
  required: ['status', 'content'],
  additionalProperties: false,
};

const tool = (name: string, properties: JsonObject, required: readonly string[]): JsonObject => ({
  name,
  description: `${name}: a tool of the agent.`,
  input_schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  },
});

export const claudeCode: Agent = {
  name: 'Claude Code',
  format: 'messages',
  home: 'anthropic/claude-opus-4-8',
  headers: {
    'user-agent': 'claude-cli/2.3.0 (external, cli)',
    'x-app': 'cli',
    'anthropic-version': '2023-06-01',
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,mid-conversation-system-2026-04-07',
    'anthropic-dangerous-direct-browser-access': 'true',
    'x-stainless-lang': 'js',
    'x-stainless-timeout': '600',
  },
  tools: TOOLS,
  path: () => '/v1/messages?beta=true',
  body: (model, steps, stream) => ({
    model,
    max_tokens: 32_000,
    stream,
    metadata: { user_id: `user_${'a1'.repeat(32)}_account__session_01999c4e-2f7a-7d11-9c3a-000000000002` },
    ...(/opus-4-[6-9]/.test(model)
      ? { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
      : { thinking: { type: 'enabled', budget_tokens: 31_999 } }),
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    system: [
      {
        type: 'text',
        text: 'x-anthropic-billing-header: cc_version=2.3.0.48f; cc_entrypoint=cli; cch=71fea;',
      },
      { type: 'text', text: 'You are an agent for coding.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Be brief.\n'.repeat(500), cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nThe tasks are empty.\n</system-reminder>' },
          { type: 'text', text: 'Have a look around.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ],
      },
      ...history(steps, (step) => [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: `Step ${step} …`, signature: sign('anthropic', `Step ${step} …`) },
            { type: 'text', text: `Looking at step ${step}.` },
            {
              type: 'tool_use',
              id: `toolu_${step}a`,
              name: 'Bash',
              input: { command: `sed -n ${step}p a.ts` },
            },
            { type: 'tool_use', id: `toolu_${step}b`, name: 'mcp__ide__getDiagnostics', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: `toolu_${step}a`, content: output(step) },
            {
              type: 'tool_result',
              tool_use_id: `toolu_${step}b`,
              is_error: step % 5 === 4,
              content:
                step % 5 === 3
                  ? [
                      { type: 'text', text: 'A picture:' },
                      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
                    ]
                  : [{ type: 'text', text: 'No problems.' }],
            },
          ],
        },
        // For Anthropic's own models, only if they support it.
        ...(step % 10 === 9 && !/claude-(?:sonnet|haiku)-4/.test(model)
          ? [{ role: 'system', content: [{ type: 'text', text: `<budget>step ${step}</budget>` }] }]
          : []),
      ]),
      { role: 'assistant', content: [{ type: 'text', text: 'Done with that.' }] },
      {
        role: 'user',
        content: [{ type: 'text', text: asked(TOOLS), cache_control: { type: 'ephemeral' } }],
      },
    ],
    tools: [
      tool('Bash', { command: { type: 'string' }, timeout: { type: 'number' } }, ['command']),
      tool('Edit', { file_path: { type: 'string' }, replace_all: { type: 'boolean', default: false } }, [
        'file_path',
      ]),
      tool('mcp__ide__getDiagnostics', { uri: { type: 'string', format: 'uri' } }, []),
      tool('TodoWrite', { todos: { type: 'array', minItems: 1, items: TODO } }, ['todos']),
    ],
  }),
  after: (body, answer) => {
    const content = asObjects(answer['content']);
    return {
      ...body,
      messages: [
        ...asObjects(body['messages']),
        { role: 'assistant', content },
        {
          role: 'user',
          content: content.flatMap(({ type, id }): JsonObject[] =>
            type === 'tool_use'
              ? [{ type: 'tool_result', tool_use_id: asText(id) ?? '', content: output(0) }]
              : [],
          ),
        },
      ],
    };
  },
};
