/**
 * Reads answers of the four formats without the product's parsers, as a plain client of the format does: what it shows
 * its user, and what it is to run. Only so can a test see that a parser overlooks something.
 */

import type { FormatName } from '../../src/conversation/prompt.ts';
import {
  asObject,
  asObjects,
  asText,
  isEmpty,
  type Json,
  type JsonObject,
  parseJson,
  tryParseJson,
} from '../../src/lib/json.ts';

/** What an answer says. White space is left out: formats part paragraphs differently. */
export interface Said {
  /** All visible text, refusals too. */
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly input: Json }[];
}

/** Reads a whole answer. */
export function readWhole(format: FormatName, answer: Json): Said {
  return WHOLE[format](asObject(answer) ?? {});
}

/** Reads the bytes of a stream. */
export function readStream(format: FormatName, text: string): Said {
  return STREAMED[format](dataOf(text));
}

/** The JSON of all events: a line each, after `data:`. */
function dataOf(text: string): readonly JsonObject[] {
  const datas = text.split(/\r?\n\r?\n|\r\r/).map((block) =>
    block
      .split(/\r?\n|\r/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
      .join('\n')
      .trim(),
  );
  return datas
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => asObject(parseJson(data)) ?? {});
}

interface Call {
  name: string;
  input: string;
}

class Reading {
  text = '';
  thinking = '';
  /** The thinking once more, in details with signatures. */
  details = '';
  readonly calls: Call[] = [];
  readonly #open = new Map<Json, Call>();

  /** Begins a call. @param key by which its pieces are known */
  begin(key: Json, name: Json | undefined): void {
    const call = { name: asText(name) ?? '', input: '' };
    this.calls.push(call);
    this.#open.set(key, call);
  }

  add(key: Json, input: Json | undefined): void {
    const call = this.#open.get(key);
    if (call)
      call.input +=
        typeof input === 'object' && input !== null ? JSON.stringify(input) : (asText(input) ?? '');
  }

  /** The whole input of a call, if no piece of it has come. */
  fill(key: Json, input: Json | undefined): void {
    if (this.#open.get(key)?.input === '') this.add(key, input);
  }

  said(): Said {
    const calls = this.calls
      .filter(({ name }) => name !== '')
      .map(({ name, input }) => ({ name, input: inputOf(input) }));
    return { text: packed(this.text), thinking: packed(this.thinking || this.details), calls };
  }
}

/** Arguments as their value. Where calls are JSON, free text and arguments that were cut off stand in a field. */
function inputOf(text: string): Json {
  if (text.trim() === '') return {};
  const value = tryParseJson(text) ?? text;
  const { input, arguments: cut = input, ...others } = asObject(value) ?? {};
  return typeof cut === 'string' && isEmpty(others) ? (tryParseJson(cut) ?? cut) : value;
}

const packed = (text: string): string => text.replaceAll(/\s+/g, '');

const join = (value: Json | undefined, field: string): string =>
  asObjects(value)
    .map((item) => asText(item[field]) ?? '')
    .join('');

/** The text of a content that is one text or a list of parts. */
function addContent(reading: Reading, content: Json | undefined): void {
  reading.text += asText(content) ?? '';
  for (const part of asObjects(content)) {
    if (part['type'] === 'thinking')
      reading.thinking += asText(part['thinking']) ?? join(part['thinking'], 'text');
    else reading.text += asText(part['text']) ?? asText(part['refusal']) ?? '';
  }
}

/** A message of chat-completions, or a piece of one. */
function addMessage(reading: Reading, message: JsonObject): void {
  // What is spoken stands in place of a text.
  addContent(reading, message['content'] || asObject(message['audio'])?.['transcript']);
  reading.text += asText(message['refusal']) ?? '';
  const { reasoning_content, reasoning, reasoning_details, function_call } = message;
  reading.thinking += asText(reasoning_content) || asText(reasoning) || '';
  reading.details += join(reasoning_details, 'text') || join(reasoning_details, 'summary');
  for (const [at, call] of asObjects(message['tool_calls']).entries()) {
    const { index = at } = call;
    addCall(reading, index, asObject(call['function']) ?? asObject(call['custom']) ?? {});
  }
  addCall(reading, 'function_call', asObject(function_call) ?? {});
}

function addCall(reading: Reading, key: Json, told: JsonObject): void {
  if (asText(told['name'])) reading.begin(key, told['name']);
  reading.add(key, told['arguments'] ?? told['input']);
}

function readChat(answer: JsonObject): Said {
  const reading = new Reading();
  addMessage(reading, asObject(asObjects(answer['choices'])[0]?.['message']) ?? {});
  return reading.said();
}

function readChunks(chunks: readonly JsonObject[]): Said {
  const reading = new Reading();
  for (const chunk of chunks) {
    for (const choice of asObjects(chunk['choices'])) {
      if ((choice['index'] ?? 0) === 0) addMessage(reading, asObject(choice['delta']) ?? {});
    }
  }
  return reading.said();
}

const CALLS: ReadonlySet<Json | undefined> = new Set(['function_call', 'custom_tool_call']);

function readResponse(response: JsonObject): Said {
  const reading = new Reading();
  for (const [at, item] of asObjects(response['output']).entries()) {
    if (item['type'] === 'message') addContent(reading, item['content']);
    if (item['type'] === 'reasoning')
      reading.thinking += join(item['summary'], 'text') + join(item['content'], 'text');
    if (CALLS.has(item['type'])) addCall(reading, at, item);
  }
  return reading.said();
}

/** The pieces, and not the response at the end. A recording may go on with further answers. */
function readResponseEvents(events: readonly JsonObject[]): Said {
  const reading = new Reading();
  for (const { type, delta, output_index = 0, item } of events) {
    const told = asObject(item) ?? {};
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        return reading.said();
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        reading.text += asText(delta) ?? '';
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        reading.thinking += asText(delta) ?? '';
        break;
      case 'response.output_item.added':
        if (CALLS.has(told['type'])) reading.begin(output_index, told['name']);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        reading.add(output_index, delta);
        break;
      case 'response.output_item.done':
        // Some services send no deltas.
        if (CALLS.has(told['type'])) reading.fill(output_index, told['arguments'] ?? told['input']);
    }
  }
  return reading.said();
}

