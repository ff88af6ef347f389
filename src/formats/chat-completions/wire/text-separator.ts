/**
 * What a message of one text has where the answer had several things: a blank line, where the one before does not end,
 * nor the one behind begin, with white space of its own.
 *
 * Thoughts always stand apart. OpenAI's summaries are titles as a rule, and have nothing between them but their index:
 * read as one text, they were `**One****Two**` (diegosouzapw/OmniRoute#9500, zendev-sh/goai#125). Texts do where
 * something was done or thought between them ("for you.Now let me", vellum-ai/vellum-assistant#10805), and not where one
 * follows the other: Claude begins a new one with each thing it cites (pydantic/pydantic-ai#2933).
 */

import type { Part, TextPart } from '../../../conversation/prompt.ts';

/** What stands between the end of one text and the beginning of another. */
export function separatorBetween(before: string, after: string): string {
  if (before === '' || after === '') return '';
  return isSpace(before.at(-1)) || isSpace(after[0]) ? '' : '\n\n';
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

/** Thoughts as one text. The end of all before is that of the last: to look at all for each would cost their square. */
export function joinThoughts(thoughts: readonly { readonly text: string }[]): string {
  const pieces: string[] = [];
  let last = '';
  for (const { text } of thoughts) {
    pieces.push(separatorBetween(last, text), text);
    last = text || last;
  }
  return pieces.join('');
}

/** The texts of an answer, with what stands between them as texts of its own. */
export function separateTexts(parts: readonly Part[]): readonly TextPart[] {
  const texts: TextPart[] = [];
  let isInterrupted = false;
  for (const part of parts) {
    if (part.kind !== 'text') {
      isInterrupted = true;
      continue;
    }
    const gap = isInterrupted ? separatorBetween(texts.at(-1)?.text ?? '', part.text) : '';
    if (gap !== '') texts.push({ kind: 'text', text: gap });
    texts.push(part);
    if (part.text !== '') isInterrupted = false;
  }
  return texts;
}
