/** The models that a key may use, as the gateway describes them to the console. */

import type { FormatName, Settings, Thinking, Usage } from '../formats/dialogue.ts';
import { UNKNOWN } from '../formats/thinking.ts';

/** US dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Model {
  readonly id: string;
  readonly name: string;
  /** Other ids of the same model. */
  readonly aliases: readonly string[];
  /** Whether the sandbox plays the model, so that it costs nothing. */
  readonly simulated: boolean;
  /** How the model accepts its reasoning setting; absent if it does not reason. */
  readonly thinking?: Thinking;
  /** Whether the model takes a temperature. */
  readonly sampling: boolean;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** The kinds of input it reads; absent if this is not known. */
  readonly input?: readonly string[];
  /** Whether its vendor enforces a JSON schema on the answer. */
  readonly structuredOutput: boolean;
  /** Whether the gateway serves the model in the generate-content format. */
  readonly generateContent: boolean;
  /** `long` holds for more than `above` input tokens. */
  readonly prices: Rates & { readonly long?: Rates & { readonly above: number } };
}

/** What decides which settings a model accepts. */
export type Traits = Pick<Settings, 'thinking'> & Pick<Model, 'sampling' | 'maxOutputTokens'>;

/** The traits that the console assumes for a model that is not in the catalog. */
const UNLISTED: Traits = { thinking: UNKNOWN, sampling: true, maxOutputTokens: Number.POSITIVE_INFINITY };

/** Finds a model by its id or an alias, in any case. */
export function findModel(models: readonly Model[], name: string): Model | undefined {
  const wanted = name.toLowerCase();
  return models.find(
    ({ id, aliases }) => id === wanted || aliases.some((alias) => alias.toLowerCase() === wanted),
  );
}

export function getTraits(models: readonly Model[], name: string): Traits {
  return findModel(models, name) ?? UNLISTED;
}

/** Whether a format reaches a model. The gateway may serve only Google's models in generate-content. */
export function isReached(models: readonly Model[], name: string, format: FormatName): boolean {
  if (format !== 'generate-content') return true;
  return findModel(models, name)?.generateContent ?? /^google\//i.test(name);
}

/** The vendor in a model's id. */
export function modelVendor(id: string): string {
  return id.split('/')[0] ?? id;
}

/** US dollars for an answer. */
export function getCost(usage: Usage, { long, ...usual }: Model['prices']): number {
  const { input, cacheRead, cacheWrite, output } = usage;
  const rates = long && input > long.above ? long : usual;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  return (
    (plain * rates.input +
      cacheRead * (rates.cacheRead ?? rates.input) +
      cacheWrite * (rates.cacheWrite ?? rates.input) +
      output * rates.output) /
    1e6
  );
}
