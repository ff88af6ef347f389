/**
 * A model of the catalog: its names, its prices, and what it can do.
 *
 * This is where the figures of `models.json` come from, and how to renew them:
 * - Names, limits, prices and effort words come from three sources. The first are the vendors' own pages of models and
 *   prices (developers.openai.com, platform.claude.com, ai.google.dev, api-docs.deepseek.com, docs.x.ai,
 *   docs.mistral.ai, docs.z.ai, platform.kimi.ai). The second are the model lists of their APIs, which for Claude also
 *   tell what thinking a model takes. The third are collections that follow those pages, and show quickest what has
 *   changed: models.dev (anomalyco/models.dev, one file for each model) and LiteLLM's
 *   `model_prices_and_context_window.json`.
 * - Models behind a compatible service have the ids of OpenRouter, and the vendor's own spelling as an alias if it
 *   differs.
 * - A price is that of the standard tier, and the one most requests pay: at DeepSeek that of the off-peak hours, and
 *   an introductory price while it lasts. `later` has the price after it, if that is known (for GPT-5.6 Sol it is
 *   not). `long` has the price of long prompts if it differs, and `tiers` the factor for faster, slower or regional
 *   service.
 * - `shutdown` is the day on the vendor's page of deprecations. The model stays in the catalog afterwards, since a
 *   cloud with dates of its own may stand at the vendor's address.
 * - What is not published is left out. `maxOutputTokens` is for one request: Gemini 4 continues beyond it for clients
 *   that send back its `continuationToken`. `thinking` is left out if a model has a switch or a budget of its own that
 *   its format has no field for.
 */

import { z } from 'zod';
import { EFFORTS } from '../conversation/prompt.ts';
import { TIERS } from '../conversation/tokens.ts';

const ID = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/;

const tokens = z.number().int().positive();
const dollars = z.number().nonnegative();
const effort = z.enum(EFFORTS);

const rates = {
  /** Input that no cache had. */
  input: dollars,
  /** Output, reasoning included. */
  output: dollars,
  /** Input read from a cache. */
  cacheRead: dollars.exactOptional(),
  /** Input written to a cache that lives for minutes. */
  cacheWrite: dollars.exactOptional(),
  /** Input written to a cache that lives for an hour (Anthropic) or twelve (OpenAI). */
  cacheWriteHour: dollars.exactOptional(),
};

const constant = z.strictObject({
  ...rates,
  /** The prices of a whole request with more input tokens than `above`. Absent: the same prices. */
  long: z
    .strictObject({
      /** The input tokens above which these prices hold. */
      above: tokens,
      ...rates,
    })
    .readonly()
    .exactOptional(),
  /** A thousand web searches, if the vendor's usage counts them. Absent: they are free, or the price is not known. */
  searches: dollars.exactOptional(),
  /** For each tier, the factor on the prices of all tokens. Absent: 1. */
  tiers: z.partialRecord(z.enum(TIERS), z.number().positive()).readonly().exactOptional(),
});

// YAML takes a date without quotes for a time.
const date = z.iso.date('must be a date in quotes, such as "2027-01-31"');

type Prices = Readonly<z.infer<typeof constant>> & {
  /** All prices from a day on (UTC): an introductory price ends, or another model answers under this name. */
  readonly later?: { readonly from: string; readonly prices: Prices };
};

const prices: z.ZodType<Prices> = constant
  .extend({
    /** All prices from a day on: an introductory price ends, or another model answers under this name. */
    later: z
      .strictObject({
        /** The first day (UTC). */
        from: date,
        /** The prices from that day on. */
        prices: z.lazy(() => prices),
      })
      .exactOptional(),
  })
  .readonly();

const budget = z
  .strictObject({
    /** The fewest tokens. */
    min: z.number().int().nonnegative(),
    /** The most tokens. */
    max: tokens,
  })
  .readonly()
  .refine(({ min, max }) => min <= max, 'min must not be above max');

