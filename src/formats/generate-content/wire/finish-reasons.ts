/** Why Gemini stopped. The set is open: new words come without notice, and some callers ask for numbers instead. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { ChoiceEnd, Finish } from '../../../conversation/reply.ts';
import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordFor } from './enum-encoding.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['ESCALATION', 'content-filter'],
  ['PUP_LIMITED_DISABLED', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
  ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
  ['TOO_MANY_TOOL_CALLS', 'malformed-call'],
  ['MISSING_THOUGHT_SIGNATURE', 'malformed-call'],
  ['MALFORMED_RESPONSE', 'malformed-call'],
  ['OTHER', 'other'],
  ['IMAGE_OTHER', 'other'],
  ['NO_IMAGE', 'other'],
  // The limit of one request. A caller of another format cannot continue from there with Google's token.
  ['CONTINUATION', 'length'],
]);

/** The vendor's word for the end; undefined while the answer goes on. */
export function finishWord(value: Json | undefined): string | undefined {
  return parseWord(value, 'FinishReason');
}

/** The vendor's word for why it blocked a prompt; undefined if it did not. */
export function blockWord(value: Json | undefined): string | undefined {
  return parseWord(value, 'BlockReason');
}

function parseWord(value: Json | undefined, name: 'FinishReason' | 'BlockReason'): string | undefined {
  const word = typeof value === 'number' ? (wordFor(name, value) ?? String(value)) : value;
  return typeof word === 'string' && word !== '' && !word.endsWith('_REASON_UNSPECIFIED') ? word : undefined;
}

/**
 * What the word means for the answer as a whole. Gemini says STOP for calls too, and is not always right when it calls
 * a call unexpected: calls that came whole are calls. OTHER is the word for every reason without one of its own: an
 * answer with content then counts as an answer, and an empty one as declined, since it would look like success
 * elsewhere.
 * @param has whether the answer holds calls, and whether it holds anything for the caller at all.
 */
export function parseFinish(
  word: string,
  has: { readonly calls: boolean; readonly anything: boolean },
): Pick<ChoiceEnd, 'finish' | 'native'> {
  const known = FINISHES.get(word) ?? 'other';
  const isCall = has.calls && (known === 'stop' || word === 'UNEXPECTED_TOOL_CALL');
  const finish = isCall ? 'tool-calls' : known === 'other' && !has.anything ? 'content-filter' : known;
  return { finish, ...(word !== 'STOP' && word !== 'MAX_TOKENS' && { native: word }) };
}

const WORDS: Readonly<Record<Finish, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'context-length': 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
};

/** What is kept of a word that the gateway does not know, since Google adds words: that Gemini wrote it. */
export function unknownWord(word: string): JsonObject {
  return FINISHES.has(word) || !/^[A-Z][A-Z_]+$/.test(word) ? {} : { finishReason: word };
}

/**
 * Gemini's word for the end: its own again if the answer came from Gemini, or from a service in front of it. The words of
 * other vendors may look like Gemini's (Cohere's `COMPLETE`).
 */
export function renderFinish(end: Pick<ChoiceEnd, 'finish' | 'native' | 'formatSpecific'>): string {
  const { native, finish, formatSpecific } = end;
  const unknown = asText(findRoundTrip(formatSpecific, 'generate-content')['finishReason']);
  return unknown ?? (native !== undefined && FINISHES.has(native) ? native : WORDS[finish]);
}
