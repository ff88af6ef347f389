/**
 * Joins an answer that a caller got from a stream and sends back as it came: a part for each chunk, all in one content
 * or, with the chats of Google's SDKs, each in a content of its own. Other vendors sign a thought as a whole, and take
 * a text as one part.
 */

import type { Part, ThinkingPart, Turn } from '../../../conversation/prompt.ts';
import { keepItems } from '../../../lib/lists.ts';
import type { CarriedThought } from '../wire/thought-signature.ts';

/** Thoughts from the signature of the part that follows. */
export interface CarriedThoughts {
  readonly kind: 'carried-thoughts';
  readonly thoughts: readonly CarriedThought[];
  /** The signature that they are from. */
  readonly seal: string;
}

/** A part of a content, or thoughts that belong before the next part. */
export type Piece = Part | CarriedThoughts;

/** A turn in pieces. */
export interface PieceTurn extends Pick<Turn, 'role' | 'unknownFields'> {
  readonly pieces: readonly Piece[];
}

/**
 * The turns of these pieces, in which adjacent turns of the model are one, and so are adjacent texts and adjacent
 * thoughts of it.
 */
export function joinPieces(turns: readonly PieceTurn[]): readonly Turn[] {
  const joined: Turn[] = [];
  /** Adds to the last turn, if it is the model's. */
  let add: ((piece: Piece) => void) | undefined;
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at];
    if (turn === undefined) continue;
    const { role, unknownFields, pieces } = turn;
    if (role !== 'assistant' || unknownFields !== undefined) {
      add = undefined;
      joined.push(toSeparateTurn(turn));
      continue;
    }
    if (add === undefined && turns[at + 1]?.role !== 'assistant' && areJoined(pieces)) {
      joined.push({ role, parts: pieces });
      continue;
    }
    if (add === undefined) {
      const parts: Part[] = [];
      add = partJoiner(parts);
      joined.push({ role, parts });
    }
    for (const piece of pieces) add(piece);
  }
  return joined;
}

/** A turn that is not joined with others: it is not the model's, or has fields of its own. */
function toSeparateTurn({ role, unknownFields, pieces }: PieceTurn): Turn {
  const parts = role === 'assistant' ? restoreThoughts(pieces) : withoutThoughts(pieces);
  return unknownFields === undefined ? { role, parts } : { role, unknownFields, parts };
}

/** Whether pieces are the parts of an answer as they are. */
function areJoined(pieces: readonly Piece[]): pieces is readonly Part[] {
  let last: Part | undefined;
  for (const piece of pieces) {
    if (piece.kind === 'carried-thoughts' || isEmptyText(piece)) return false;
    if (last?.kind === piece.kind && (piece.kind === 'text' || piece.kind === 'thinking')) return false;
    last = piece;
  }
  return true;
}

/** The parts of a content that is not the model's, and so carries no thoughts. */
export function withoutThoughts(pieces: readonly Piece[]): readonly Part[] {
  return keepItems(pieces, (piece) => piece.kind !== 'carried-thoughts');
}

/** Adds pieces to `parts`, joined. */
function partJoiner(parts: Part[]): (piece: Piece) => void {
  const addThoughts = thoughtAdder(parts);
  return (piece) => {
    if (piece.kind === 'carried-thoughts') return addThoughts(piece);
    const last = parts.at(-1);
    if (last === undefined) parts.push(piece);
    else if (isEmptyText(last)) parts[parts.length - 1] = piece;
    else if (!isEmptyText(piece)) {
      const joined = join(last, piece);
      if (joined === undefined) parts.push(piece);
      else parts[parts.length - 1] = joined;
    }
  };
}

function restoreThoughts(pieces: readonly Piece[]): readonly Part[] {
  const parts: Part[] = [];
  const addThoughts = thoughtAdder(parts);
  for (const piece of pieces) {
    if (piece.kind === 'carried-thoughts') addThoughts(piece);
    else parts.push(piece);
  }
  return parts;
}

/** Adds carried thoughts to `parts`. Google's agent kit copies the signature of a call to the calls beside it. */
function thoughtAdder(parts: Part[]): (carried: CarriedThoughts) => void {
  let previous: string | undefined;
  return ({ thoughts, seal }) => {
    const last = parts.at(-1);
    if (seal === previous && last?.kind === 'tool-call') return;
    previous = seal;
    if (last && isEmptyText(last)) parts.pop();
    for (const thought of thoughts) addThought(parts, thought);
  };
}

function addThought(parts: Part[], { text, ...proof }: CarriedThought): void {
  const last = parts.at(-1);
  const isShown = text === undefined && proof.redacted === undefined;
  if (isShown && last?.kind === 'thinking' && isOpen(last)) parts[parts.length - 1] = { ...last, ...proof };
  else parts.push({ kind: 'thinking', text: text ?? '', ...proof });
}

function isOpen(part: ThinkingPart): boolean {
  return part.signature === undefined && part.redacted === undefined && isPlain(part);
}

/**
 * Whether a part is from a chunk that says nothing: the last one of a stream, or one that kept it open. Go writes its
 * text as an empty part.
 */
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
