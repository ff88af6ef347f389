/** The client of OpenAI's responses format (OpenAI API reference, "Responses"). */

import type { Attachment, Reader, Update, WireFormat } from './dialogue.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { type ItemRenderer, isImage, readText, renderTurns, toDataUrl, userMessage } from './render-turns.ts';

const NAME = 'responses';

export const responses: WireFormat = {
  name: NAME,
  path: () => '/v1/responses',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (turns, { model, thinking, maxTokens, temperature, effort, system, tools, schema }) => ({
    model,
    input: renderTurns(turns, NAME, model, renderer),
    ...(system && { instructions: system }),
    max_output_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(effort && { reasoning: { effort, summary: 'auto' } }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } }),
    // A model that does not reason rejects this field.
    ...(thinking && { include: ['reasoning.encrypted_content'] }),
    store: false,
    stream: true,
  }),
  reader,
};

function reader(): Reader {
  let output: readonly unknown[] = [];
  /** The index of a call, by the index of its output item. */
  const callAt = new Map<number, number>();
  return {
    read(event) {
      switch (textAt(event, 'type')) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          return [{ text: textAt(event, 'delta') }];
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          return [{ thinking: textAt(event, 'delta') }];
        case 'response.output_text.annotation.added': {
          const url = textAt(event, 'annotation', 'url');
          return url ? [{ citation: { url, title: textAt(event, 'annotation', 'title') } }] : [];
        }
        case 'response.output_item.added': {
          if (textAt(event, 'item', 'type') !== 'function_call') return [];
          callAt.set(numberAt(event, 'output_index'), callAt.size);
          return [{ call: { id: textAt(event, 'item', 'call_id'), name: textAt(event, 'item', 'name') } }];
        }
        case 'response.output_item.done': {
          const data = textAt(event, 'item', 'result');
          return textAt(event, 'item', 'type') === 'image_generation_call' && data
            ? [{ image: { type: 'image/png', data } }]
            : [];
        }
        case 'response.function_call_arguments.delta': {
          const index = callAt.get(numberAt(event, 'output_index')) ?? 0;
          return [{ arguments: textAt(event, 'delta'), at: index }];
        }
        case 'error':
          return [{ error: textAt(event, 'message') || 'The stream failed.' }];
        case 'response.failed':
          return [{ error: textAt(event, 'response', 'error', 'message') || 'The response failed.' }];
        case 'response.completed':
        case 'response.incomplete':
        case 'response.done':
          output = listAt(event, 'response', 'output');
          return parseEnd(at(event, 'response'));
        default:
          return [];
      }
    },
    kept: () => output,
  };
}

/** What the last event of a stream means. */
function parseEnd(response: unknown): readonly Update[] {
  const finish = textAt(response, 'incomplete_details', 'reason') || textAt(response, 'status');
  const usage = at(response, 'usage');
  if (!usage) return [{ finish }];
  return [
    { finish },
    {
      usage: {
        input: numberAt(usage, 'input_tokens'),
        cacheRead: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
        cacheWrite: 0,
        output: numberAt(usage, 'output_tokens'),
      },
    },
  ];
}

const renderer: ItemRenderer = {
  user: userMessage('input_text', renderAttachment),
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

function renderAttachment(file: Attachment): unknown {
  if (isImage(file)) return { type: 'input_image', image_url: toDataUrl(file), detail: 'auto' };
  const text = readText(file);
  if (text !== undefined) return { type: 'input_text', text };
  return { type: 'input_file', filename: file.name, file_data: toDataUrl(file) };
}
