/** Answers of few words that a prompt orders: `Reply with exactly OK`, `Reply with just the number.` */

import type { Ask } from './ask.ts';

/** The order, and what is to be said: a quotation, or a word in capital letters. `JSON` is a form and not a word. */
const EXACT_WORDS =
  /\b(?:[Rr]eply|[Aa]nswer|[Rr]espond|[Ss]ay)\s+(?:with\s+)?(?:(?:exactly|only|just)\s+){0,2}(?:the word\s+)?(?:"([^"\n]{1,200})"|`([^`\n]{1,200})`|(?!JSON\b)([A-Z][A-Z0-9_]{1,40})\b)/;

const JUST_THE_NUMBER =
  /\b(?:[Rr]eply|[Aa]nswer|[Rr]espond)\s+with\s+(?:just|only|exactly)\s+(?:the|a)\s+(?:number|digits|result)\b/;

const NUMBER = /-?\d+(?:\.\d+)?/g;

/**
 * @returns what the user's last text orders, or else the system prompt; a number is the last one in the results of tools, or
 *   else in what was said before. undefined if nothing is ordered, or there is no number.
 */
export function orderedWords(ask: Ask): string | undefined {
  return [ask.said, ask.told].flatMap((text) => wordsOrderedIn(text, ask) ?? [])[0];
}

function wordsOrderedIn(text: string, ask: Ask): string | undefined {
  if (JUST_THE_NUMBER.test(text)) return lastNumber(ask);
  const [, quoted, ticked, capitals] = EXACT_WORDS.exec(text) ?? [];
  return quoted ?? ticked ?? capitals;
}

function lastNumber({ results, prompt, said }: Ask): string | undefined {
  const before = prompt.map(({ text }) => text).filter((text) => text !== said);
  return [...before, ...results.map(({ text }) => text)].flatMap((text) => text.match(NUMBER) ?? []).at(-1);
}
