/** The client of Anthropic's Messages format (Anthropic API reference, "Messages"). */

import type { Attachment, Reader, Thinking, Update, Usage, WireFormat } from './dialogue.ts';
import { at, isObject, numberAt, parseObject, textAt } from './json.ts';
import { type ItemRenderer, isImage, readText, renderTurns, userMessage } from './render-turns.ts';
import { chooseBudget } from './thinking.ts';

const NAME = 'messages';

export const messages: WireFormat = {
  name: NAME,
  path: () => '/v1/messages',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: (turns, settings) => {
    const { model, thinking, maxTokens, mostTokens, temperature, effort, system, tools, schema } = settings;
    const thought = effort ? renderThinking(thinking, effort, maxTokens, mostTokens) : {};
    const output = {
      ...(thought.effort !== undefined && { effort: thought.effort }),
      ...(schema && { format: { type: 'json_schema', schema } }),
    };
    return {
      model,
      max_tokens: thought.maxTokens ?? maxTokens,
      ...(system && { system }),
      messages: renderTurns(turns, NAME, model, renderer),
      ...(temperature !== undefined && { temperature }),
      ...(thought.thinking && { thinking: thought.thinking }),
      ...(Object.keys(output).length > 0 && { output_config: output }),
      ...(tools.length > 0 && {
        tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
      }),
      stream: true,
    };
  },
  reader,
};

function reader(): Reader {
  const blocks: Record<string, unknown>[] = [];
  let calls = 0;
  let usage: Readonly<Record<string, unknown>> = {};
  return {
    read(event) {
      const index = numberAt(event, 'index');
      const block = blocks[index] ?? {};
      switch (textAt(event, 'type')) {
        case 'message_start': {
          usage = copied(at(event, 'message', 'usage'));
          return [];
        }
        case 'content_block_start': {
          const begun = at(event, 'content_block');
          const next = copied(begun);
          blocks[index] = next;
          if (next['type'] !== 'tool_use') return [];
          next['input'] = '';
          calls += 1;
          return [{ call: { id: textAt(begun, 'id'), name: textAt(begun, 'name') } }];
        }
        case 'content_block_delta':
          return readDelta(block, at(event, 'delta'), calls - 1);
        case 'content_block_stop':
          if (block['type'] === 'tool_use') block['input'] = parseObject(textAt(block, 'input'));
          return [];
        case 'message_delta': {
          usage = { ...usage, ...copied(at(event, 'usage')) };
          return [{ finish: textAt(event, 'delta', 'stop_reason') }, { usage: parseUsage(usage) }];
        }
        case 'error':
          return [{ error: textAt(event, 'error', 'message') || 'The stream failed.' }];
        default:
          return [];
      }
    },
    kept: () => [{ role: 'assistant', content: blocks }],
  };
}

/** A copy of an object; an empty one for anything else. */
function copied(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : {};
}

interface RenderedThinking {
  readonly thinking?: object;
  readonly effort?: string;
  readonly maxTokens?: number;
}

/**
 * Some Claude models take a token budget, which counts towards `max_tokens`. The newer ones take only `adaptive` and an
 * effort level (Anthropic documentation, "Adaptive thinking").
 * @param maxTokens the limit of the answer besides its reasoning
 * @param mostTokens the most that the model can write
 */
function renderThinking(
  thinking: Thinking | undefined,
  effort: string,
  maxTokens: number,
  mostTokens: number,
): RenderedThinking {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  const budget = chooseBudget(thinking, effort, mostTokens - 1);
  if (budget === undefined) return { thinking: { type: 'adaptive', display: 'summarized' }, effort };
  return {
    maxTokens: Math.min(mostTokens, maxTokens + budget),
    thinking: { type: 'enabled', budget_tokens: budget },
  };
}

/**
 * Adds a delta to its block.
 * @param latest the index of the latest call
 */
function readDelta(block: Record<string, unknown>, delta: unknown, latest: number): readonly Update[] {
  const add = (name: string, text: string): void => {
    block[name] = textAt(block, name) + text;
  };
  switch (textAt(delta, 'type')) {
    case 'text_delta': {
      const text = textAt(delta, 'text');
      add('text', text);
      return [{ text }];
    }
    case 'thinking_delta': {
      const thinking = textAt(delta, 'thinking');
      add('thinking', thinking);
      return [{ thinking }];
    }
    case 'signature_delta':
      block['signature'] = textAt(delta, 'signature');
      return [];
    case 'citations_delta': {
      const citation = at(delta, 'citation');
      block['citations'] = [...(Array.isArray(block['citations']) ? block['citations'] : []), citation];
      const url = textAt(citation, 'url');
      const title = textAt(citation, 'title') || textAt(citation, 'document_title');
      return url || title ? [{ citation: { url, title } }] : [];
    }
    case 'input_json_delta': {
      const json = textAt(delta, 'partial_json');
      add('input', json);
      // A search that the vendor runs itself has an input too, but is no call that the user answers.
      return block['type'] === 'tool_use' ? [{ arguments: json, at: latest }] : [];
    }
    default:
      return [];
  }
}

const renderer: ItemRenderer = {
  user: userMessage('text', renderAttachment),
  assistant: ({ text, calls }) => [
    {
      role: 'assistant',
      content: [
        ...(text ? [{ type: 'text', text }] : []),
        ...calls.map(({ id, name, arguments: json }) => ({
          type: 'tool_use',
          id,
          name,
          input: parseObject(json),
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

function renderAttachment(file: Attachment): unknown {
  const source = { type: 'base64', media_type: file.type, data: file.data };
  if (isImage(file)) return { type: 'image', source };
  const text = readText(file);
  if (text !== undefined) return { type: 'text', text };
  return { type: 'document', source, title: file.name };
}

/** Anthropic counts cached input tokens apart from `input_tokens`. */
function parseUsage(usage: unknown): Usage {
  const cacheRead = numberAt(usage, 'cache_read_input_tokens');
  const cacheWrite = numberAt(usage, 'cache_creation_input_tokens');
  return {
    input: numberAt(usage, 'input_tokens') + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output: numberAt(usage, 'output_tokens'),
  };
}
