/** Requests and answers of OpenAI's responses (API reference, "Responses"). */

import { z } from 'zod';
import { count, list, model, open, text } from './fields.ts';

/** The body of `POST /v1/responses`. */
export const ResponsesRequest = z.looseObject({
  model,
  input: z.union([text, list]),
  instructions: text.nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: count.nullish(),
  temperature: z.number().nullish(),
  tools: list.optional(),
  reasoning: open.nullish(),
  text: open.optional().describe('Structured output.'),
});

/** A response that is not streamed. The name is not `Response`, since client generators have a type of that name. */
export const ResponseObject = z.looseObject({
  id: text,
  object: z.literal('response'),
  created_at: z.number(),
  model: text,
  status: text.describe(
    '`completed`, `incomplete`, `failed`; in the background also `queued`, `in_progress`, `cancelled`.',
  ),
  output: list,
  usage: z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count }).nullish(),
});

/** The body of `POST /v1/responses/compact`. */
export const CompactRequest = z.looseObject({ model, input: z.union([text, list]).optional() });

/** The answer of `compact`. */
export const Compaction = z.looseObject({
  id: text,
  object: z.literal('response.compaction'),
  output: list,
});

/** The body of `POST /v1/responses/input_tokens`. */
export const InputTokensRequest = z.looseObject({ model, input: z.union([text, list]).optional() });

/** The answer of `input_tokens`, in tokens. */
export const InputTokens = z.looseObject({
  object: z.literal('response.input_tokens'),
  input_tokens: count,
});

/** The answer of `DELETE`. */
export const DeletedResponse = z.looseObject({ id: text, deleted: z.boolean() });

/** A page of the input items of a response. */
export const ResponseItemList = z.looseObject({
  object: z.literal('list'),
  data: list,
  first_id: text.nullish(),
  last_id: text.nullish(),
  has_more: z.boolean(),
});
