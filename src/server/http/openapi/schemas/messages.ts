/** Requests and answers of Anthropic's messages (API reference, "Messages"). */

import { z } from 'zod';
import { count, list, model, open, text } from './fields.ts';

/** The body of `POST /v1/messages/count_tokens`. */
export const CountTokensRequest = z.looseObject({
  model,
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.union([text, list]) }))
    .min(1),
  system: z.union([text, list]).optional(),
  thinking: open
    .optional()
    .describe('Passed on unchanged to Anthropic models; for others a budget becomes a level.'),
  tools: list.optional(),
  tool_choice: open.optional(),
});

/** The answer of `count_tokens`, in tokens. */
export const TokenCount = z.looseObject({ input_tokens: count });

/** The body of `POST /v1/messages`. */
export const MessagesRequest = CountTokensRequest.extend({
  max_tokens: z.number().int().positive().describe('Most tokens of the answer. Required.'),
  stream: z.boolean().optional(),
  temperature: z.number().optional(),
});

/** A message that is not streamed. */
export const Message = z.looseObject({
  id: text,
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text,
  content: z.array(z.looseObject({ type: text })),
  stop_reason: text.nullable(),
  usage: z.looseObject({ input_tokens: count, output_tokens: count }),
});
