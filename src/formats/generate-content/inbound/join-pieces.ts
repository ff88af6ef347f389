/**
 * Joins an answer that a caller got from a stream and sends back as it came: a part for each chunk, all in one content
 * or, with the chats of Google's SDKs, each in a content of its own. Other vendors sign a thought as a whole, and take
 * a text as one part.
 */

import type { Part, Turn } from '../../../conversation/prompt.ts';

/**
 * The same turns, in which adjacent turns of the model are one, and so are adjacent texts and adjacent thoughts of it.
 */
export function joinPieces(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  /** The parts of the last turn, if it is the model's. */
  let parts: Part[] | undefined;
  for (const turn of turns) {
    if (turn.role !== 'assistant' || turn.unknownFields !== undefined) {
      parts = undefined;
      joined.push(turn);
      continue;
    }
    if (parts === undefined) {
      parts = [];
      joined.push({ ...turn, parts });
    }
    for (const part of turn.parts) add(parts, part);
  }
  return joined;
}

function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last === undefined) parts.push(part);
  else if (isEmptyText(last)) parts[parts.length - 1] = part;
  else if (!isEmptyText(part)) {
    const joined = join(last, part);
    if (joined === undefined) parts.push(part);
    else parts[parts.length - 1] = joined;
  }
}

/** Whether a part is from a chunk that says nothing: the last one of a stream, or one that kept it open. */
function isEmptyText(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && part.signature === undefined && isPlain(part);
}

/** Two pieces as one part; undefined if they are not pieces of one part. */
function join(first: Part, second: Part): Part | undefined {
  if (!isPlain(first) || first.signature !== undefined || !isPlain(second)) return undefined;
  // Reasoning that only its vendor can read is a thought of its own. The last piece of any other thought has the signature.
  if (first.kind === 'thinking' && second.kind === 'thinking') {
    if (first.redacted !== undefined || second.redacted !== undefined) return undefined;
    return { ...second, text: first.text + second.text };
  }
  // A signature on the first text covers that text alone.
  if (first.kind === 'text' && second.kind === 'text' && second.signature === undefined)
    return { ...second, text: first.text + second.text };
  return undefined;
}

function isPlain({ formatSpecific, unknownFields }: Part): boolean {
  return formatSpecific === undefined && unknownFields === undefined;
}
