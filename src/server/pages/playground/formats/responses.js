/** The client of OpenAI's responses format (OpenAI API reference, "Responses"). */

import { EXAMPLE_TOOLS } from './example-tools.js';
import { renderTurns } from './render-turns.js';

/** @import { Update, WireFormat } from '../dialogue.js' */
/** @import { ItemRenderer } from './render-turns.js' */

const NAME = 'responses';

/** @type {WireFormat} */
export const responses = {
  name: NAME,
  path: () => '/v1/responses',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (turns, { model, thinking, maxTokens, temperature, effort, system, tools }) => ({
    model,
    input: renderTurns(turns, NAME, model, renderer),
    ...(system && { instructions: system }),
    max_output_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(effort && { reasoning: { effort, summary: 'auto' } }),
    ...(tools && { tools: EXAMPLE_TOOLS.map((tool) => ({ type: 'function', ...tool, strict: false })) }),
    // A model that does not reason rejects this field.
    ...(thinking && { include: ['reasoning.encrypted_content'] }),
    store: false,
    stream: true,
  }),
  reader() {
    /** @type {any[]} */
    let output = [];
    /** The index of a call, by the index of its output item. @type {Map<number, number>} */
    const callAt = new Map();
    return {
      read(event) {
        switch (event.type) {
          case 'response.output_text.delta':
          case 'response.refusal.delta':
            return [{ text: event.delta }];
          case 'response.reasoning_summary_text.delta':
          case 'response.reasoning_text.delta':
            return [{ thinking: event.delta }];
          case 'response.output_item.added':
            if (event.item.type !== 'function_call') return [];
            callAt.set(event.output_index, callAt.size);
            return [{ call: { id: event.item.call_id, name: event.item.name } }];
          case 'response.function_call_arguments.delta':
            return [{ arguments: event.delta, at: callAt.get(event.output_index) ?? 0 }];
          case 'error':
            return [{ error: event.message ?? 'The stream failed.' }];
          case 'response.failed':
            return [{ error: event.response.error?.message ?? 'The response failed.' }];
          case 'response.completed':
          case 'response.incomplete':
            output = event.response.output;
            return parseEnd(event.response);
          default:
            return [];
        }
      },
      kept: () => output,
    };
  },
};

/**
 * What the last event of a stream means.
 * @param {any} response
 * @returns {Update[]}
 */
function parseEnd({ status, incomplete_details, usage }) {
  const finish = { finish: incomplete_details?.reason ?? status };
  if (!usage) return [finish];
  return [
    finish,
    {
      usage: {
        input: usage.input_tokens,
        cacheRead: usage.input_tokens_details?.cached_tokens ?? 0,
        cacheWrite: 0,
        output: usage.output_tokens,
      },
    },
  ];
}

/** @type {ItemRenderer} */
const renderer = {
  user: (text) => ({ role: 'user', content: text }),
  assistant: ({ text, calls }) => [
    ...(text ? [{ role: 'assistant', content: text }] : []),
    ...calls.map(({ id, name, arguments: json }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: json || '{}',
    })),
  ],
  results: (calls) =>
    calls.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result ?? '' })),
};
