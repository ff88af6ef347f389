/** What of a conversation can be sent to Anthropic at all. */

import type { Part, ThinkingPart, Turn } from '../../../conversation/prompt.ts';
import type { Report } from '../../format.ts';
import { wholeBlock } from '../wire/whole-blocks.ts';
import { FORMAT } from '../wire/wire.ts';

/** The turns with such parts only as have a block; of every other it is reported why it is left out. */
export function sendableTurns(turns: readonly Turn[], report: Report): readonly Turn[] {
  return turns.map((turn) => ({ ...turn, parts: sendable(turn.parts, report) }));
}

/** Whether thinking is such as Anthropic's models can read: theirs, and signed. */
export function isOwnThinking(part: ThinkingPart): boolean {
  return (part.redacted ?? part.signature)?.origin === 'anthropic';
}

function sendable<P extends Part>(parts: readonly P[], report: Report): readonly P[] {
  return parts.flatMap((part): readonly P[] => {
    const reason = whyNot(part);
    if (reason === undefined) {
      return [part.kind === 'tool-result' ? { ...part, content: sendable(part.content, report) } : part];
    }
    if (reason !== '')
      report(`turns[].${part.kind === 'thinking' ? part.kind : 'content'}`, 'dropped', reason);
    return [];
  });
}

/** Why a part has no block; '' where there is nothing in it, undefined where it has one. */
function whyNot(part: Part): string | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      // The vendor refuses text without anything to read.
      if (wholeBlock(part) || part.text.trim() !== '') return undefined;
      if (part.signature) return `a signature of ${part.signature.origin}`;
      return part.text === '' ? '' : 'only white space';
    case 'thinking':
      return isOwnThinking(part) ? undefined : 'has no signature from Anthropic';
    case 'opaque':
      return part.format === FORMAT ? undefined : `a block that only ${part.format} can read`;
    case 'media':
    case 'tool-call':
    case 'tool-result':
      return undefined;
  }
}
