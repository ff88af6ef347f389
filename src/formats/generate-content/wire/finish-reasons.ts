/** Why Gemini stopped. The set is open: new words come without notice, and some callers ask for numbers instead. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { ChoiceEnd, Finish } from '../../../conversation/reply.ts';
import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { GEMINI_FINISHES } from '../../finish-words.ts';
import { wordFor } from './enum-encoding.ts';

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
  const known = GEMINI_FINISHES.get(word) ?? 'other';
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
  return GEMINI_FINISHES.has(word) || !/^[A-Z][A-Z_]+$/.test(word) ? {} : { finishReason: word };
}

/**
 * Gemini's word for the end: its own again if the answer came from Gemini, or from a service in front of it. The words of
 * other vendors may look like Gemini's (Cohere's `COMPLETE`).
 */
export function renderFinish(end: Pick<ChoiceEnd, 'finish' | 'native' | 'formatSpecific'>): string {
  const { native, finish, formatSpecific } = end;
  const unknown = asText(findRoundTrip(formatSpecific, 'generate-content')['finishReason']);
  return unknown ?? (native !== undefined && GEMINI_FINISHES.has(native) ? native : WORDS[finish]);
}
