/** The client of Anthropic's Messages format (Anthropic API reference, "Messages"). */

import { budgetOf } from '../thinking.js';
import { EXAMPLE_TOOLS } from './example-tools.js';
import { parseArguments, renderTurns } from './render-turns.js';

/** @import { Thinking, Update, Usage, WireFormat } from '../dialogue.js' */
/** @import { ItemRenderer } from './render-turns.js' */

const NAME = 'messages';

/** @type {WireFormat} */
export const messages = {
  name: NAME,
  path: () => '/v1/messages',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: (turns, { model, thinking, maxTokens, mostTokens, temperature, effort, system, tools }) => ({
    model,
    max_tokens: maxTokens,
    ...(system && { system }),
    messages: renderTurns(turns, NAME, model, renderer),
    ...(temperature !== undefined && { temperature }),
    ...(effort && renderThinking(thinking, effort, maxTokens, mostTokens)),
    ...(tools && {
      tools: EXAMPLE_TOOLS.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
    stream: true,
  }),
  reader() {
    /** @type {any[]} */
    const blocks = [];
    let calls = 0;
    /** @type {any} */
    let usage = {};
    return {
      read(event) {
        const block = blocks[event.index];
        switch (event.type) {
          case 'message_start':
            usage = event.message.usage ?? {};
            return [];
          case 'content_block_start': {
            blocks[event.index] = { ...event.content_block };
            if (event.content_block.type !== 'tool_use') return [];
            blocks[event.index].input = '';
            calls += 1;
            return [{ call: { id: event.content_block.id, name: event.content_block.name } }];
          }
          case 'content_block_delta':
            return readDelta(block, event.delta, calls - 1);
          case 'content_block_stop':
            if (block?.type === 'tool_use') block.input = parseArguments(block.input);
            return [];
          case 'message_delta':
            usage = { ...usage, ...event.usage };
            return [{ finish: event.delta.stop_reason }, { usage: parseUsage(usage) }];
          case 'error':
            return [{ error: event.error?.message ?? 'The stream failed.' }];
          default:
            return [];
        }
      },
      kept: () => [{ role: 'assistant', content: blocks }],
    };
  },
};

/**
 * Some Claude models take a token budget, which counts towards `max_tokens`. The newer ones take only `adaptive` and an
 * effort level (Anthropic documentation, "Adaptive thinking").
 * @param {Thinking | undefined} thinking
 * @param {string} effort
 * @param {number} maxTokens the limit of the answer besides its reasoning
 * @param {number} mostTokens the most that the model can write
 */
function renderThinking(thinking, effort, maxTokens, mostTokens) {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  const budget = budgetOf(thinking, effort, mostTokens - 1);
  if (budget === undefined)
    return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort } };
  return {
    max_tokens: Math.min(mostTokens, maxTokens + budget),
    thinking: { type: 'enabled', budget_tokens: budget },
  };
}

/**
 * Adds a delta to its block.
 * @param {any} block
 * @param {any} delta
 * @param {number} at the index of the latest call
 * @returns {Update[]}
 */
function readDelta(block, delta, at) {
  switch (delta.type) {
    case 'text_delta':
      block.text += delta.text;
      return [{ text: delta.text }];
    case 'thinking_delta':
      block.thinking += delta.thinking;
      return [{ thinking: delta.thinking }];
    case 'signature_delta':
      block.signature = delta.signature;
      return [];
    case 'input_json_delta':
      block.input += delta.partial_json;
      return [{ arguments: delta.partial_json, at }];
    default:
      return [];
  }
}

/** @type {ItemRenderer} */
const renderer = {
  user: (text) => ({ role: 'user', content: text }),
  assistant: ({ text, calls }) => [
    {
      role: 'assistant',
      content: [
        ...(text ? [{ type: 'text', text }] : []),
        ...calls.map(({ id, name, arguments: json }) => ({
          type: 'tool_use',
          id,
          name,
          input: parseArguments(json),
        })),
      ],
    },
  ],
  results: (calls) => [
    {
      role: 'user',
      content: calls.map(({ id, result }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: result ?? '',
      })),
    },
  ],
};

/**
 * Anthropic counts cached input tokens apart from `input_tokens`.
 * @param {any} usage
 * @returns {Usage}
 */
function parseUsage(usage) {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  return {
    input: (usage.input_tokens ?? 0) + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.output_tokens ?? 0,
  };
}
