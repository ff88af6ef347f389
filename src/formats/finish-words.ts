/**
 * Vendors' words for the end of an answer. Services in front of a vendor pass its words on, so each format knows those of
 * the vendors whose models it brings.
 */

import type { Finish } from '../conversation/reply.ts';
import { INTERVENED_FINISH } from './bedrock-guardrail.ts';

/** Amazon Bedrock's (its API reference, Converse, `stopReason`; pydantic/pydantic-ai#7816). */
const BEDROCK = [
  [INTERVENED_FINISH, 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['malformed_model_output', 'malformed-call'],
  ['malformed_tool_use', 'malformed-call'],
] as const;

/** The words of Claude, and of Bedrock in front of it. */
export const CLAUDE_FINISHES: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  // Beta. The context was shortened, and the caller is to continue, as after a pause.
  ['compaction', 'pause'],
  ['refusal', 'refusal'],
  // Z.ai's. Not documented for Claude's format (earendil-works/pi#978, router-for-me/CLIProxyAPI#4958).
  ['sensitive', 'content-filter'],
  ['model_context_window_exceeded', 'context-length'],
  ...BEDROCK,
]);

/** The words of Gemini. */
export const GEMINI_FINISHES: ReadonlyMap<string, Finish> = new Map<string, Finish>([
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
