/** Gemini at Vertex AI, whose API is not quite the Gemini API's (`…ToVertex` in `@google/genai`). */

import type { Prompt } from '../../../conversation/prompt.ts';
import { type ModelTraits, unreported } from '../../format.ts';
import { renderAskedTier } from './service-tier.ts';

/** Whether a request goes there. */
export function isAtVertex({ dialect }: ModelTraits): boolean {
  return dialect === 'vertex';
}

/** By which it is asked for a tier ("Flex PayGo", "Priority PayGo"): the Gemini API's words in the body are a 400. */
const TIER = 'x-vertex-ai-llm-shared-request-type';

/** @see Outbound.renderHeaders */
export function renderHeaders(
  { serviceTier }: Prompt,
  target: ModelTraits,
): Readonly<Record<string, string>> {
  const tier = isAtVertex(target) ? renderAskedTier(serviceTier, unreported) : undefined;
  return tier === undefined || tier === 'standard' ? {} : { [TIER]: tier };
}