function addBlock(reading: Reading, at: Json, block: JsonObject): void {
  reading.text += asText(block['text']) ?? '';
  reading.thinking += asText(block['thinking']) ?? '';
  if (block['type'] === 'tool_use') addCall(reading, at, block);
}

function readMessage(message: JsonObject): Said {
  const reading = new Reading();
  for (const [at, block] of asObjects(message['content']).entries()) addBlock(reading, at, block);
  return reading.said();
}

function readMessageEvents(events: readonly JsonObject[]): Said {
  const reading = new Reading();
  for (const { type, index = 0, content_block, delta } of events) {
    // A recording may go on with further answers.
    if (type === 'message_stop') break;
    const { type: kind, name, input, text, thinking, partial_json } = asObject(delta ?? content_block) ?? {};
    if (type === 'content_block_start' && kind === 'tool_use') {
      reading.begin(index, name);
      // Of a call from code: it comes whole.
      if (!isEmpty(asObject(input) ?? {})) reading.add(index, input);
    }
    reading.text += asText(text) ?? '';
    reading.thinking += asText(thinking) ?? '';
    if (kind === 'input_json_delta') reading.add(index, partial_json);
  }
  return reading.said();
}

function readCandidates(answers: readonly JsonObject[]): Said {
  const reading = new Reading();
  for (const answer of answers) {
    const [first] = asObjects(answer['candidates']).filter(({ index = 0 }) => index === 0);
    for (const part of asObjects(asObject(first?.['content'])?.['parts'])) {
      if (part['thought'] === true) reading.thinking += asText(part['text']) ?? '';
      else reading.text += asText(part['text']) ?? '';
      const { name, args } = asObject(part['functionCall']) ?? {};
      if (name !== undefined) addCall(reading, reading.calls.length, { name, input: args ?? {} });
    }
  }
  return reading.said();
}

const WHOLE: Readonly<Record<FormatName, (answer: JsonObject) => Said>> = {
  'chat-completions': readChat,
  responses: readResponse,
  messages: readMessage,
  'generate-content': (answer) => readCandidates([answer]),
};

const STREAMED: Readonly<Record<FormatName, (events: readonly JsonObject[]) => Said>> = {
  'chat-completions': readChunks,
  responses: readResponseEvents,
  messages: readMessageEvents,
  'generate-content': readCandidates,
};
