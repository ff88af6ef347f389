/**
 * Four callers, one for each format, that keep the history of a dialogue as the vendors' SDKs do: an answer goes back exactly
 * as it came, a streamed one as its SDK puts it together. Nothing here is shared with the product's own parsers.
 */

import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { asList, asObject, asObjects, asText, isList, isObject, parseJson } from '../../src/lib/json.ts';

/** A call of a tool, as the caller reads it. */
export interface ClientCall {
  readonly id: string;
  readonly name: string;
}

/** What came back for one request. */
export interface ClientAnswer {
  readonly calls: readonly ClientCall[];
  readonly text: string;
}

export interface DialogueClient {
  readonly path: (model: string, stream: boolean) => string;
  /** The request with all of the history. */
  readonly request: (model: string, stream: boolean) => JsonObject;
  /** Adds what the user says. */
  readonly say: (text: string) => void;
  /** Adds the results of calls, and what the user says together with them. */
  readonly give: (calls: readonly ClientCall[], reminder: string | undefined) => void;
  /** Takes the body of an answer into the history. @throws Error if the answer is an error, or none. */
  readonly take: (body: string, stream: boolean) => ClientAnswer;
}

const TOOLS = ['get_weather', 'get_time'] as const;
const DESCRIPTION = 'Looks it up for a city.';
const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const SYSTEM = 'You help travellers.';
const RESULT = '{"found":"21 degrees, half past nine"}';

function objectOf(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Error(`no object: ${text.slice(0, 200)}`);
  return value;
}

/** The data of each event of a stream. An event that is an error ends the dialogue. */
function eventsOf(body: string): readonly JsonObject[] {
  const events = body
    .split(/\r?\n\r?\n/)
    .flatMap((frame) => frame.split(/\r?\n/).filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length))
    .filter((data) => data !== '[DONE]')
    .map(objectOf);
  const failed = events.find((event) => isObject(event['error']) || event['type'] === 'response.failed');
  if (failed !== undefined) throw new Error(`an error in the stream: ${JSON.stringify(failed)}`);
  if (events.length === 0) throw new Error(`no stream: ${body.slice(0, 200)}`);
  return events;
}

/** Adds a delta as the Python SDK of OpenAI does (`accumulate_delta`): texts are joined, lists merged by their index. */
function accumulated(sum: Json | undefined, delta: Json | undefined): Json {
  if (sum === undefined || sum === null) return delta ?? null;
  if (delta === undefined || delta === null) return sum;
  if (typeof sum === 'string' && typeof delta === 'string') return sum + delta;
  if (isObject(sum) && isObject(delta)) {
    const joined: Record<string, Json | undefined> = { ...sum };
    for (const [key, value] of Object.entries(delta)) {
      joined[key] = key === 'index' || key === 'type' ? value : accumulated(joined[key], value);
    }
    return joined;
  }
  if (isList(sum) && isList(delta)) {
    const merged: Json[] = [...sum];
    for (const item of delta) {
      const index = isObject(item) ? item['index'] : undefined;
      const at = merged.findIndex((one) => isObject(one) && index !== undefined && one['index'] === index);
      if (at < 0) merged.push(item);
      else merged[at] = accumulated(merged[at], item);
    }
    return merged;
  }
  return delta;
}

function openChatClient(): DialogueClient {
  const messages: JsonObject[] = [{ role: 'system', content: SYSTEM }];
  return {
    path: () => '/v1/chat/completions',
    request: (model, stream) => ({
      model,
      messages,
      tools: TOOLS.map((name) => ({
        type: 'function',
        function: { name, description: DESCRIPTION, parameters: PARAMETERS },
      })),
      reasoning_effort: 'high',
      ...(stream && { stream }),
    }),
    say: (content) => void messages.push({ role: 'user', content }),
    give(calls, reminder) {
      messages.push(...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: RESULT })));
      if (reminder !== undefined) messages.push({ role: 'user', content: reminder });
    },
    take(body, stream) {
      const message = stream
        ? streamedMessage(body)
        : asObject(asObjects(objectOf(body)['choices'])[0]?.['message']);
      if (message === undefined) throw new Error(`no message: ${body.slice(0, 200)}`);
      messages.push(message);
      return {
        text: asText(message['content']) ?? '',
        calls: asObjects(message['tool_calls']).map((call) => ({
          id: asText(call['id']) ?? '',
          name: asText(asObject(call['function'])?.['name']) ?? '',
        })),
      };
    },
  };
}

function streamedMessage(body: string): JsonObject | undefined {
  const message = eventsOf(body)
    .map((chunk) => asObject(asObjects(chunk['choices'])[0]?.['delta']) ?? null)
    .reduce<Json>(accumulated, null);
  const found = isObject(message) ? message : undefined;
  if (found === undefined) return undefined;
  const calls = asObjects(found['tool_calls']).map(({ index: _, ...call }) => call);
  return { ...found, role: 'assistant', ...(calls.length > 0 && { tool_calls: calls }) };
}

