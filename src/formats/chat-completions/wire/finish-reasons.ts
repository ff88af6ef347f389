/** Finish reasons: the words of chat-completions, and those that related services use, in both directions. */

import type { Choice, Finish } from '../../../conversation/reply.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';
import { INTERVENED_FINISH } from '../../bedrock-guardrail.ts';
import { CLAUDE_FINISHES, GEMINI_FINISHES } from '../../finish-words.ts';
import { parseErrorObject } from '../../openai/errors.ts';

/** OpenAI's five words, by which other vendors' words are written. An answer with one needs no `native_finish_reason`. */
const OPENAI_FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
]);

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ...Array.from(GEMINI_FINISHES, ([word, finish]) => [word.toLowerCase(), finish] as const),
  ...CLAUDE_FINISHES,
  ...OPENAI_FINISHES,
  // Together; Text Generation Inference; Mistral.
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['model_length', 'context-length'],
]);

/** What Google's service in this format puts before a word of Gemini: `function_call_filter: MALFORMED_FUNCTION_CALL`. */
const FILTERS: ReadonlyMap<string, Finish> = new Map([
  ['content_filter', 'content-filter'],
  ['function_call_filter', 'malformed-call'],
]);

/** Whether a `finish_reason` is one of OpenAI's own. */
export function isStandardFinish(word: string): boolean {
  return OPENAI_FINISHES.has(word);
}

/** Words for a failure: of Mistral and OpenRouter; of Z.ai; of vLLM and SGLang for an answer that was aborted. */
const FAILED = new Set(['error', 'network_error', 'abort']);

/**
 * The meaning of a `finish_reason`.
 * @param native the word of the vendor behind the service.
 * @param error why the answer failed, if it did: OpenRouter says it in the choice, with a code.
 * @throws GatewayError for a word that says the answer failed: the `error`, or else `upstream-broken`;
 *   `upstream-overloaded` for DeepSeek's `insufficient_system_resource`.
 */
export function parseFinish(word: string, native?: string, error?: JsonObject): Finish {
  // OpenRouter says `error` for a call that Gemini got wrong (BerriAI/litellm#23273).
  if (FAILED.has(word) && GEMINI_FINISHES.get(native ?? '') === 'malformed-call') return 'malformed-call';
  if (FAILED.has(word) && error !== undefined) throw parseErrorObject({ error });
  if (FAILED.has(word))
    throw new GatewayError('upstream-broken', 'The upstream failed while it was answering.');
  if (word === 'insufficient_system_resource') {
    throw new GatewayError(
      'upstream-overloaded',
      'The upstream ran out of resources while it was answering.',
    );
  }
  const [filter = ''] = word.split(':', 1);
  return FINISHES.get(word.toLowerCase()) ?? FILTERS.get(filter) ?? 'other';
}

/** Vendors' own words that say more than the standard word beside them. */
const NATIVE_FINISH: Readonly<Record<string, { readonly standard: Finish; readonly meaning: Finish }>> = {
  stop_sequence: { standard: 'stop', meaning: 'stop-sequence' },
  pause_turn: { standard: 'stop', meaning: 'pause' },
  refusal: { standard: 'content-filter', meaning: 'refusal' },
  model_context_window_exceeded: { standard: 'length', meaning: 'context-length' },
  [INTERVENED_FINISH]: { standard: 'stop', meaning: 'content-filter' },
  MALFORMED_FUNCTION_CALL: { standard: 'content-filter', meaning: 'malformed-call' },
};

/** A finish with the meaning that the vendor's own word adds. */
export function refineFinish(finish: Finish, native: string | undefined): Finish {
  const found =
    native !== undefined && Object.hasOwn(NATIVE_FINISH, native) ? NATIVE_FINISH[native] : undefined;
  return found?.standard === finish ? found.meaning : finish;
}

/** The vendor's own word; undefined if it is one of OpenAI's. */
export function nativeWord(word: string, native: string | undefined): string | undefined {
  return native ?? (OPENAI_FINISHES.has(word) ? undefined : word);
}

/** What an answer contains, as far as its finish depends on it. */
export interface AnswerContents {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** The finish that agrees with the contents: services send `stop` after calls, and `tool_calls` without any. */
export function settleFinish(finish: Finish, contents: AnswerContents): Finish {
  if (finish === 'stop' && contents.calls) return 'tool-calls';
  if (finish === 'stop' && contents.refusal) return 'refusal';
  if (finish === 'tool-calls' && !contents.calls) return 'stop';
  return finish;
}

/** The `finish_reason` of an answer with these contents. */
export function renderFinish(
  finish: Finish,
  contents: AnswerContents,
): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  switch (finish) {
    case 'length':
    case 'context-length':
      return 'length';
    case 'content-filter':
    case 'malformed-call':
      return 'content_filter';
    case 'refusal':
      return contents.refusal ? 'stop' : 'content_filter';
    case 'tool-calls':
    case 'stop':
    case 'stop-sequence':
    case 'pause':
    case 'other':
      return contents.calls ? 'tool_calls' : 'stop';
  }
}

/** What the end of a choice says beyond its `finish_reason`, as additional fields of the choice. */
export function renderFinishFields(end: Choice['end']): JsonObject {
  return compact({
    native_finish_reason: end.native,
    // vLLM's name for the stop sequence that ended the answer.
    stop_reason: end.stopSequence,
    finish_explanation: end.explanation,
  });
}
