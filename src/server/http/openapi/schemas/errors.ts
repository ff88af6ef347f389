/** The body of an error in each family of formats. */

import { z } from 'zod';
import { count, list, text } from './fields.ts';

/** Errors of chat completions and of responses. */
export const OpenAIError = z.looseObject({
  error: z.looseObject({
    message: text,
    type: text.nullish(),
    param: text.nullish(),
    code: z.union([text, z.number()]).nullish(),
  }),
});

/** Errors of messages. */
export const AnthropicError = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ type: text, message: text }),
  request_id: text.nullish(),
});

/** Errors of generateContent. */
export const GoogleError = z.looseObject({
  error: z.looseObject({ code: count, message: text, status: text.optional(), details: list.optional() }),
});
