/** What a client sends over a WebSocket (OpenAI API reference, "WebSocket events": client events). */

import { GatewayError, invalid } from '../../lib/errors.ts';
import { asList, asObjects, asText, isList, type Json, type JsonObject } from '../../lib/json.ts';
import type { Span } from '../../lib/json-bytes.ts';
import type { KnownValues } from '../../lib/object-scan.ts';
import { valueAt } from '../../lib/scanned-values.ts';
import { withoutByteOrderMark } from '../../pipeline/body/byte-order-mark.ts';
import { scanText } from '../../pipeline/body/scanned.ts';
import type { Dialogue } from './dialogue-memory.ts';

/** An object's bytes, and the places of its values. */
interface Scanned {
  readonly bytes: Buffer;
  readonly fields: ReadonlyMap<string, Span>;
}

/** A message of which only the type and the lane are read so far. */
export interface Message extends Scanned {
  readonly type: string;
  readonly lane: string | undefined;
}

/** A request made from a `response.create`. */
export interface Request {
  /** A body as POST /v1/responses takes it. */
  readonly body: Buffer;
  /** The dialogue that the request continues, if the connection knows it; the body then has all of it. */
  readonly dialogue: Dialogue | undefined;
  /** Whether the request continues something that only the vendor knows. */
  readonly continuesAtVendor: boolean;
  /** The request's own items, as JSON without the brackets of a list; undefined if its input is not valid. */
  readonly items: string | undefined;
  /** Whether the vendor stores the response. An item's id alone then identifies it. */
  readonly stored: boolean;
}

/** What a request depends on besides its message. */
export interface RequestOptions {
  /** The dialogue of a response that the connection remembers. */
  findDialogue(id: string): Dialogue | undefined;
  isReasoningModel(model: string): boolean;
  /** Whether the client may have anything stored. */
  readonly mayStore: boolean;
}

/** Fields that belong to the WebSocket, or that are the same in every request over it. */
const ENVELOPE = new Set(['type', 'stream_id', 'generate', 'stream', 'background']);

/**
 * Has the vendor return a model's reasoning in encrypted form, so that it stays part of a dialogue that no vendor
 * stores.
 */
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/**
 * @param received one complete message
 * @param known values that were scanned before
 * @returns the message, with its type, its lane and the places of its values
 * @throws GatewayError `invalid-request` if the message is not JSON, has no type, or names no valid lane
 */
export function readMessage(received: Buffer, known?: KnownValues): Message {
  const bytes = withoutByteOrderMark(received);
  const { fields } = scanText(bytes, known);
  const type = asText(getField({ bytes, fields }, 'type'));
  const lane = getField({ bytes, fields }, 'stream_id') ?? undefined;
  if (type === undefined) throw invalid('type: Field required', 'type');
  if (lane !== undefined && (typeof lane !== 'string' || lane === '' || lane.length > 256)) {
    throw new GatewayError('invalid-request', 'stream_id: Input should be a string of 1 to 256 characters', {
      param: 'stream_id',
      code: 'invalid_stream_id',
    });
  }
  return { bytes, fields, type, lane };
}

/**
 * @returns the value of a field; undefined if the message does not have it
 * @throws GatewayError `invalid-request` if the value is not JSON
 */
export function getField({ bytes, fields }: Scanned, key: string): Json | undefined {
  const span = fields.get(key);
  return span && valueAt(bytes, span);
}

/**
 * @returns the fields of a message that belong to the request and not to the WebSocket
 * @throws GatewayError `invalid-request` if a value is not JSON
 */
export function requestFields(message: Message): JsonObject {
  const own = [...message.fields.keys()].filter((key) => !ENVELOPE.has(key));
  return Object.fromEntries(own.map((key) => [key, getField(message, key) ?? null]));
}

/**
 * Makes the request that a `response.create` asks for. The bytes of its values stay as they are, and the dialogue that
 * it continues stands before its input.
 * @returns the request's body as POST /v1/responses takes it, and what to remember of the request
 * @throws GatewayError `invalid-request`
 */
