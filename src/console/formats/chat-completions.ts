/** The client of OpenAI's chat-completions format (OpenAI API reference, "Chat"). */

import type { Attachment, Reader, Update, Usage, WireFormat } from './dialogue.ts';
import { at, isObject, listAt, numberAt, textAt } from './json.ts';
import {
  fromDataUrl,
  type ItemRenderer,
  isImage,
  readText,
  renderTurns,
  toDataUrl,
  userMessage,
} from './render-turns.ts';

const NAME = 'chat-completions';

export const chatCompletions: WireFormat = {
  name: NAME,
  path: () => '/v1/chat/completions',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (turns, { model, maxTokens, temperature, effort, system, tools, schema }) => ({
    model,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...renderTurns(turns, NAME, model, renderer),
    ],
    max_completion_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(effort && { reasoning_effort: effort }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
    stream: true,
    stream_options: { include_usage: true },
  }),
  reader,
};

interface Piece {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; arguments: string };
}

function reader(): Reader {
  const message: Record<string, unknown> = { role: 'assistant' };
  let content = '';
  const calls = new Map<number, Piece>();
  const order: number[] = [];
  return {
    read(event) {
      const updates: Update[] = [];
      const error = at(event, 'error');
      if (error) updates.push({ error: textAt(error, 'message') || JSON.stringify(error) });
      const delta = at(event, 'choices', 0, 'delta');
      const thought = textAt(delta, 'reasoning_content');
      if (thought) updates.push({ thinking: thought });
      if (at(delta, 'thinking_blocks')) message['thinking_blocks'] = at(delta, 'thinking_blocks');
      const text = textAt(delta, 'content');
      if (text) {
        content += text;
        updates.push({ text });
      }
      const refusal = textAt(delta, 'refusal');
      if (refusal) updates.push({ text: refusal });
      for (const image of listAt(delta, 'images')) {
        const found = fromDataUrl(textAt(image, 'image_url', 'url'));
        if (found) updates.push({ image: found });
      }
      for (const annotation of listAt(delta, 'annotations')) {
        const cited = at(annotation, 'url_citation');
        if (cited) updates.push({ citation: { url: textAt(cited, 'url'), title: textAt(cited, 'title') } });
      }
      for (const piece of listAt(delta, 'tool_calls')) {
        const index = numberAt(piece, 'index');
        let call = calls.get(index);
        if (!call) {
          const { index: _, ...rest } = isObject(piece) ? piece : {};
          const name = textAt(piece, 'function', 'name');
          const id = textAt(piece, 'id');
          call = { ...rest, id, type: 'function', function: { name, arguments: '' } };
          calls.set(index, call);
          order.push(index);
          updates.push({ call: { id, name } });
        }
        const json = textAt(piece, 'function', 'arguments');
        call.function.arguments += json;
        if (json) updates.push({ arguments: json, at: order.indexOf(index) });
      }
      const finish = textAt(event, 'choices', 0, 'finish_reason');
      if (finish) updates.push({ finish });
      const usage = at(event, 'usage');
      if (usage) updates.push({ usage: parseUsage(usage) });
      return updates;
    },
    kept: () => [{ ...message, content, ...(calls.size > 0 && { tool_calls: [...calls.values()] }) }],
  };
}

const renderer: ItemRenderer = {
  user: userMessage('text', renderAttachment),
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

function renderAttachment(file: Attachment): unknown {
  if (isImage(file)) return { type: 'image_url', image_url: { url: toDataUrl(file) } };
  const text = readText(file);
  if (text !== undefined) return { type: 'text', text };
  return { type: 'file', file: { filename: file.name, file_data: toDataUrl(file) } };
}

function parseUsage(usage: unknown): Usage {
  return {
    input: numberAt(usage, 'prompt_tokens'),
    cacheRead: numberAt(usage, 'prompt_tokens_details', 'cached_tokens'),
    cacheWrite: numberAt(usage, 'prompt_tokens_details', 'cache_write_tokens'),
    output: numberAt(usage, 'completion_tokens'),
  };
}
