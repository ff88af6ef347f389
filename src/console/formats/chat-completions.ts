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
  const calls = new CallPieces();
  return {
    read(event) {
      const error = at(event, 'error');
      const delta = at(event, 'choices', 0, 'delta');
      const thought = textAt(delta, 'reasoning_content');
      if (at(delta, 'thinking_blocks')) message['thinking_blocks'] = at(delta, 'thinking_blocks');
      const text = textAt(delta, 'content');
      content += text;
      const refusal = textAt(delta, 'refusal');
      const finish = textAt(event, 'choices', 0, 'finish_reason');
      const usage = at(event, 'usage');
      return [
        ...(error ? [{ error: textAt(error, 'message') || JSON.stringify(error) }] : []),
        ...(thought ? [{ thinking: thought }] : []),
        ...(text ? [{ text }] : []),
        ...(refusal ? [{ text: refusal }] : []),
        ...listAt(delta, 'images').flatMap(readImage),
        ...listAt(delta, 'annotations').flatMap(readCitation),
        ...listAt(delta, 'tool_calls').flatMap((piece) => calls.add(piece)),
        ...(finish ? [{ finish }] : []),
        ...(usage ? [{ usage: parseUsage(usage) }] : []),
      ];
    },
    kept: () => [{ ...message, content, ...calls.kept() }],
  };
}

function readImage(image: unknown): readonly Update[] {
  const found = fromDataUrl(textAt(image, 'image_url', 'url'));
  return found ? [{ image: found }] : [];
}

function readCitation(annotation: unknown): readonly Update[] {
  const cited = at(annotation, 'url_citation');
  return cited ? [{ citation: { url: textAt(cited, 'url'), title: textAt(cited, 'title') } }] : [];
}

/** Joins the pieces of calls, which name their call by its index. */
class CallPieces {
  /** The place among all calls, and the call, by its index. */
  readonly #calls = new Map<number, { readonly place: number; readonly call: Piece }>();

  add(piece: unknown): readonly Update[] {
    const index = numberAt(piece, 'index');
    const known = this.#calls.get(index);
    const { place, call } = known ?? { place: this.#calls.size, call: beginCall(piece) };
    if (known === undefined) this.#calls.set(index, { place, call });
    const json = textAt(piece, 'function', 'arguments');
    call.function.arguments += json;
    return [
      ...(known === undefined ? [{ call: { id: call.id, name: call.function.name } }] : []),
      ...(json ? [{ arguments: json, at: place }] : []),
    ];
  }

  /** The calls as a message has them. */
  kept(): { readonly tool_calls?: readonly Piece[] } {
    if (this.#calls.size === 0) return {};
    return { tool_calls: [...this.#calls.values()].map(({ call }) => call) };
  }
}

function beginCall(piece: unknown): Piece {
  const { index: _, ...rest } = isObject(piece) ? piece : {};
  const name = textAt(piece, 'function', 'name');
  return { ...rest, id: textAt(piece, 'id'), type: 'function', function: { name, arguments: '' } };
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
