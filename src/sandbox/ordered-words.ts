/** Answers of few words that a prompt orders: `Reply with exactly OK`, `Reply with just the number.` */

import type { Ask } from './ask.ts';

/**
 * The order, an adverb that makes it strict, and what is to be said: a quotation, or a word in capital letters. `JSON` is a
 * form and not a word, and an adverb in capital letters is none either.
 */
const EXACT_WORDS =
  /\b(?:reply|answer|respond|say) (?:with )?((?:(?:exactly|only|just) ){0,2})(?:the word )?(?:"([^"\n]{1,200})"|`([^`\n]{1,200})`|(\w{2,40})\b)/i;
const CAPITALS = /^(?!(?:JSON|EXACTLY|ONLY|JUST)$)[A-Z][A-Z0-9_]+$/;

const JUST_THE_NUMBER =
  /\b(?:reply|answer|respond) with (?:just|only|exactly) (?:the|a) (?:number|digits|result)\b/i;

const NUMBER = /-?\d+(?:\.\d+)?/g;

/**
 * @returns what the user's last text orders, or else the system prompt, whose orders must be strict; a number is the last one
 *   in the results of tools, or else in what was said before. undefined if nothing is ordered, or there is no number.
 */
export function orderedWords(ask: Ask): string | undefined {
  if (JUST_THE_NUMBER.test(ask.said) || JUST_THE_NUMBER.test(ask.told)) return lastNumber(ask);
  return wordsOrderedIn(ask.said, false) ?? wordsOrderedIn(ask.told, true);
}

function wordsOrderedIn(text: string, strictly: boolean): string | undefined {
  const [, adverb = '', quoted, ticked, word = ''] = EXACT_WORDS.exec(text) ?? [];
  if (strictly && adverb === '') return undefined;
  return quoted ?? ticked ?? (CAPITALS.test(word) ? word : undefined);
}

function lastNumber({ results, prompt, said }: Ask): string | undefined {
  const before = prompt.map(({ text }) => text).filter((text) => text !== said);
  return [...before, ...results.map(({ text }) => text)].flatMap((text) => text.match(NUMBER) ?? []).at(-1);
}
