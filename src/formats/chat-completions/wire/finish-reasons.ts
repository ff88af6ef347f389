/** Why an answer ended: chat-completions' words and those its relatives use, both ways. */

import type { Choice, Finish } from '../../../conversation/reply.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';

const FINISH: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  // Together; Mistral; Z.ai; what services in front of Claude and Gemini let through.
  eos: 'stop',
  model_length: 'context-length',
  sensitive: 'content-filter',
  model_context_window_exceeded: 'context-length',
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  refusal: 'refusal',
  pause_turn: 'pause',
  safety: 'content-filter',
};

/** OpenAI's five words: no need to carry them beside what they mean. */
const STANDARD = new Set(['stop', 'length', 'tool_calls', 'function_call', 'content_filter']);

/** Whether a finish_reason is one of OpenAI's own. */
export function isStandardFinish(word: string): boolean {
  return STANDARD.has(word);
}

/** Words for a failure: Mistral's and OpenRouter's, Z.ai's, and that of vLLM and SGLang for what was not made to the end. */
const FAILED = new Set(['error', 'network_error', 'abort']);

/**
 * A finish_reason by its meaning.
 * @throws GatewayError where the word says that the answer failed; DeepSeek's is `insufficient_system_resource`.
 */
export function parseFinish(word: string): Finish {
  if (FAILED.has(word))
    throw new GatewayError('upstream-broken', 'The upstream failed while it was answering.');
  if (word === 'insufficient_system_resource') {
    throw new GatewayError(
      'upstream-overloaded',
      'The upstream ran out of resources while it was answering.',
    );
  }
  return Object.hasOwn(FINISH, word) ? (FINISH[word] ?? 'other') : 'other';
}

/** A vendor's own word that says more than the standard one beside it. */
const NATIVE_FINISH: Readonly<Record<string, { readonly than: Finish; readonly is: Finish }>> = {
  stop_sequence: { than: 'stop', is: 'stop-sequence' },
  pause_turn: { than: 'stop', is: 'pause' },
  refusal: { than: 'content-filter', is: 'refusal' },
  model_context_window_exceeded: { than: 'length', is: 'context-length' },
  MALFORMED_FUNCTION_CALL: { than: 'content-filter', is: 'malformed-call' },
};

/** A finish with what the vendor's own word adds to it. */
export function refineFinish(finish: Finish, native: string | undefined): Finish {
  const finer =
    native !== undefined && Object.hasOwn(NATIVE_FINISH, native) ? NATIVE_FINISH[native] : undefined;
  return finer?.than === finish ? finer.is : finish;
}

/** The vendor's own word where it says more than ours. */
export function nativeWord(word: string, native: string | undefined): string | undefined {
  return native ?? (STANDARD.has(word) ? undefined : word);
}

/** What was said, as far as the end hangs on it. */
export interface AnswerContents {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** What the finish means beside what was said: services say `stop` after calls, and `tool_calls` without any. */
export function settleFinish(finish: Finish, said: AnswerContents): Finish {
  if (finish === 'stop' && said.calls) return 'tool-calls';
  if (finish === 'stop' && said.refusal) return 'refusal';
  if (finish === 'tool-calls' && !said.calls) return 'stop';
  return finish;
}

/** The finish_reason of an answer in which that was said. */
export function renderFinish(
  finish: Finish,
  said: AnswerContents,
): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  switch (finish) {
    case 'length':
    case 'context-length':
      return 'length';
    case 'content-filter':
    case 'malformed-call':
      return 'content_filter';
    case 'refusal':
      return said.refusal ? 'stop' : 'content_filter';
    case 'tool-calls':
    case 'stop':
    case 'stop-sequence':
    case 'pause':
    case 'other':
      return said.calls ? 'tool_calls' : 'stop';
  }
}

/** What a choice's end says beyond its finish_reason, as additional fields of the choice. */
export function finishFields(end: Choice['end']): JsonObject {
  return compact({
    native_finish_reason: end.native,
    // vLLM's name for the sequence that ended the answer.
    stop_reason: end.stopSequence,
    finish_explanation: end.explanation,
  });
}