export function parseRequest(
  message: Message,
  { findDialogue, isReasoningModel, mayStore }: RequestOptions,
): Request {
  const { bytes, fields } = message;
  if (getField(message, 'background') === true) {
    throw invalid('background: Not supported over a WebSocket', 'background');
  }
  const raw = (key: string): string | undefined => {
    const span = fields.get(key);
    return span && bytes.toString('utf8', span.start, span.end);
  };
  const previous = asText(getField(message, 'previous_response_id'));
  const inConversation = (getField(message, 'conversation') ?? null) !== null;
  const dialogue = previous === undefined || inConversation ? undefined : findDialogue(previous);
  const items = parseItems(raw('input'));
  const stored = mayStore && raw('store') !== 'false';
  const values = new Map<string, string | Uint8Array>([['stream', 'true']]);
  for (const [key, { start, end }] of fields) {
    if (!ENVELOPE.has(key)) values.set(key, bytes.subarray(start, end));
  }
  if (dialogue !== undefined && items !== undefined) {
    values.delete('previous_response_id');
    values.set('input', `[${joinItems([...dialogue.items, items])}]`);
  }
  const include = includeReasoning(message);
  if (include !== undefined && !stored && isReasoningModel(asText(getField(message, 'model')) ?? '')) {
    values.set('include', JSON.stringify(include));
  }
  const continuesAtVendor = inConversation || (previous !== undefined && dialogue === undefined);
  return { body: objectBytes(values), dialogue, continuesAtVendor, items, stored };
}

/** The bytes of an object. @param values JSON in UTF-8, by key; at least one. */
function objectBytes(values: ReadonlyMap<string, string | Uint8Array>): Buffer {
  const pieces: Uint8Array[] = [];
  for (const [key, value] of values) {
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(key)}:`));
    pieces.push(typeof value === 'string' ? Buffer.from(value) : value);
  }
  return Buffer.concat([...pieces, Buffer.from('}')]);
}

/** What a message wants to be included, with the reasoning; undefined if nothing has to be added. */
function includeReasoning(message: Message): readonly Json[] | undefined {
  const include = getField(message, 'include') ?? [];
  // A value that is not a list is the caller's mistake, and the endpoint reports it.
  if (!isList(include) || include.includes(ENCRYPTED_REASONING)) return undefined;
  return [...include, ENCRYPTED_REASONING];
}

/**
 * The items of a response that its dialogue continues with. Reasoning at the end of an incomplete response is left out:
 * OpenAI refuses it "without its required following item".
 * @param stored whether the vendor stores the response. Reasoning that is not stored, and has neither encrypted content
 *   nor text, is left out, since its id means nothing any more.
 * @returns JSON without the brackets of a list
 */
export function outputItems(response: JsonObject, stored: boolean): string {
  const output = asObjects(response['output']);
  const end =
    response['status'] === 'incomplete'
      ? output.findLastIndex((item) => !isReasoning(item)) + 1
      : output.length;
  return joinItems(
    output
      .slice(0, end)
      .filter((item) => stored || !isReasoning(item) || hasContent(item))
      .map((item) => JSON.stringify(item)),
  );
}

function isReasoning({ type }: JsonObject): boolean {
  return type === 'reasoning';
}

function hasContent({ encrypted_content: proof, summary, content }: JsonObject): boolean {
  return typeof proof === 'string' || asList(summary).length > 0 || asList(content).length > 0;
}

/** @returns several lists without their brackets as one, also without its brackets */
export function joinItems(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== '').join(',');
}

/** The items of an input, without the brackets of a list; undefined if the input is not valid. */
function parseItems(input: string | undefined): string | undefined {
  if (input === undefined || input === 'null') return '';
  if (input.startsWith('[')) return input.slice(1, -1).trim();
  return input.startsWith('"') ? `{"type":"message","role":"user","content":${input}}` : undefined;
}
