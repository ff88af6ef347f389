/** What a client says over a socket (OpenAI API reference, "WebSocket events": client events). */

import { GatewayError, invalid } from '../../lib/errors.ts';
import { asList, asObjects, asText, isList, type Json, type JsonObject } from '../../lib/json.ts';
import { type Span, valueAt } from '../../lib/json-scan.ts';
import { scanText } from '../../pipeline/scanned.ts';
import type { Dialogue } from './dialogue-memory.ts';

/** An object's bytes, and where its values stand. */
interface Scanned {
  readonly bytes: Buffer;
  readonly fields: ReadonlyMap<string, Span>;
}

/** A message that is read, and not understood any further than whose turn it is. */
export interface Message extends Scanned {
  readonly type: string;
  /** The lane that it names. */
  readonly lane: string | undefined;
}

/** A request made of a `response.create`. */
export interface Request {
  /** As POST /v1/responses takes it. */
  readonly body: Buffer;
  /** The dialogue that it goes on from, where the connection knew it: all of it is in the body. */
  readonly from: Dialogue | undefined;
  /** Whether there is more before it that the vendor alone knows. */
  readonly goesOnElsewhere: boolean;
  /** Its own items; undefined where its input is none. */
  readonly items: string | undefined;
  /** Whether the vendor keeps what it answers: items then stand for themselves. */
  readonly stored: boolean;
}

/** Fields that are the socket's, or that every request over it has alike. */
const ENVELOPE = new Set(['type', 'stream_id', 'generate', 'stream', 'background']);

/** What makes the thoughts of a model go along with a dialogue that no vendor keeps. */
const ENCRYPTED = 'reasoning.encrypted_content';

/** @throws GatewayError `invalid-request` */
export function readMessage(bytes: Buffer): Message {
  const fields = scanText(bytes);
  const type = asText(fieldOf({ bytes, fields }, 'type'));
  const lane = fieldOf({ bytes, fields }, 'stream_id') ?? undefined;
  if (type === undefined) throw invalid('type: Field required', 'type');
  if (lane !== undefined && (typeof lane !== 'string' || lane === '' || lane.length > 256)) {
    throw new GatewayError('invalid-request', 'stream_id: Input should be a string of 1 to 256 characters', {
      param: 'stream_id',
      code: 'invalid_stream_id',
    });
  }
  return { bytes, fields, type, lane };
}

/** The value of a field; undefined where there is none. @throws GatewayError `invalid-request` */
export function fieldOf({ bytes, fields }: Scanned, key: string): Json | undefined {
  const span = fields.get(key);
  return span && valueAt(bytes, span);
}

/** All fields of a message that are a request's own. */
export function requestFields(message: Message): JsonObject {
  const own = [...message.fields.keys()].filter((key) => !ENVELOPE.has(key));
  return Object.fromEntries(own.map((key) => [key, fieldOf(message, key) ?? null]));
}

/**
 * The request that a `response.create` asks for: the bytes of its values as they are, and before its input the dialogue
 * that it goes on from.
 * @param find the dialogue of a response that the connection remembers.
 * @param thinks whether the model of this name does.
 * @param stores whether the client may have anything stored.
 * @throws GatewayError `invalid-request`
 */
export function requestOf(
  message: Message,
  find: (id: string) => Dialogue | undefined,
  thinks: (model: string) => boolean,
  stores = true,
): Request {
  const { bytes, fields } = message;
  if (fieldOf(message, 'background') === true) {
    throw invalid('background: Not supported over a WebSocket', 'background');
  }
  const raw = (key: string): string | undefined => {
    const span = fields.get(key);
    return span && bytes.toString('utf8', span.start, span.end);
  };
  const previous = asText(fieldOf(message, 'previous_response_id'));
  const inConversation = (fieldOf(message, 'conversation') ?? null) !== null;
  const from = previous === undefined || inConversation ? undefined : find(previous);
  const items = itemsOf(raw('input'));
  const stored = stores && raw('store') !== 'false';
  const values = new Map<string, string>([['stream', 'true']]);
  for (const key of fields.keys()) {
    const value = raw(key);
    if (value !== undefined && !ENVELOPE.has(key)) values.set(key, value);
  }
  if (from !== undefined && items !== undefined) {
    values.delete('previous_response_id');
    values.set('input', `[${joined([...from.items, items])}]`);
  }
  const include = fieldOf(message, 'include') ?? [];
  // What is no list is the caller's mistake, and is told as one.
  const asksMore = isList(include) && !include.includes(ENCRYPTED);
  if (asksMore && !stored && thinks(asText(fieldOf(message, 'model')) ?? '')) {
    values.set('include', JSON.stringify([...include, ENCRYPTED]));
  }
  const body = [...values].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
  const goesOnElsewhere = inConversation || (previous !== undefined && from === undefined);
  return { body: Buffer.from(`{${body}}`), from, goesOnElsewhere, items, stored };
}

/**
 * Of what a response has said, the items that a dialogue goes on with. Thoughts that it broke off behind do not: OpenAI
 * refuses them "without its required following item".
 * @param stored whether its vendor keeps them: a thought that it does not keep, and of which there is neither a proof
 *   nor a word, is nothing but the name of what nobody knows any more.
 */
export function saidBy(response: JsonObject, stored: boolean): string {
  const output = asObjects(response['output']);
  const end =
    response['status'] === 'incomplete'
      ? output.findLastIndex((item) => !isThought(item)) + 1
      : output.length;
  return joined(
    output
      .slice(0, end)
      .filter((item) => stored || !isThought(item) || isTold(item))
      .map((item) => JSON.stringify(item)),
  );
}

function isThought({ type }: JsonObject): boolean {
  return type === 'reasoning';
}

function isTold({ encrypted_content: proof, summary, content }: JsonObject): boolean {
  return typeof proof === 'string' || asList(summary).length > 0 || asList(content).length > 0;
}

/** Lists without their brackets, as one. */
export function joined(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== '').join(',');
}

/** The items of an input, without the brackets of a list; undefined where it is no input. */
function itemsOf(input: string | undefined): string | undefined {
  if (input === undefined || input === 'null') return '';
  if (input.startsWith('[')) return input.slice(1, -1).trim();
  return input.startsWith('"') ? `{"type":"message","role":"user","content":${input}}` : undefined;
}
