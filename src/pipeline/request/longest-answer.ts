/** How long the answer to a request may be, in tokens. */

import type { Routed } from '../exchange.ts';
import { readLengths } from '../model/answer-length.ts';
import { isNative } from './request-kind.ts';

/**
 * The most output tokens that a request may cost. What it asks for counts, also if the model gives less: natively the
 * vendor decides on that. A request that asks for nothing may get what the model gives at most.
 */
export function longestAnswer(routed: Routed): number {
  const { maxOutputTokens } = routed.model;
  // Some services take a bound that is not positive for none (llama.cpp's -1).
  const asked = Math.max(0, ...readLengths(routed, 'bounds').map((bound) => bound ?? maxOutputTokens));
  const one = asked === 0 ? maxOutputTokens : isNative(routed) ? asked : Math.min(asked, maxOutputTokens);
  return one * Math.max(1, ...readLengths(routed, 'counts').map((count) => count ?? 1));
}
