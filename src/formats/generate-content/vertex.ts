/** Gemini at Vertex AI, whose API is not quite the Gemini API's (`…ToVertex` in `@google/genai`). */

import type { Target } from '../format.ts';

/** Whether a request goes there. */
export function isAtVertex({ dialect }: Target): boolean {
  return dialect === 'vertex';
}
