/** Selects the parts of a conversation that can be sent to Anthropic. */

import type { Part, ThinkingPart, Turn } from '../../../conversation/prompt.ts';
import { withParts } from '../../../conversation/turn-parts.ts';
import { mapItems } from '../../../lib/lists.ts';
import type { Report } from '../../format.ts';
import { keptBlock } from '../wire/kept-blocks.ts';

/**
 * Removes the parts that Anthropic has no block for, and reports why each is left out.
 * @returns the same list if all can be sent.
 */
export function filterSendable(turns: readonly Turn[], report: Report): readonly Turn[] {
  return mapItems(turns, (turn) => withParts(turn, filterParts(turn.parts, report)));
}

/** Tells whether Anthropic's models can read a thought: it has to be their own, and signed. */
export function isOwnThinking(part: ThinkingPart): boolean {
  return (part.redacted ?? part.signature)?.origin === 'anthropic';
}

function filterParts<P extends Part>(parts: readonly P[], report: Report): readonly P[] {
  // Nearly all parts can be sent, and this look at them makes no objects.
  if (areSendable(parts)) return parts;
  return mapItems(parts, (part) => {
    const reason = findObstacle(part);
    if (reason === undefined) {
      if (part.kind !== 'tool-result') return part;
      const content = filterParts(part.content, report);
      return content === part.content ? part : { ...part, content };
    }
    if (reason !== '') {
      report(`turns[].${part.kind === 'thinking' ? part.kind : 'content'}`, 'dropped', reason);
    }
    return undefined;
  });
}

function areSendable(parts: readonly Part[]): boolean {
  for (const part of parts) {
    if (findObstacle(part) !== undefined) return false;
    if (part.kind === 'tool-result' && !areSendable(part.content)) return false;
  }
  return true;
}

/** Whether a text is more than white space. Nearly always its first character shows that, without the expression. */
function showsText(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > SPACE && first < DELETE) || /\S/.test(text);
}

/** The ASCII characters between these two are visible. */
const SPACE = 0x20;
const DELETE = 0x7f;

/** Finds why a part cannot be sent. Returns '' if the part is empty, and undefined if it can be sent. */
function findObstacle(part: Part): string | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      // The vendor refuses texts that are empty or white space only.
      if (showsText(part.text) || keptBlock(part)) return undefined;
      if (part.signature) return `a signature of ${part.signature.origin}`;
      return part.text === '' ? '' : 'only white space';
    case 'thinking':
      return isOwnThinking(part) ? undefined : 'has no signature from Anthropic';
    case 'opaque':
      return part.format === 'messages' ? undefined : `a block that only ${part.format} can read`;
    case 'media':
    case 'tool-call':
    case 'tool-result':
      return undefined;
  }
}
