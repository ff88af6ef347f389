/**
 * What goes in and comes out, as far as the gateway itself needs or promises it. Each format has more fields, which its
 * vendor documents: every object is open.
 */

import { z } from 'zod';
import { TIERS } from '../../../conversation/tokens.ts';
import type { JsonObject } from '../../../lib/json.ts';

const count = z.number().int().nonnegative();
const text = z.string();
const open = z.looseObject({});
const list = z.array(open);

const model = text.describe(
  'A model from GET /v1/models, as `<vendor>/<model_name>`; case is ignored. Without a vendor, the endpoint fills in its own.',
);

const chatCompletionsRequest = z.looseObject({
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

const chatCompletion = z.looseObject({
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
        reasoning_content: text.optional().describe('What the model thought, if its vendor shows it.'),
        thinking_blocks: list.optional().describe('The same with its signatures: send it back unchanged.'),
        reasoning_details: list.optional().describe("The same in OpenRouter's way, calls' signatures too."),
        annotations: list.optional().describe('Sources found by web search.'),
      }),
      finish_reason: text.describe('`stop`, `length`, `tool_calls`, `content_filter`.'),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
});

const responsesRequest = z.looseObject({
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

const response = z.looseObject({
  id: text,
  object: z.literal('response'),
  created_at: z.number(),
  model: text,
  status: text.describe('`completed`, `incomplete`, `failed`.'),
  output: list,
  usage: z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count }).nullish(),
});

const messagesPrompt = z.looseObject({
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

const messagesRequest = messagesPrompt.extend({
  max_tokens: z.number().int().positive().describe('Most tokens of the answer. Required.'),
  stream: z.boolean().optional(),
  temperature: z.number().optional(),
});

const message = z.looseObject({
  id: text,
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text,
  content: z.array(z.looseObject({ type: text })),
  stop_reason: text.nullable(),
  usage: z.looseObject({ input_tokens: count, output_tokens: count }),
});

const contents = z.array(z.looseObject({ role: text.optional(), parts: list }));

const generateContentRequest = z.looseObject({
  contents,
  systemInstruction: open.optional(),
  generationConfig: open.optional(),
  tools: list.optional(),
  toolConfig: open.optional(),
});

const generateContentResponse = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ role: text.optional(), parts: list.optional() }).optional(),
        finishReason: text.optional(),
      }),
    )
    .optional(),
  usageMetadata: z
    .looseObject({ promptTokenCount: count.optional(), totalTokenCount: count.optional() })
    .optional(),
});

const listedModel = z.looseObject({
  id: text,
  object: z.literal('model'),
  created: count.describe('Unix time.'),
  owned_by: text,
  context_length: count.describe('Most tokens of prompt and answer together.'),
  max_completion_tokens: count.describe('Most tokens of an answer.'),
  shutdown_date: z.iso.date().optional().describe('The day on which its vendor shuts it down, if known.'),
});

const modelList = z.looseObject({
  object: z.literal('list'),
  data: z.array(listedModel),
});

const googleModel = z.looseObject({
  name: text.describe('`models/<model_name>`.'),
  version: text,
  displayName: text,
  inputTokenLimit: count,
  outputTokenLimit: count,
  supportedGenerationMethods: z.array(text),
});

const dollars = z.number().nonnegative();
const rates = {
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
  cacheWriteHour: dollars.optional(),
};

const schemas = {
  ChatCompletionsRequest: chatCompletionsRequest,
  ChatCompletion: chatCompletion,
  ResponsesRequest: responsesRequest,
  // Not `Response`: generators have a type of that name themselves.
  ResponseObject: response,
  MessagesRequest: messagesRequest,
  Message: message,
  CompactRequest: z.looseObject({ model, input: z.union([text, list]).optional() }),
  Compaction: z.looseObject({ id: text, object: z.literal('response.compaction'), output: list }),
  InputTokensRequest: z.looseObject({ model, input: z.union([text, list]).optional() }),
  InputTokens: z.looseObject({ object: z.literal('response.input_tokens'), input_tokens: count }),
  CountTokensRequest: messagesPrompt,
  TokenCount: z.looseObject({ input_tokens: count }),
  GenerateContentRequest: generateContentRequest,
  GenerateContentResponse: generateContentResponse,
  GoogleCountTokensRequest: z.looseObject({
    contents: contents.optional(),
    generateContentRequest: open.optional(),
  }),
  GoogleTokenCount: z.looseObject({ totalTokens: count }),
  Model: listedModel,
  ModelList: modelList,
  GoogleModel: googleModel,
  GoogleModelList: z.looseObject({ models: z.array(googleModel) }),
  PricedModels: z.strictObject({
    models: z.array(
      z.strictObject({
        id: text,
        name: text,
        aliases: z.array(text).describe('Other ids of the same model.'),
        simulated: z.boolean().describe('Whether the sandbox plays it, so that it costs nothing.'),
        thinking: z
          .strictObject({
            kinds: z.array(z.enum(['effort', 'budget'])),
            efforts: z.array(text),
            canDisable: z.boolean(),
            budget: z.strictObject({ min: z.int(), max: z.int() }).optional(),
          })
          .optional()
          .describe('How it is told to think: by words, or by a number of tokens. Absent where it does not.'),
        sampling: z.boolean().describe('Whether it takes a temperature.'),
        maxOutputTokens: z.int(),
        generateContent: z.boolean(),
        prices: z
          .strictObject({
            ...rates,
            long: z
              .strictObject({ above: z.int(), ...rates })
              .optional()
              .describe('Prices for requests with more than `above` input tokens.'),
            searches: z.number().optional().describe('Price per thousand web searches.'),
            tiers: z
              .partialRecord(z.enum(TIERS), z.number())
              .optional()
              .describe('Multiples of the price for other service tiers.'),
            later: z
              .strictObject({ from: z.iso.date(), prices: z.looseObject(rates) })
              .optional()
              .describe('A change of price: all the prices from this day on, in the same form.'),
          })
          .describe('US dollars per million tokens.'),
      }),
    ),
  }),
  Health: z.strictObject({ status: z.enum(['ok', 'overloaded', 'draining']) }),
  OpenAIError: z.looseObject({
    error: z.looseObject({
      message: text,
      type: text.nullish(),
      param: text.nullish(),
      code: z.union([text, z.number()]).nullish(),
    }),
  }),
  AnthropicError: z.looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: text, message: text }),
    request_id: text.nullish(),
  }),
  GoogleError: z.looseObject({
    error: z.looseObject({ code: count, message: text, status: text.optional(), details: list.optional() }),
  }),
} as const;

export type SchemaName = keyof typeof schemas;

/** Every schema by name, in JSON Schema 2020-12, which is that of OpenAPI 3.1. */
export function componentSchemas(): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonSchemaOf(schema)]));
}

/** A zod schema as JSON Schema: of what it takes, or of what it gives. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  const value: JsonObject = JSON.parse(JSON.stringify(rest));
  return value;
}

/** Where a schema is in the document. */
export function schemaAt(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
