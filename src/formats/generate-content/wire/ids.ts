/**
 * Ids of tool calls. Gemini before 3 gives none, and later models not always; every other format needs one. The ids are
 * made from what stands in the answer or the request, so the same call has the same id each time it is read.
 */

import { flat } from '../../../lib/flat-text.ts';

/** An id for a call without one: the `position`-th call of the answer or request that `stem` names. */
export function makeCallId(stem: string, position: number | string): string {
  return flat(`${callIdPrefix(stem)}${position}`);
}

/** What the ids of all calls that `stem` names begin with. */
export function callIdPrefix(stem: string): string {
  return `call_${stem.replaceAll(/[^A-Za-z0-9_-]/g, '') || 'made'}_`;
}

/** Ids that the gateway makes, and those of other vendors. Neither means anything to Gemini. */
const NOT_GEMINIS = /^(?:call|toolu|srvtoolu|fc|chatcmpl-tool|tooluse)_/;

/** Whether Gemini may have given this id itself. Only then does it want the id back. */
export function isGeminiId(id: string): boolean {
  return id !== '' && !NOT_GEMINIS.test(id);
}
