import { EXAMPLE_TOOLS, keptFor, parseArguments } from '../dialogue.js';
import { budgetOf } from '../thinking.js';

/** @import { Thinking, Turn, Update, Usage, WireFormat } from '../dialogue.js' */

/** @type {WireFormat} */
export const messages = {
  name: 'messages',
  path: () => '/v1/messages',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: (turns, { model, thinking, maxTokens, mostTokens, temperature, effort, system, tools }) => ({
    model,
    max_tokens: maxTokens,
    ...(system && { system }),
    messages: turns.flatMap((turn) => messagesOf(turn, model)),
    ...(temperature !== undefined && { temperature }),
    ...(effort && thinkingOf(thinking, effort, maxTokens, mostTokens)),
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
            return [{ finish: event.delta.stop_reason }, { usage: usageOf(usage) }];
          case 'error':
            return [{ error: event.error?.message ?? 'The stream failed.' }];
          default:
            return [];
        }
      },
      kept: () => ({ role: 'assistant', content: blocks }),
    };
  },
};

/**
 * Some Claude models are told a number of tokens, which are part of `max_tokens`; the newer ones take `adaptive` and a
 * word only (Anthropic documentation, "Adaptive thinking").
 * @param {Thinking | undefined} thinking
 * @param {string} effort
 * @param {number} maxTokens of the answer beside what is thought
 * @param {number} mostTokens that the model can write
 */
function thinkingOf(thinking, effort, maxTokens, mostTokens) {
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
 * @param {any} block
 * @param {any} delta
 * @param {number} at which call
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

/**
 * @param {Turn} turn
 * @param {string} model
 */
function messagesOf(turn, model) {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  const text = turn.text ? [{ type: 'text', text: turn.text }] : [];
  const calls = turn.calls.map(({ id, name, arguments: input }) => ({
    type: 'tool_use',
    id,
    name,
    input: parseArguments(input),
  }));
  const results = turn.calls.map(({ id, result }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: result ?? '',
  }));
  return [
    keptFor(turn, 'messages', model) ?? { role: 'assistant', content: [...text, ...calls] },
    ...(results.length > 0 ? [{ role: 'user', content: results }] : []),
  ];
}

/**
 * @param {any} usage
 * @returns {Usage}
 */
function usageOf(usage) {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  return {
    input: (usage.input_tokens ?? 0) + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.output_tokens ?? 0,
  };
}
