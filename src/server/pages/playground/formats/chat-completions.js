/** The client of OpenAI's chat-completions format (OpenAI API reference, "Chat"). */

import { EXAMPLE_TOOLS } from './example-tools.js';
import { renderTurns } from './render-turns.js';

/** @import { Update, Usage, WireFormat } from '../dialogue.js' */
/** @import { ItemRenderer } from './render-turns.js' */

const NAME = 'chat-completions';

/** @type {WireFormat} */
export const chatCompletions = {
  name: NAME,
  path: () => '/v1/chat/completions',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (turns, { model, maxTokens, temperature, effort, system, tools }) => ({
    model,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...renderTurns(turns, NAME, model, renderer),
    ],
    max_completion_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(effort && { reasoning_effort: effort }),
    ...(tools && { tools: EXAMPLE_TOOLS.map((tool) => ({ type: 'function', function: tool })) }),
    stream: true,
    stream_options: { include_usage: true },
  }),
  reader() {
    /** @type {Record<string, any>} */
    const message = { role: 'assistant', content: '' };
    /** @type {any[]} */
    const calls = [];
    return {
      read(event) {
        /** @type {Update[]} */
        const updates = [];
        if (event.error) updates.push({ error: event.error.message ?? String(event.error) });
        const choice = event.choices?.[0];
        const { content, refusal, reasoning_content, thinking_blocks, tool_calls } = choice?.delta ?? {};
        if (reasoning_content) updates.push({ thinking: reasoning_content });
        if (thinking_blocks) message['thinking_blocks'] = thinking_blocks;
        if (content) {
          message['content'] += content;
          updates.push({ text: content });
        }
        if (refusal) updates.push({ text: refusal });
        for (const piece of tool_calls ?? []) {
          let call = calls[piece.index];
          if (!call) {
            call = { ...piece, function: { ...piece.function, arguments: '' } };
            delete call.index;
            calls[piece.index] = call;
            updates.push({ call: { id: call.id, name: call.function.name } });
          }
          const text = piece.function?.arguments ?? '';
          call.function.arguments += text;
          if (text) updates.push({ arguments: text, at: piece.index });
        }
        if (choice?.finish_reason) updates.push({ finish: choice.finish_reason });
        if (event.usage) updates.push({ usage: parseUsage(event.usage) });
        return updates;
      },
      kept: () => [{ ...message, ...(calls.length > 0 && { tool_calls: calls }) }],
    };
  },
};

/** @type {ItemRenderer} */
const renderer = {
  user: (text) => ({ role: 'user', content: text }),
  assistant: ({ text, calls }) => [
    {
      role: 'assistant',
      content: text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, arguments: json }) => ({
          id,
          type: 'function',
          function: { name, arguments: json || '{}' },
        })),
      }),
    },
  ],
  results: (calls) =>
    calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result ?? '' })),
};

/**
 * @param {any} usage
 * @returns {Usage}
 */
function parseUsage(usage) {
  return {
    input: usage.prompt_tokens ?? 0,
    cacheRead: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
  };
}
