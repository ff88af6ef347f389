/** A model as the list of its vendor tells it, and what reads such lists. */

import type { Model } from '../../catalog/model.ts';
import { EFFORTS, type Effort } from '../../conversation/prompt.ts';
import { asText, type Json } from '../../lib/json.ts';

/** What a list says of one model; what it does not say is undefined, and nothing is guessed. */
export interface Listed {
  /** As the vendor calls it. */
  readonly name: string;
  readonly title?: string | undefined;
  /** Unix seconds. */
  readonly created?: number | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly prices?: ListedPrices | undefined;
  readonly input?: readonly Input[] | undefined;
  readonly thinking?: ListedThinking | undefined;
  readonly sampling?: boolean | undefined;
  readonly structuredOutput?: boolean | undefined;
  /** The day it ends, YYYY-MM-DD. */
  readonly shutdown?: string | undefined;
  /** Since or from when it is deprecated; true where the list gives no day. */
  readonly deprecated?: string | true | undefined;
  /** Listed for the record only: requests for it fail. */
  readonly withdrawn?: boolean | undefined;
  /** What it is made for, where the list itself says that this is not text. */
  readonly kind?: string | undefined;
}

export type Input = NonNullable<Model['input']>[number];

/** US dollars per million tokens. */
export type ListedPrices = { readonly [K in keyof Model['prices']]?: number | undefined };

type Thinking = NonNullable<Model['thinking']>;

/** No list but OpenRouter's tells whether a model can be told not to think. */
export type ListedThinking = Omit<Thinking, 'canDisable' | 'budget'> & {
  readonly canDisable?: boolean | undefined;
  readonly budget?: Thinking['budget'] | undefined;
};

export interface Page {
  readonly models: readonly Listed[];
  /** What to ask the next page by; absent on the last one. */
  readonly next?: string | undefined;
}

/** One way of listing models. */
export interface ListReader {
  /** Path with query below the vendor's base. @param next what the page before ended by. */
  path(next?: string): string;
  /** What a page holds, or undefined where it is no page of such a list. */
  page(body: Json): Page | undefined;
}

/** Those of `words` that the catalog knows, in its order. */
export function effortsAmong(words: ReadonlySet<string>): readonly Effort[] {
  return EFFORTS.filter((effort) => words.has(effort));
}

/** The day of a date or time (ISO 8601); undefined for anything else. */
export function dayOf(value: Json | undefined): string | undefined {
  const text = asText(value) ?? '';
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)) ? text.slice(0, 10) : undefined;
}

/** A number of tokens; undefined for anything that cannot be one. */
export function tokensOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** A title for people, on one line and without what would move a terminal's cursor. */
export function titleOf(value: Json | undefined): string | undefined {
  const title = (asText(value) ?? '')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 200);
  return title === '' ? undefined : title;
}
