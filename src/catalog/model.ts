/**
 * A model of the catalog: what it is called, what it costs, what it can do.
 *
 * Where the figures of `models.json` come from, and how to renew them. Names, limits, prices and effort words are those
 * of the vendors' own model and pricing pages (developers.openai.com, platform.claude.com, ai.google.dev,
 * api-docs.deepseek.com, docs.x.ai, docs.mistral.ai, docs.z.ai, platform.kimi.ai); of the model lists their APIs answer,
 * which for Claude also say what thinking a model takes; and of the collections that follow those pages, which are the
 * quickest way to see what has changed: models.dev (anomalyco/models.dev, a file a model) and LiteLLM's
 * `model_prices_and_context_window.json`. Models that come by way of a compatible service have the ids of OpenRouter,
 * where the vendor's own spelling differs as an alias. A price is the standard tier's, and the one most requests pay:
 * that of the off-peak hours at DeepSeek, and an introductory one while it lasts: `later` has what follows, where that is
 * known (of GPT-5.6 Sol it is not). Where long prompts cost more, `long` has what they cost, and `tiers` how many times as
 * much it is to be served faster, at leisure or in one region. `shutdown` is the day that the vendor's page of deprecations
 * says; a model that is over stays, for a cloud with dates of its own may stand at the vendor's address. What is not
 * published is left out. The longest answer is that of one request: Gemini 4 goes on beyond it for clients that send its
 * `continuationToken` back. Thinking is left out where a model has a switch or a budget of the vendor's own that its
 * format has no field for.
 */

import { z } from 'zod';
import { EFFORTS } from '../conversation/prompt.ts';
import { TIERS } from '../conversation/tokens.ts';

const ID = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/;

const tokens = z.number().int().positive();
const dollars = z.number().nonnegative();
const effort = z.enum(EFFORTS);

const rates = {
  input: dollars,
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
  /** What all of a request costs whose input is more than so many tokens. Absent: the same. */
  long: z
    .strictObject({ above: tokens, ...rates })
    .readonly()
    .exactOptional(),
  /** A thousand web searches, where the vendor's usage counts them. Absent: they cost nothing, or nobody knows. */
  searches: dollars.exactOptional(),
  /** What all of an answer's tokens cost that was served otherwise, as a multiple. Absent: the same. */
  tiers: z.partialRecord(z.enum(TIERS), z.number().positive()).readonly().exactOptional(),
});

type Prices = Readonly<z.infer<typeof constant>> & {
  /** All the prices from a day of UTC on: what is introductory ends then, or another model answers by this one's name. */
  readonly later?: { readonly from: string; readonly prices: Prices };
};

const prices: z.ZodType<Prices> = constant
  .extend({ later: z.strictObject({ from: z.iso.date(), prices: z.lazy(() => prices) }).exactOptional() })
  .readonly();

const budget = z
  .strictObject({ min: z.number().int().nonnegative(), max: tokens })
  .readonly()
  .refine(({ min, max }) => min <= max, 'min must not be above max');

const thinking = z
  .strictObject({
    /** By which of them it is told how much to think; by none where it thinks as it will, and always. */
    kinds: z.array(z.enum(['effort', 'budget'])).readonly(),
    efforts: z.array(effort).readonly(),
    budget: budget.exactOptional(),
    canDisable: z.boolean(),
    /** Whether it can be told not to think before it answers, only between calls (Anthropic `between_tools`). Absent: no. */
    betweenTools: z.boolean().exactOptional(),
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

/** One model, as the catalog's data file and a configuration write it. */
export const modelSchema = z
  .strictObject({
    id: z.string().max(256).regex(ID, 'must be <vendor>/<model_name> in lower case'),
    /** For people to read. */
    name: z.string().min(1),
    /** When it was released, Unix seconds. */
    created: z.number().int().nonnegative(),
    /** The day on which its vendor shuts it down. Other services that have it, as clouds do, may go on. Absent: not said. */
    shutdown: z.iso.date().exactOptional(),
    /** Tokens of prompt and answer together. */
    contextWindow: tokens,
    maxOutputTokens: tokens,
    /** US dollars per million tokens. */
    prices,
    /** Further ids of the very same model. */
    aliases: z
      .array(z.string().max(256).regex(new RegExp(ID, 'i'), 'must be <vendor>/<model_name>'))
      .readonly()
      .exactOptional(),
    /** What it reads. */
    input: z
      .array(z.enum(['text', 'image', 'document', 'audio', 'video']))
      .min(1)
      .readonly()
      .exactOptional(),
    /** How it is told to think; absent: it cannot, or nobody knows. */
    thinking: thinking.exactOptional(),
    /** False where it refuses temperature, top_p, top_k and the like. Absent: true. */
    sampling: z.boolean().exactOptional(),
    /** False where a Gemini refuses a conversation that ends with the assistant. Absent: true. */
    prefill: z.boolean().exactOptional(),
    /** False where a Claude refuses to be made to call a tool. Absent: true. */
    forcedTools: z.boolean().exactOptional(),
    /** Whether a Claude takes system messages in the midst of a dialogue ("Mid-conversation system messages"). Absent: no. */
    laterSystem: z.boolean().exactOptional(),
    /** Whether a JSON schema is enforced on its answer. Absent: true. */
    structuredOutput: z.boolean().exactOptional(),
    /** Formats its service speaks besides those of its vendor. */
    endpoints: z
      .tuple([z.literal('responses')])
      .readonly()
      .exactOptional(),
    /** Deviation within its format. Absent: the vendor's. */
    dialect: z.string().exactOptional(),
    /** The name its vendor is sent, where it is not the part after the slash. */
    upstream: z.string().min(1).exactOptional(),
  })
  .readonly();

export type Model = z.infer<typeof modelSchema>;

/** US dollars per million tokens. */
export type Rates = Omit<Model['prices'], 'later' | 'long' | 'searches' | 'tiers'>;

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
 * Models from parsed JSON: each as the schema says, and no id or alias twice, whatever its case.
 * @throws Error whose message says which field of which model is wrong, and what it should be.
 */
export function parseModels(value: unknown): readonly Model[] {
  const parsed = modelsSchema.safeParse(value);
  if (!parsed.success) throw new Error(`Bad model catalog:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
