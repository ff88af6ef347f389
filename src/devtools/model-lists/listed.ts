/** A model as its vendor's list describes it, and what reads such lists. */

import type { Model } from '../../catalog/model.ts';
import { EFFORTS, type Effort } from '../../conversation/prompt.ts';
import { asText, type Json } from '../../lib/json.ts';

/** What a list says of one model. What it does not say is undefined; nothing is guessed. */
export interface Listed {
  /** The vendor's name for it. */
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
  /** The day on which it ends, YYYY-MM-DD. */
  readonly shutdown?: string | undefined;
  /** The day of its deprecation, past or to come; true if the list gives no day. */
  readonly deprecated?: string | true | undefined;
  /** It is listed for the record only: requests for it fail. */
  readonly withdrawn?: boolean | undefined;
  /** What it is made for, if the list itself says that this is not text. */
  readonly kind?: string | undefined;
}

export type Input = NonNullable<Model['input']>[number];

/** US dollars per million tokens. */
export type ListedPrices = { readonly [K in keyof Model['prices']]?: number | undefined };

type Thinking = NonNullable<Model['thinking']>;

/** Only OpenRouter's list says whether a model's reasoning can be turned off. */
export type ListedThinking = Omit<Thinking, 'canDisable' | 'budget'> & {
  readonly canDisable?: boolean | undefined;
  readonly budget?: Thinking['budget'] | undefined;
};

/** One page of a list. */
export interface Page {
  readonly models: readonly Listed[];
  /** The token to request the next page with; absent on the last page. */
  readonly next?: string | undefined;
}

/** How one kind of list is requested and read. */
export interface ListReader {
  /**
   * The path with query, below the vendor's base address.
   * @param next the token that the page before gave
   */
  path(next?: string): string;
  /** The contents of a page; undefined if the body is not a page of such a list. */
  page(body: Json): Page | undefined;
}

/** @returns those of `words` that are efforts of the catalog, in the catalog's order */
export function effortsAmong(words: ReadonlySet<string>): readonly Effort[] {
  return EFFORTS.filter((effort) => words.has(effort));
}

/** @returns the day of a date or time (ISO 8601), as YYYY-MM-DD; undefined for anything else */
export function parseDay(value: Json | undefined): string | undefined {
  const text = asText(value) ?? '';
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)) ? text.slice(0, 10) : undefined;
}

/** @returns a number of tokens; undefined for anything that cannot be one */
export function parseTokens(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** @returns a title for people, on one line and without characters that move a terminal's cursor */
export function parseTitle(value: Json | undefined): string | undefined {
  const title = (asText(value) ?? '')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 200);
  return title === '' ? undefined : title;
}
