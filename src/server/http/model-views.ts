/** What the model lists answer. The renderers of `model-list.ts` are held to these schemas, and OpenAPI shows them. */

import { z } from 'zod';
import { modelSchema } from '../../catalog/model.ts';

const count = z.number().int().nonnegative();

/** An entry of `GET /v1/models`, with or without the fields that Anthropic's clients read. */
export const listedModel = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: count.describe('Unix time.'),
  owned_by: z.string(),
  context_length: count.describe('Most tokens of prompt and answer together.'),
  max_completion_tokens: count.describe('Most tokens of an answer.'),
  shutdown_date: z.iso
    .date()
    .exactOptional()
    .describe('The day on which its vendor shuts it down, if known.'),
});

export const modelList = z.looseObject({ object: z.literal('list'), data: z.array(listedModel) });

/** An entry of `GET /v1beta/models` (Gemini API, "Models"). */
export const googleModel = z.looseObject({
  name: z.string().describe('`models/<model_name>`.'),
  version: z.string(),
  displayName: z.string(),
  inputTokenLimit: count,
  outputTokenLimit: count,
  supportedGenerationMethods: z.array(z.string()),
});

export const googleModelList = z.looseObject({
  models: z.array(googleModel),
  nextPageToken: z.string().exactOptional().describe('The `pageToken` of the next page, if there is one.'),
});

const { thinking, prices, input } = modelSchema.unwrap().shape;
/** Prices as the catalog has them. They may contain other prices, from a later day on. */
export const modelPrices = prices;
const { kinds, efforts, canDisable, budget } = thinking.unwrap().unwrap().shape;

/** The models of the console: what its picker, its settings and its meter need. */
export const pricedModels = z.strictObject({
  models: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      aliases: z.array(z.string()).describe('Other ids of the same model.'),
      simulated: z.boolean().describe('Whether the sandbox plays it, so that it costs nothing.'),
      thinking: z
        .strictObject({ kinds, efforts, canDisable, budget })
        .exactOptional()
        .describe('How thinking is set: by words, or by a number of tokens. Absent if it cannot be set.'),
      sampling: z.boolean().describe('Whether it takes a temperature.'),
      contextWindow: z.int().describe('Most tokens of prompt and answer together.'),
      maxOutputTokens: z.int(),
      input: input.describe('The kinds of input that it reads. Absent: not known.'),
      structuredOutput: z.boolean().describe('Whether its vendor enforces a JSON schema on the answer.'),
      generateContent: z.boolean().describe('Whether the generate-content endpoint serves it.'),
      prices: modelPrices.describe(
        'US dollars per million tokens; `searches` per thousand web searches. `long` replaces the prices for requests with more than `above` input tokens, `tiers` are multiples for other service tiers, and `later` has the prices from a day on.',
      ),
    }),
  ),
});
