/** `reasoning_details` of messages and deltas (OpenRouter documentation, "Reasoning Tokens"). */

import type { Signature, SignatureOrigin } from '../../../conversation/prompt.ts';
import { asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { isSigned, type Thought, thoughtsAsReceived } from './thinking-blocks.ts';

/** The `format` of a vendor's items, in OpenRouter's words (`ReasoningFormat` of its SDK). It has none for DeepSeek. */
const FORMATS: Readonly<Record<SignatureOrigin, string>> = {
  anthropic: 'anthropic-claude-v1',
  google: 'google-gemini-v1',
  openai: 'openai-responses-v1',
  'x-ai': 'xai-responses-v1',
  meta: 'meta-responses-v1',
  deepseek: 'deepseek-responses-v1',
  other: 'unknown',
};

/** How the formats of a vendor begin, whatever their version. */
const PREFIXES: readonly (readonly [string, SignatureOrigin])[] = [
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['openai', 'openai'],
  ['azure', 'openai'],
  ['xai', 'x-ai'],
  ['meta', 'meta'],
  ['deepseek', 'deepseek'],
];

/** A signature of Google's that belongs to a call but stands elsewhere in the message. */
export interface CallSignature {
  /** The call's id, if the service sends it. */
  readonly id?: string;
  readonly signature: Signature;
}

/** The fields that may hold the thoughts of a message or delta as text, the most common one first. */
const PLAIN_FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const;

const DETAIL_FIELDS = ['reasoning_details', ...PLAIN_FIELDS] as const;

/** The thoughts of a message or delta as one text; '' if no field has a text. */
export function findPlainThought(message: JsonObject): string {
  for (const field of PLAIN_FIELDS) {
    const text = asText(message[field]);
    if (text) return text;
  }
  return '';
}

/** Beside a plain thought: agentgateway's field for the signature of Claude (agentgateway/agentgateway#2018). */
const SIGNATURE_FIELD = 'reasoning_signature';

/**
 * The items of a message or delta: those of `reasoning_details`, or else of a field that has an object with a text and
 * its signature where others have a text (services in front of Claude), or else the plain thought with its signature.
 * Undefined if no field has any.
 */
export function findDetails(message: JsonObject): readonly JsonObject[] | undefined {
  for (const field of DETAIL_FIELDS) {
    const value = message[field];
    if (isObject(value)) return [withText(value)];
    if (isList(value) && value.length > 0) return value.filter(isObject).map(withText);
  }
  const signature = asText(message[SIGNATURE_FIELD]);
  return signature ? [{ ...withText({ thinking: findPlainThought(message) }), signature }] : undefined;
}

/** An item whose text may have Anthropic's name for it. */
function withText(item: JsonObject): JsonObject {
  const text = asText(item['thinking']);
  if (text === undefined) return item;
  return { ...item, type: 'reasoning.text', text, format: FORMATS.anthropic };
}

/** The meaning of an item. Only its vendor can read `redacted`; `proof` belongs to the summary before it. */
export type ReasoningDetail =
  | { readonly kind: 'thought'; readonly text: string; readonly signature: Signature | undefined }
  | { readonly kind: 'redacted' | 'proof'; readonly signature: Signature }
  | ({ readonly kind: 'call' } & CallSignature);

/** An item of the list; undefined if it is empty. */
export function parseDetail(detail: JsonObject): ReasoningDetail | undefined {
  const origin = parseOrigin(detail['format']);
  const value = asText(detail['signature']) || asText(detail['data']);
  const signature = value ? { origin, value } : undefined;
  if (detail['type'] !== 'reasoning.encrypted') {
    const text = asText(detail['text']) ?? asText(detail['summary']) ?? '';
    return text === '' && signature === undefined ? undefined : { kind: 'thought', text, signature };
  }
  if (signature === undefined) return undefined;
  const id = asText(detail['id']);
  if (origin === 'google') return { kind: 'call', signature, ...(id !== undefined && { id }) };
  // In OpenAI's format, a summary and the encrypted text after it are one item.
  return { kind: origin === 'anthropic' ? 'redacted' : 'proof', signature };
}

/** A call, or a text, which has no id, as far as the list of details concerns it. */
export interface SignedPart {
  readonly id?: string;
  readonly signature?: Signature | undefined;
}

/** All thoughts and the signatures of calls and texts. Each has an `index`, as in a stream whose pieces were joined. */
export function renderDetails(thoughts: readonly Thought[], signed: readonly SignedPart[]): JsonObject[] {
  return [...thoughts.flatMap(renderThought), ...signed.flatMap(renderPartSignature)].map(
    (detail, index) => ({
      ...detail,
      index,
    }),
  );
}

/**
 * The details for a caller; undefined if nothing is signed or redacted. Plain thoughts stand in `reasoning_content`, and
 * a client that joins the pieces of a stream would get them twice.
 */
export function renderSignedDetails(
  thoughts: readonly Thought[],
  calls: readonly SignedPart[],
): JsonObject[] | undefined {
  const details = renderDetails(thoughts.some(isSigned) ? thoughtsAsReceived(thoughts) : [], calls);
  return details.length > 0 ? details : undefined;
}

function renderThought({ text, signature, redacted }: Thought): JsonObject[] {
  if (redacted) return [encrypted(redacted)];
  const format = FORMATS[signature?.origin ?? 'other'];
  if (signature === undefined || !encryptsReasoning(signature.origin)) {
    return [{ type: 'reasoning.text', text, ...(signature && { signature: signature.value }), format }];
  }
  const summary = { type: 'reasoning.summary', summary: text, format };
  return text === '' ? [encrypted(signature)] : [summary, encrypted(signature)];
}

/** The text of all thoughts as the one item that MiniMax sends and takes. */
export function renderMinimaxDetail(text: string): JsonObject {
  return { type: 'reasoning.text', id: 'reasoning-text-1', format: 'MiniMax-response-v1', index: 0, text };
}

function renderPartSignature({ id, signature }: SignedPart): JsonObject[] {
  return signature === undefined ? [] : [encrypted(signature, id === undefined ? {} : { id })];
}

function encrypted({ origin, value }: Signature, fields: JsonObject = {}): JsonObject {
  return { type: 'reasoning.encrypted', data: value, ...fields, format: FORMATS[origin] };
}

/** The vendor that signed an item, by its `format`: OpenAI's models at Azure and Bedrock have formats of their own. */
function parseOrigin(format: Json | undefined): SignatureOrigin {
  const text = (asText(format) ?? '').replace('bedrock-', '');
  return PREFIXES.find(([prefix]) => text.startsWith(prefix))?.[1] ?? 'other';
}

/** Whether a vendor encrypts its reasoning, and shows no more than a summary of it. */
function encryptsReasoning(origin: SignatureOrigin): boolean {
  return FORMATS[origin].endsWith('-responses-v1');
}
