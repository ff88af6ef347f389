/** Requests and answers of Google's generateContent and countTokens (API reference of the Gemini API). */

import { z } from 'zod';
import { count, list, open, text } from './fields.ts';

const contents = z.array(z.looseObject({ role: text.optional(), parts: list }));

/** The body of `generateContent` and `streamGenerateContent`. */
export const GenerateContentRequest = z.looseObject({
  contents,
  systemInstruction: open.optional(),
  generationConfig: open.optional(),
  tools: list.optional(),
  toolConfig: open.optional(),
});

/** An answer that is not streamed, or one event of a stream. */
export const GenerateContentResponse = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ role: text.optional(), parts: list.optional() }).optional(),
        finishReason: z.union([text, count]).optional(),
      }),
    )
    .optional(),
  usageMetadata: z
    .looseObject({ promptTokenCount: count.optional(), totalTokenCount: count.optional() })
    .optional(),
});

/** The body of `countTokens`. */
export const GoogleCountTokensRequest = z.looseObject({
  contents: contents.optional(),
  generateContentRequest: open.optional(),
});

/** The answer of `countTokens`, in tokens. */
export const GoogleTokenCount = z.looseObject({ totalTokens: count });