const thinking = z
  .strictObject({
    /** The settings it takes for how much to think; empty if it always thinks, as much as it decides. */
    kinds: z.array(z.enum(['effort', 'budget'])).readonly(),
    /** The efforts it takes, if `kinds` has `effort`; else empty. */
    efforts: z.array(effort).readonly(),
    /** How many tokens of thinking it can be given, if `kinds` has `budget`. */
    budget: budget.exactOptional(),
    /** Whether thinking can be turned off. */
    canDisable: z.boolean(),
    /** Whether it can be set to think only between calls (Anthropic `between_tools`). Absent: no. */
    betweenTools: z.boolean().exactOptional(),
    /** Whether it thinks only if a request asks for it. Absent: no. */
    offByDefault: z.boolean().exactOptional(),
    /** Whether it takes temperature, top_p and log probabilities after all while it does not think. Absent: no. */
    samplingWhenOff: z.boolean().exactOptional(),
  })
  .readonly()
  .refine(
    (traits) => traits.kinds.includes('effort') === traits.efforts.length > 0,
    'efforts must be listed if kinds includes "effort", and empty otherwise',
  )
  .refine(
    (traits) => traits.kinds.includes('budget') === (traits.budget !== undefined),
    'budget is required if kinds includes "budget", and not allowed otherwise',
  )
  .refine(
    (traits) => traits.kinds.length > 0 || !traits.canDisable,
    'kinds must not be empty if canDisable is true',
  )
  .refine(
    (traits) => traits.canDisable || !traits.efforts.includes('none'),
    'canDisable must be true if efforts includes "none"',
  );

/** One model, as in the catalog's data file and in a configuration. */
export const modelSchema = z
  .strictObject({
    /** `<vendor>/<model_name>`, in lower case. */
    id: z.string().max(256).regex(ID, 'must be <vendor>/<model_name> in lower case'),
    /** The name for people. */
    name: z.string().min(1),
    /** When it was released, in Unix seconds. */
    created: z.number().int().nonnegative(),
    /** The day on which its vendor shuts it down; clouds may offer it longer. Absent: not announced. */
    shutdown: date.exactOptional(),
    /** The most tokens of prompt and answer together. */
    contextWindow: tokens,
    /** The most tokens of one answer. */
    maxOutputTokens: tokens,
    /** US dollars per million tokens. */
    prices,
    /** Further ids of the same model. */
    aliases: z
      .array(z.string().max(256).regex(new RegExp(ID, 'i'), 'must be <vendor>/<model_name>'))
      .readonly()
      .exactOptional(),
    /** The kinds of input it reads. */
    input: z
      .array(z.enum(['text', 'image', 'document', 'audio', 'video']))
      .min(1)
      .readonly()
      .exactOptional(),
    /** How it takes settings of thinking. Absent: it does not think, or this is not known. */
    thinking: thinking.exactOptional(),
    /**
     * Whether the text of its answers in chat-completions begins with its thoughts, between `<think>` and `</think>`,
     * because its server does not separate them. `closing`: they do, and the first tag is in the prompt instead (DeepSeek
     * R1, QwQ). Absent: no, except at Groq, Together and MiniMax.
     */
    thinkTags: z
      .union([z.boolean(), z.literal('closing')], "must be true, false or 'closing'")
      .exactOptional(),
    /** False if it refuses temperature, top_p, top_k and the like. Absent: true. */
    sampling: z.boolean().exactOptional(),
    /** False if a Gemini refuses a conversation that ends with the assistant. Absent: true. */
    prefill: z.boolean().exactOptional(),
    /** False if a Claude cannot be forced to call a tool. Absent: true. */
    forcedTools: z.boolean().exactOptional(),
    /**
     * Whether a Claude takes system messages in the middle of a dialogue ("Mid-conversation system messages"). Absent:
     * no.
     */
    laterSystem: z.boolean().exactOptional(),
    /** Whether its vendor enforces a JSON schema on the answer. Absent: true. */
    structuredOutput: z.boolean().exactOptional(),
    /** Formats that its service offers besides those of its vendor. */
    endpoints: z
      .tuple([z.literal('responses')])
      .readonly()
      .exactOptional(),
    /** How its service deviates within its format. Absent: as its vendor does. */
    dialect: z.string().exactOptional(),
    /** The name that its vendor is sent. Absent: the part of the id after the slash. */
    upstream: z.string().min(1).exactOptional(),
  })
  .readonly();

/** One model. */
export type Model = z.infer<typeof modelSchema>;

const modelsSchema = z
  .array(modelSchema)
  .readonly()
  .superRefine((models, context) => {
    const taken = new Set<string>();
    for (const [index, model] of models.entries()) {
      for (const name of [model.id, ...(model.aliases ?? [])].map((text) => text.toLowerCase())) {
        if (taken.has(name))
          context.addIssue({ code: 'custom', path: [index], message: `${name} is listed more than once` });
        taken.add(name);
      }
    }
  });

/**
 * Models from parsed JSON. No id or alias may come twice, in whatever case.
 * @throws Error whose message names the wrong field and model, and what the field should be.
 */
export function parseModels(value: unknown): readonly Model[] {
  const parsed = modelsSchema.safeParse(value);
  if (!parsed.success) throw new Error(`Bad model catalog:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
