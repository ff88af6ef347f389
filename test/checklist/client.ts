/** What a client that knows only its format keeps of an answer and sends back as history. */

import type { Json, JsonObject } from '../../src/lib/json.ts';
import { parseJson } from '../../src/lib/json.ts';
import { at, type Caller, type Door, listAt, type Said } from './support.ts';

/** The turn of a whole answer, as messages or items. */
export function turnOf(from: Caller, body: JsonObject): readonly JsonObject[] {
  switch (from) {
    case 'chat-completions': {
      const message = at(body, 'choices.0.message');
      return [objectOf(message)];
    }
    case 'responses':
      return listAt(body, 'output');
    case 'messages':
      return [{ role: 'assistant', content: at(body, 'content') ?? [] }];
  }
}

/** The turn of a stream: pieces of text are joined, and the last value of anything else is kept. */
export function turnOfStream(from: Caller, data: readonly JsonObject[]): readonly JsonObject[] {
  switch (from) {
    case 'chat-completions':
      return [chatTurn(data)];
    case 'responses':
      return listAt(data.at(-1), 'response.output');
    case 'messages':
      return [{ role: 'assistant', content: messageBlocks(data) }];
  }
}

function chatTurn(data: readonly JsonObject[]): JsonObject {
  const message: Record<string, Json> = { role: 'assistant' };
  const calls: Record<string, Json>[] = [];
  for (const chunk of data) {
    const { tool_calls, ...delta } = objectOf(at(chunk, 'choices.0.delta') ?? {});
    merge(message, delta);
    for (const piece of Array.isArray(tool_calls) ? tool_calls.map(objectOf) : []) {
      const { index, function: fn, ...rest } = piece;
      const call = calls[Number(index)] ?? {};
      calls[Number(index)] = merge(call, rest);
      call['function'] = merge(compactOf(objectOf(call['function'] ?? {})), objectOf(fn ?? {}));
    }
  }
  return { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
}

function messageBlocks(data: readonly JsonObject[]): readonly JsonObject[] {
  const blocks: Record<string, Json>[] = [];
  const inputs: string[] = [];
  for (const event of data) {
    const place = Number(event['index']);
    const delta = objectOf(event['delta'] ?? {});
    if (event['type'] === 'content_block_start')
      blocks[place] = { ...compactOf(objectOf(event['content_block'] ?? {})) };
    if (event['type'] !== 'content_block_delta') continue;
    const { type: _, partial_json, citation: __, ...text } = delta;
    if (typeof partial_json === 'string') inputs[place] = (inputs[place] ?? '') + partial_json;
    merge(blocks[place] ?? {}, text);
  }
  return blocks.map((block, place) => ({
    ...block,
    ...(inputs[place] !== undefined && { input: parseJson(inputs[place] || '{}') }),
  }));
}

/** Text is appended to text; anything else is replaced. */
function merge(into: Record<string, Json>, from: JsonObject): Record<string, Json> {
  for (const [key, value] of Object.entries(from)) {
    if (value === undefined) continue;
    const held = into[key];
    const isText = typeof held === 'string' && typeof value === 'string';
    const isSaidAgain = ['role', 'id', 'type', 'name'].includes(key);
    into[key] = isText && !isSaidAgain ? held + value : value;
  }
  return into;
}

function compactOf(object: JsonObject): Record<string, Json> {
  return merge({}, object);
}

function objectOf(value: Json | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no object');
  return Object.fromEntries(Object.entries(value));
}

/** The request after an answer: the results of its calls, or else the next message of the user. */
export function nextRequest(
  from: Caller,
  turn: readonly JsonObject[],
  results: readonly string[],
  said = 'Go on.',
): JsonObject {
  const ids = callIdsOf(from, turn);
  switch (from) {
    case 'chat-completions':
      return {
        messages: [
          { role: 'user', content: 'Hello?' },
          ...turn,
          ...results.map((content, place) => ({ role: 'tool', tool_call_id: ids[place] ?? '', content })),
          ...(results.length === 0 ? [{ role: 'user', content: said }] : []),
        ],
      };
    case 'responses':
      return {
        input: [
          { role: 'user', content: 'Hello?' },
          ...turn,
          ...results.map((output, place) => ({
            type: 'function_call_output',
            call_id: ids[place] ?? '',
            output,
          })),
          ...(results.length === 0 ? [{ role: 'user', content: said }] : []),
        ],
      };
    case 'messages':
      return {
        messages: [
          { role: 'user', content: 'Hello?' },
          ...turn,
          {
            role: 'user',
            content:
              results.length === 0
                ? said
                : results.map((content, place) => ({
                    type: 'tool_result',
                    tool_use_id: ids[place] ?? '',
                    content,
                  })),
          },
        ],
      };
  }
}

function callIdsOf(from: Caller, turn: readonly JsonObject[]): readonly string[] {
  const ids = (list: readonly JsonObject[], key: string): string[] =>
    list.flatMap((item) => (typeof item[key] === 'string' ? [item[key]] : []));
  const [message] = turn;
  switch (from) {
    case 'chat-completions':
      return message?.['tool_calls'] === undefined ? [] : ids(listAt(message, 'tool_calls'), 'id');
    case 'responses':
      return ids(turn, 'call_id');
    case 'messages':
      return ids(listAt(message, 'content'), 'id');
  }
}

/**
 * Sends a request, and then a second one with what a client of the format keeps of the answer.
 * @returns what the vendor is sent the second time
 */
export async function goOn(
  door: Door,
  from: Caller,
  model: string,
  said: Said,
  mode: 'whole' | 'stream',
  results: readonly string[],
  more: JsonObject = {},
): Promise<JsonObject> {
  door.answers(said);
  const turn =
    mode === 'whole'
      ? turnOf(from, (await door.whole(from, model, more)).json)
      : turnOfStream(from, (await door.stream(from, model, more)).data);
  await door.whole(from, model, { ...more, ...nextRequest(from, turn, results) }).catch(() => undefined);
  return door.sent();
}
