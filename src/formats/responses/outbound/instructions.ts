/** Where system text goes: into `instructions`, or into messages of the input. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { TextPart, Turn } from '../../../conversation/prompt.ts';
import type { RenderContext } from './render-context.ts';

/** System text in its place. */
export interface PlacedInstructions {
  readonly instructions?: string;
  /** The turns that are left for the input. */
  readonly turns: readonly Turn[];
}

/**
 * Places the leading system turns. If they are text only they become the `instructions`, or developer messages if only
 * messages are cached. A caller of this format has decided it already. If the prompt has no other turns they stay in the
 * input, because a request needs one.
 */
export function placeInstructions(
  turns: readonly Turn[],
  { cachesMessages }: RenderContext,
): PlacedInstructions {
  const [first] = turns;
  if (first && findRoundTrip(first.formatSpecific, 'responses')['instructions'] === true) {
    return { instructions: joinText([first]), turns: turns.slice(1) };
  }
  const rest = turns.findIndex((turn) => !isInstruction(turn));
  if (rest <= 0) return { turns };
  if (cachesMessages) {
    return { turns: turns.map((turn, at) => (at < rest ? { ...turn, developer: true } : turn)) };
  }
  return { instructions: joinText(turns.slice(0, rest)), turns: turns.slice(rest) };
}

function isInstruction({ role, formatSpecific, parts, unknownFields }: Turn): boolean {
  return role === 'system' && formatSpecific?.format !== 'responses' && !unknownFields && parts.every(isText);
}

function isText(part: Turn['parts'][number]): part is TextPart {
  return part.kind === 'text' && part.formatSpecific?.format !== 'responses';
}

function joinText(turns: readonly Turn[]): string {
  return turns
    .flatMap((turn) => turn.parts.map((part) => (part.kind === 'text' ? part.text : '')))
    .join('\n\n');
}
