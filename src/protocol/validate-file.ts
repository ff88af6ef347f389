/** Validates a recorded answer by its text alone. */

import type { FormatName } from '../conversation/prompt.ts';
import { isList, isObject, type Json, type JsonObject, tryParseJson } from '../lib/json.ts';
import { wordSet } from '../lib/words.ts';
import { decodeSse, type Sse } from '../streams/sse.ts';
import { run } from '../streams/step.ts';
import { show } from './shape.ts';
import { RULEBOOKS, validator } from './validate.ts';
import type { Result, ValidateOptions } from './validator.ts';

/**
 * How a file holds an answer: as server-sent events, as a JSON list of chunks (Gemini without `alt=sse`), or as a
 * whole answer.
 */
export type FileShape = 'sse' | 'json-array' | 'json-object';

/** The result for a file. */
export interface FileResult extends Result {
  readonly shape: FileShape;
  /** Absent if neither the caller nor the file tells it. Then the only violation is `unrecognised`. */
  readonly format?: FormatName;
}

/**
 * Validates the text of an answer. Never throws.
 * @param format absent: it is detected from the events.
 */
export function validateFile(text: string, format?: FormatName, options?: ValidateOptions): FileResult {
  // A byte order mark is not part of the text (WHATWG HTML, 9.2.5).
  const { shape, events, body } = read(text.replace(/^\uFEFF/, ''));
  const known = format ?? detect(body ? [body] : dataOf(events));
  if (known === undefined) {
    const violation = { rule: 'unrecognised', index: 0, detail: show(text) };
    return { shape, violations: [violation], failed: false };
  }
  if (body) return { shape, format: known, ...RULEBOOKS[known].whole(body, options) };
  const checker = validator(known, options);
  for (const event of events) checker.add(event);
  const violations = checker.end();
  return { shape, format: known, violations, failed: checker.failed() };
}

interface Contents {
  readonly shape: FileShape;
  readonly events: readonly Sse[];
  readonly body?: JsonObject;
}

function read(text: string): Contents {
  const value = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  if (isObject(value)) return { shape: 'json-object', events: [], body: value };
  if (isList(value)) {
    const events = value.map((chunk) => ({ data: JSON.stringify(chunk) }));
    return { shape: 'json-array', events };
  }
  const bytes = new TextEncoder().encode(text);
  return { shape: 'sse', events: run(decodeSse(Number.POSITIVE_INFINITY), [bytes]) };
}

function* dataOf(events: readonly Sse[]): Generator<Json | undefined> {
  for (const { data } of events) yield tryParseJson(data);
}

/** The format of the first value that has a known form; undefined if none has. */
function detect(values: Iterable<Json | undefined>): FormatName | undefined {
  for (const value of values) {
    const format = isObject(value) ? detectFormat(value) : undefined;
    if (format !== undefined) return format;
  }
  return undefined;
}

/** The types of a message and of its events. */
const MESSAGES_TYPES = wordSet(`
  message message_start content_block_start content_block_delta content_block_stop message_delta
  message_stop ping
`);

function detectFormat(value: JsonObject): FormatName | undefined {
  const { object, type, error } = value;
  if (object === 'response' || (typeof type === 'string' && type.startsWith('response.'))) return 'responses';
  if (typeof type === 'string' && MESSAGES_TYPES.has(type)) return 'messages';
  if (type === 'error')
    return value['sequence_number'] === undefined && isObject(error) ? 'messages' : 'responses';
  if (object === 'chat.completion' || object === 'chat.completion.chunk' || isList(value['choices'])) {
    return 'chat-completions';
  }
  if (isList(value['candidates']) || isObject(value['promptFeedback']) || isObject(value['usageMetadata'])) {
    return 'generate-content';
  }
  return isObject(error) ? detectErrorFormat(error) : undefined;
}

function detectErrorFormat({ code, status }: JsonObject): FormatName {
  return typeof code === 'number' && typeof status === 'string' ? 'generate-content' : 'chat-completions';
}
