/** Requests and answers of OpenAI's chat completions (API reference, "Create chat completion"). */

import { z } from 'zod';
import { count, list, model, open, text } from './fields.ts';

/** The body of `POST /v1/chat/completions`. */
export const ChatCompletionsRequest = z.looseObject({
  model,
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
        content: z.union([text, list, z.null()]).optional(),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  max_tokens: count
    .nullish()
    .describe('Most tokens of the answer. `max_completion_tokens` is the newer name.'),
  max_completion_tokens: count.nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  tools: list.optional(),
  tool_choice: z.union([text, open]).optional(),
  response_format: open.optional().describe('Structured output.'),
  reasoning_effort: text.nullish(),
});

/** A chat completion that is not streamed. */
export const ChatCompletion = z.looseObject({
  id: text,
  object: z.literal('chat.completion'),
  created: count,
  model: text,
  choices: z.array(
    z.looseObject({
      index: count,
      message: z.looseObject({
        role: z.literal('assistant'),
        content: text.nullable(),
        reasoning_content: text.optional().describe("The model's thoughts, if its vendor returns them."),
        thinking_blocks: list
          .optional()
          .describe('The thoughts with their signatures: send them back unchanged.'),
        reasoning_details: list
          .optional()
          .describe("The thoughts in OpenRouter's form, with the signatures of tool calls."),
        annotations: list.optional().describe('Sources found by web search.'),
      }),
      finish_reason: text.describe('`stop`, `length`, `tool_calls`, `content_filter`.'),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
});
