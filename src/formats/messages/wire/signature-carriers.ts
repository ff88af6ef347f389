/**
 * Signatures of other vendors' text and tool calls. Anthropic's format signs thinking only, so such a signature goes
 * to a client in an empty thinking block of its own, which the client sends back like any other:
 * - before a tool_use, sealed with a `c.` (call) before the value (`google#c.AbC…`): it belongs to that call; where no
 *   call follows, it is an empty part's own;
 * - where the part was already said when its signature came, after it, with a `p.` (previous); `.` is in no base64
 *   alphabet, so no vendor's signature begins so;
 * - none for the text at the end of an answer: Claude Code takes the last block for what was said, and Google, whose
 *   models sign their last words, needs the signatures of calls only (thought signatures guide).
 * Crush, Kimi Code and Zed make one block of all thinking in a row: the letter tells what such a block only carries
 * from the signature of its own thought.
 */

import type { Part, Signature, Turn } from '../../../conversation/prompt.ts';
import { broughtBack, seal } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';

const MARKS = { next: 'c.', previous: 'p.' } as const;

/** Which of its neighbours a carrier's signature belongs to. */
export type Place = keyof typeof MARKS;

/** Signatures that ride in carriers: those of vendors that sign more than thinking. */
export function isCarried(signature: Signature): boolean {
  return signature.origin === 'google' || signature.origin === 'other';
}

/**
 * The carrier of a call's or a text's signature, in a list of one; an empty list where there is none to carry.
 * @param place which of its neighbours it belongs to: a text that is empty has no block, and its carrier stands alone.
 */
export function carrierBlocks(signature: Signature | undefined, place: Place): readonly JsonObject[] {
  if (signature === undefined || !isCarried(signature)) return [];
  const { origin, value } = signature;
  return [
    { type: 'thinking', thinking: '', signature: seal({ origin, value: MARKS[place] + value }, 'anthropic') },
  ];
}

/** The signature in a block that is a carrier, else undefined. */
export function parseCarrier(block: JsonObject): Signature | undefined {
  const { type, thinking, signature } = block;
  if (type !== 'thinking' || thinking !== '') return undefined;
  const open = broughtBack(signature, 'anthropic');
  return open && isCarried(open) ? open : undefined;
}

interface Carried {
  readonly place: Place;
  readonly signature: Signature;
}

/** A carried signature, and which part it belongs to. */
export function openCarrier(carried: Signature): Carried {
  return marked(carried) ?? { place: 'next', signature: carried };
}

/** What a mark in front says; undefined without one. */
function marked({ origin, value }: Signature): Carried | undefined {
  const mark = value.slice(0, 2);
  const place = mark === MARKS.next ? 'next' : mark === MARKS.previous ? 'previous' : undefined;
  return place && { place, signature: { origin, value: value.slice(2) } };
}

/** Collects the parts of a turn, giving every carried signature to its part. */
export function partList(): { add(part: Part): void; carry(signature: Signature): void; parts(): Part[] } {
  const parts: Part[] = [];
  let waiting: Signature | undefined;

  const emptyText = (signature: Signature): void => {
    parts.push({ kind: 'text', text: '', signature });
  };
  const settle = (): void => {
    if (waiting) emptyText(waiting);
    waiting = undefined;
  };
  const add = (part: Part): void => {
    if (waiting && part.kind === 'tool-call') {
      parts.push({ ...part, signature: waiting });
      waiting = undefined;
      return;
    }
    settle();
    parts.push(part);
  };
  const carry = ({ place, signature }: Carried): void => {
    settle();
    if (place === 'next') {
      waiting = signature;
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
      const carried = part.kind === 'thinking' && part.signature && marked(part.signature);
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
 * A client may say an answer in several messages, which Anthropic takes for one (messages of a role in a row): a
 * signature that ends one of the assistant's belongs to the call that begins the next.
 */
export function carryOver(turns: readonly Turn[]): readonly Turn[] {
  const carried: Turn[] = [];
  for (const turn of turns) {
    const before = carried.at(-1);
    const carrier = before?.parts.at(-1);
    const [call, ...others] = turn.parts;
    const isCarried =
      before?.role === 'assistant' &&
      turn.role === 'assistant' &&
      carrier?.kind === 'text' &&
      carrier.text === '' &&
      carrier.signature !== undefined &&
      call?.kind === 'tool-call' &&
      call.signature === undefined;
    if (!isCarried) {
      carried.push(turn);
      continue;
    }
    carried[carried.length - 1] = { ...before, parts: before.parts.slice(0, -1) };
    carried.push({ ...turn, parts: [{ ...call, signature: carrier.signature }, ...others] });
  }
  return carried;
}
