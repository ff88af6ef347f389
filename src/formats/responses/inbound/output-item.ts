/** What the kinds of output items have in common while they are written. */

import type { Signature } from '../../../conversation/prompt.ts';
import type { PartDetail, PartStart, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** Who is told what happens to the items: a stream's reader. A whole answer has nobody to tell. */
export interface Teller {
  say(type: string, fields: JsonObject): void;
  /** Events with the same fields, one after another: those are written only once. */
  sayEach(types: readonly string[], fields: JsonObject): void;
  /** Where the pieces of one text go: what is the same in each of them is written only once. */
  deltas(type: string, place: JsonObject): (text: string) => void;
}

/** Where an item stands in the answer. */
export interface Place {
  readonly id: string;
  readonly index: number;
}

export type Status = 'in_progress' | 'completed' | 'incomplete';

/** What a message is: said before a call, or the answer. */
export type Phase = 'commentary' | 'final_answer';

/** An item that is being written. Its parts come one after another; whether it was complete is known only later. */
export interface Item {
  /** Whether it tells of its coming itself, when its first part ends: nothing can be said of it before. */
  readonly isLate?: boolean;
  /** Whether a part that starts now is one more of this item's. */
  takes(start: PartStart): boolean;
  start(start: PartStart): void;
  delta(text: string): void;
  detail(detail: PartDetail): void;
  logprobs?(tokens: readonly TokenLogprob[]): void;
  end(): void;
  /** Nothing that comes now goes on with the part that has ended last. Absent where nothing ever does. */
  close?(): void;
  /** Says nothing more of the text that is open. @returns whether one is */
  pause(): boolean;
  /** The item as it is now. @param phase of a message, where it is known */
  value(status: Status, phase?: Phase): JsonObject;
  /** A signature that came with a part for which this format has no field. */
  unplaced(): Signature | undefined;
}
