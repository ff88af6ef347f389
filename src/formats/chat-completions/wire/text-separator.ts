/**
 * What separates the parts of an answer that a message holds as one text: a blank line, unless the first ends or the
 * second begins with white space.
 *
 * Thoughts are always separated. OpenAI's summaries are usually titles with nothing between them but their index; joined,
 * they read `**One****Two**` (diegosouzapw/OmniRoute#9500, zendev-sh/goai#125). Texts are separated if a call or a
 * thought came between them ("for you.Now let me", vellum-ai/vellum-assistant#10805), and if they are different messages
 * of one answer. Other consecutive texts are not: Claude begins a new one with each citation (pydantic/pydantic-ai#2933).
 */

import type { Part, TextPart } from '../../../conversation/prompt.ts';

/** The separator between two texts: a blank line, or nothing. */
export function separatorBetween(before: string, after: string): string {
  if (before === '' || after === '') return '';
  return isSpace(before.at(-1)) || isSpace(after[0]) ? '' : '\n\n';
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

/** Thoughts as one text. Only the last text is looked at for each separator, so the cost is linear in the thoughts. */
export function joinThoughts(thoughts: readonly { readonly text: string }[]): string {
  const pieces: string[] = [];
  let last = '';
  for (const { text } of thoughts) {
    pieces.push(separatorBetween(last, text), text);
    last = text || last;
  }
  return pieces.join('');
}

/** The texts of an answer, with the separators between them as texts of their own. */
export function separateTexts(parts: readonly Part[]): readonly TextPart[] {
  return separateParts(parts).filter((part) => part.kind === 'text');
}

/** The parts of an answer, with the separators between their texts as texts of their own. */
export function separateParts(parts: readonly Part[]): readonly Part[] {
  const separated: Part[] = [];
  let last = '';
  let isInterrupted = false;
  let item: number | undefined;
  for (const part of parts) {
    if (part.kind !== 'text') {
      separated.push(part);
      isInterrupted = true;
      continue;
    }
    if (part.formatSpecific?.item !== item) isInterrupted = true;
    item = part.formatSpecific?.item;
    const separator = isInterrupted ? separatorBetween(last, part.text) : '';
    if (separator !== '') separated.push({ kind: 'text', text: separator });
    separated.push(part);
    if (part.text === '') continue;
    isInterrupted = false;
    last = part.text;
  }
  return separated;
}
