/** Thoughts as `reasoning_details` (OpenRouter docs, "Reasoning Tokens"), both ways. */

import type { Signature, SignatureOrigin } from '../../../conversation/prompt.ts';
import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { isSigned, type Thought, thoughtsAsReceived } from './thinking-blocks.ts';

/** A signature of Google's that stands apart from the call it is of. */
export interface CallSignature {
  /** The call's id, where the service says. */
  readonly id?: string;
  readonly signature: Signature;
}

/** What an item of the list says; `redacted` can be read by its vendor alone, `proof` is of the summary before it. */
export type ReasoningDetail =
  | { readonly kind: 'thought'; readonly text: string; readonly signature: Signature | undefined }
  | { readonly kind: 'redacted' | 'proof'; readonly signature: Signature }
  | ({ readonly kind: 'call' } & CallSignature);

/** An item of the list; undefined where it says nothing. */
export function parseDetail(detail: JsonObject): ReasoningDetail | undefined {
  const origin = originOf(detail['format']);
  const value = asText(detail['signature']) || asText(detail['data']);
  const signature = value ? { origin, value } : undefined;
  if (detail['type'] !== 'reasoning.encrypted') {
    const text = asText(detail['text']) ?? asText(detail['summary']) ?? '';
    return text === '' && signature === undefined ? undefined : { kind: 'thought', text, signature };
  }
  if (signature === undefined) return undefined;
  const id = asText(detail['id']);
  if (origin === 'google') return { kind: 'call', signature, ...(id !== undefined && { id }) };
  // A summary and the encrypted text after it are one item of OpenAI's.
  return { kind: origin === 'anthropic' ? 'redacted' : 'proof', signature };
}

/** A call, as far as the list says anything of it. */
export interface SignedCall {
  readonly id: string;
  readonly signature?: Signature | undefined;
}

/** All thoughts and the signatures of calls, numbered, as those do who join the pieces of a stream. */
export function renderDetails(thoughts: readonly Thought[], calls: readonly SignedCall[]): JsonObject[] {
  return [...thoughts.flatMap(renderThought), ...calls.flatMap(renderCallSignature)].map((detail, index) => ({
    ...detail,
    index,
  }));
}

/**
 * The same for a caller, as far as something is signed or can be read by its vendor alone: thoughts without either stand
 * in `reasoning_content`, and who joins the pieces of a stream would have them twice.
 */
export function renderSignedDetails(
  thoughts: readonly Thought[],
  calls: readonly SignedCall[],
): JsonObject[] | undefined {
  const details = renderDetails(thoughts.some(isSigned) ? thoughtsAsReceived(thoughts) : [], calls);
  return details.length > 0 ? details : undefined;
}

function renderThought({ text, signature, redacted }: Thought): JsonObject[] {
  if (redacted) return [encrypted(redacted)];
  const format = formatOf(signature?.origin ?? 'other');
  if (signature?.origin !== 'openai') {
    return [{ type: 'reasoning.text', text, ...(signature && { signature: signature.value }), format }];
  }
  const summary = { type: 'reasoning.summary', summary: text, format };
  return text === '' ? [encrypted(signature)] : [summary, encrypted(signature)];
}

/** All thoughts of an answer as the one item that MiniMax makes of them. */
export function renderMinimaxDetail(text: string): JsonObject {
  return { type: 'reasoning.text', id: 'reasoning-text-1', format: 'MiniMax-response-v1', index: 0, text };
}

function renderCallSignature({ id, signature }: SignedCall): JsonObject[] {
  return signature === undefined ? [] : [encrypted(signature, { id })];
}

function encrypted({ origin, value }: Signature, of: JsonObject = {}): JsonObject {
  return { type: 'reasoning.encrypted', data: value, ...of, format: formatOf(origin) };
}

/** Whose signature an item bears, by its `format`: `anthropic-claude-v1`, `azure-openai-responses-v1`, `xai-responses-v1`, ... */
function originOf(format: Json | undefined): SignatureOrigin {
  const text = asText(format) ?? '';
  if (text.startsWith('anthropic')) return 'anthropic';
  if (text.startsWith('google')) return 'google';
  return text.startsWith('openai') || text.startsWith('azure') ? 'openai' : 'other';
}

function formatOf(origin: SignatureOrigin): string {
  if (origin === 'anthropic') return 'anthropic-claude-v1';
  if (origin === 'google') return 'google-gemini-v1';
  return origin === 'openai' ? 'openai-responses-v1' : 'unknown';
}
