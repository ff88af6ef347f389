/**
 * An answer that a caller has from a stream and brings back as it came: a part for each chunk, all in one content or,
 * as the chats of Google's SDKs have it, each in one of its own. Other vendors sign a thought as a whole, and a text of
 * theirs is no list of words.
 */

import type { Part, Turn } from '../../../conversation/prompt.ts';

/** The same turns: those of the model in a row are one, and so are its texts in a row, and its thoughts. */
export function joinPieces(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  /** Of the answer that is the last of them. */
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
    const one = asOne(last, part);
    if (one === undefined) parts.push(part);
    else parts[parts.length - 1] = one;
  }
}

/** A chunk that says nothing: the last one of a stream, or one that has kept it open. */
function isEmptyText(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && part.signature === undefined && isPlain(part);
}

/** Two pieces as one; undefined where they are none of the same. */
function asOne(first: Part, second: Part): Part | undefined {
  if (!isPlain(first) || first.signature !== undefined || !isPlain(second)) return undefined;
  // Reasoning that only its vendor can read is a thought of its own. Of any other, the last piece bears the signature.
  if (first.kind === 'thinking' && second.kind === 'thinking') {
    if (first.redacted !== undefined || second.redacted !== undefined) return undefined;
    return { ...second, text: first.text + second.text };
  }
  // A text that is signed was signed as it is.
  if (first.kind === 'text' && second.kind === 'text' && second.signature === undefined)
    return { ...second, text: first.text + second.text };
  return undefined;
}

function isPlain({ formatSpecific: own, unknownFields: extra }: Part): boolean {
  return own === undefined && extra === undefined;
}
