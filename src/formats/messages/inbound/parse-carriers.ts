/** Gives the signatures that came in carriers (`wire/signature-carriers.ts`) back to the parts that they belong to. */

import type { Part, Signature, Turn } from '../../../conversation/prompt.ts';
import { unsealReturned } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  type CarriedSignature,
  isCarried,
  isCarrier,
  openCarrier,
  parseMarked,
} from '../wire/signature-carriers.ts';

/** Returns the signature that a block carries, or undefined if the block is not a carrier. */
export function parseCarrier(block: JsonObject): Signature | undefined {
  const { type, thinking, signature } = block;
  if (type !== 'thinking' || thinking !== '') return undefined;
  const open = unsealReturned(signature, 'anthropic');
  return open && isCarrier(open) ? open : undefined;
}

interface PartCollector {
  add(part: Part): void;
  /** Takes a signature that a carrier brought. */
  carry(signature: Signature): void;
  parts(): Part[];
}

/** Collects the parts of a turn, and gives every carried signature to the part that it belongs to. */
export function collectParts(): PartCollector {
  const parts: Part[] = [];
  /** A signature whose call has not come yet. */
  let pending: Signature | undefined;

  const emptyText = (signature: Signature): void => {
    parts.push({ kind: 'text', text: '', signature });
  };
  const settle = (): void => {
    if (pending) emptyText(pending);
    pending = undefined;
  };
  const add = (part: Part): void => {
    if (pending && part.kind === 'tool-call') {
      parts.push({ ...part, signature: pending });
      pending = undefined;
      return;
    }
    settle();
    parts.push(part);
  };
  const carry = ({ place, signature }: CarriedSignature): void => {
    settle();
    if (place === 'next') {
      pending = signature;
      return;
    }
    const last = parts.at(-1);
    if (last === undefined || (last.kind !== 'text' && last.kind !== 'tool-call') || last.signature) {
      emptyText(signature);
    } else {
      parts[parts.length - 1] = { ...last, signature };
    }
  };
  return {
    add(part) {
      const carried = part.kind === 'thinking' && part.signature && parseMarked(part.signature);
      if (!carried || !isCarried(carried.signature)) {
        add(part);
        return;
      }
      const { signature: _, ...thought } = part;
      if (carried.place === 'previous') carry(carried);
      add(thought);
      if (carried.place === 'next') carry(carried);
    },
    carry: (carried) => carry(openCarrier(carried)),
    parts() {
      settle();
      return parts;
    },
  };
}

/**
 * Joins signatures and calls across messages. A client may split an answer into several messages, which Anthropic treats
 * as one (consecutive messages of a role). A signature at the end of an assistant message then belongs to the call at the
 * beginning of the next one.
 */
export function carryAcrossTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const before = joined.at(-1);
    const carrier = before?.parts.at(-1);
    const call = turn.parts[0];
    const isCarried =
      before?.role === 'assistant' &&
      turn.role === 'assistant' &&
      carrier?.kind === 'text' &&
      carrier.text === '' &&
      carrier.signature !== undefined &&
      call?.kind === 'tool-call' &&
      call.signature === undefined;
    if (!isCarried) {
      joined.push(turn);
      continue;
    }
    joined[joined.length - 1] = { ...before, parts: before.parts.slice(0, -1) };
    joined.push({ ...turn, parts: [{ ...call, signature: carrier.signature }, ...turn.parts.slice(1)] });
  }
  return joined;
}