function openResponsesClient(): DialogueClient {
  const input: JsonObject[] = [];
  return {
    path: () => '/v1/responses',
    request: (model, stream) => ({
      model,
      instructions: SYSTEM,
      input,
      tools: TOOLS.map((name) => ({
        type: 'function',
        name,
        description: DESCRIPTION,
        parameters: PARAMETERS,
        strict: true,
      })),
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      ...(stream && { stream }),
    }),
    say: (content) => void input.push({ role: 'user', content }),
    give(calls, reminder) {
      input.push(...calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: RESULT })));
      if (reminder !== undefined) input.push({ role: 'user', content: reminder });
    },
    take(body, stream) {
      const last = stream ? asObject(eventsOf(body).at(-1)?.['response']) : objectOf(body);
      const output = asObjects(last?.['output']);
      input.push(...output);
      return {
        text: output
          .flatMap(({ content }) => asObjects(content).map(({ text }) => asText(text) ?? ''))
          .join(''),
        calls: output
          .filter(({ type }) => type === 'function_call')
          .map((call) => ({ id: asText(call['call_id']) ?? '', name: asText(call['name']) ?? '' })),
      };
    },
  };
}

function openMessagesClient(): DialogueClient {
  const messages: JsonObject[] = [];
  return {
    path: () => '/v1/messages',
    request: (model, stream) => ({
      model,
      max_tokens: 8000,
      system: SYSTEM,
      messages,
      tools: TOOLS.map((name) => ({ name, description: DESCRIPTION, input_schema: PARAMETERS })),
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(stream && { stream }),
    }),
    say: (content) => void messages.push({ role: 'user', content }),
    give(calls, reminder) {
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT }));
      const more = reminder === undefined ? [] : [{ type: 'text', text: reminder }];
      messages.push({ role: 'user', content: [...results, ...more] });
    },
    take(body, stream) {
      const content = stream ? streamedBlocks(body) : asObjects(objectOf(body)['content']);
      messages.push({ role: 'assistant', content });
      return {
        text: content.map(({ text }) => asText(text) ?? '').join(''),
        calls: content
          .filter(({ type }) => type === 'tool_use')
          .map((block) => ({ id: asText(block['id']) ?? '', name: asText(block['name']) ?? '' })),
      };
    },
  };
}

/** The blocks of a streamed message, as `MessageStream` of Anthropic's SDK puts them together. */
function streamedBlocks(body: string): readonly JsonObject[] {
  const blocks: Record<string, Json | undefined>[] = [];
  const inputs: string[] = [];
  for (const event of eventsOf(body)) {
    const index = Number(event['index']);
    if (event['type'] === 'content_block_start') blocks[index] = { ...asObject(event['content_block']) };
    const block = blocks[index];
    const delta = asObject(event['delta']);
    if (event['type'] !== 'content_block_delta' || block === undefined || delta === undefined) continue;
    if (delta['type'] === 'input_json_delta') {
      inputs[index] = (inputs[index] ?? '') + (asText(delta['partial_json']) ?? '');
    } else if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
    else if (delta['type'] === 'citations_delta') {
      block['citations'] = [...asList(block['citations']), delta['citation'] ?? null];
    } else {
      const field = delta['type'] === 'thinking_delta' ? 'thinking' : 'text';
      block[field] = `${asText(block[field]) ?? ''}${asText(delta[field]) ?? ''}`;
    }
  }
  return blocks.map((block, index) => {
    const text = inputs[index] ?? '';
    return block['type'] === 'tool_use' ? { ...block, input: text === '' ? {} : parseJson(text) } : block;
  });
}

function openGeminiClient(): DialogueClient {
  const contents: JsonObject[] = [];
  return {
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    request: () => ({
      contents,
      systemInstruction: { parts: [{ text: SYSTEM }] },
      tools: [
        {
          functionDeclarations: TOOLS.map((name) => ({
            name,
            description: DESCRIPTION,
            parametersJsonSchema: PARAMETERS,
          })),
        },
      ],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    }),
    say: (text) => void contents.push({ role: 'user', parts: [{ text }] }),
    give(calls, reminder) {
      const parts = calls.map(({ id, name }) => ({
        functionResponse: { ...(id !== '' && { id }), name, response: { output: RESULT } },
      }));
      contents.push({ role: 'user', parts });
      if (reminder !== undefined) contents.push({ role: 'user', parts: [{ text: reminder }] });
    },
    take(body, stream) {
      // `Chat` of Google's SDK keeps the content of every chunk that has one, as a content of its own.
      const chunks = stream ? eventsOf(body) : [objectOf(body)];
      const said = chunks
        .map((chunk) => asObject(asObjects(chunk['candidates'])[0]?.['content']) ?? {})
        .filter((content) => {
          const parts = asObjects(content['parts']);
          return parts.length > 0 && parts.every((part) => Object.keys(part).length > 0);
        });
      contents.push(...said);
      const parts = said.flatMap((content) => asObjects(content['parts']));
      return {
        text: parts.map(({ text, thought }) => (thought === true ? '' : (asText(text) ?? ''))).join(''),
        calls: parts.flatMap((part) => {
          const call = asObject(part['functionCall']);
          return call === undefined
            ? []
            : [{ id: asText(call['id']) ?? '', name: asText(call['name']) ?? '' }];
        }),
      };
    },
  };
}

/** Opens a caller of a format with an empty history. */
export function openClient(format: FormatName): DialogueClient {
  switch (format) {
    case 'chat-completions':
      return openChatClient();
    case 'responses':
      return openResponsesClient();
    case 'messages':
      return openMessagesClient();
    case 'generate-content':
      return openGeminiClient();
  }
}
