/** What the writers of all kinds of output items have in common. */

import type { PartDetail, PartStart, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { RenderedResponse } from './rendered-response.ts';

/** Where the events of a stream go. A whole answer discards them. */
export interface EventWriter {
  write(type: string, fields: JsonObject): void;
  /** Writes one event for each type, all with the same response, which is made and serialized only once. */
  writeResponse(types: readonly string[], render: () => RenderedResponse): void;
  /** Prepares the deltas of one text: what they have in common is serialized only once. */
  deltas(type: string, place: JsonObject): Deltas;
  writeDelta(deltas: Deltas, text: string): void;
}

/** What the deltas of one text have in common. */
export interface Deltas {
  readonly type: string;
  /** The JSON before the number. */
  readonly head: string;
}

/** The place of an item in the answer. */
export interface Place {
  readonly id: string;
  readonly index: number;
}

export type Status = 'in_progress' | 'completed' | 'incomplete';

/** Whether a message was said before a call, or is the answer. */
export type Phase = 'commentary' | 'final_answer';

/** An item that is being written. Its parts come one after another; whether it is complete is known only later. */
export interface Item {
  /** Whether it writes its own `added` event when its first part ends, because nothing is known of it before. */
  readonly isLate?: boolean;
  /** Where the signatures of its parts go: into the item itself, or into a reasoning item before it or after it. */
  readonly signed: 'inside' | 'before' | 'after';
  /** Whether a part that starts now belongs to this item, too. Absent: none does. */
  takes?(start: PartStart): boolean;
  start?(start: PartStart): void;
  delta(text: string): void;
  detail?(detail: PartDetail): void;
  logprobs?(tokens: readonly TokenLogprob[]): void;
  end(): void;
  /** Closes a part that has ended, but that a later part might continue. Absent if no part continues another. */
  close?(): void;
  /** Writes an empty delta for the open text. @returns whether a text is open. Absent: none ever is. */
  keepAlive?(): boolean;
  /** Renders the item as it is now. @param phase of a message, if known */
  render(status: Status, phase?: Phase): JsonObject;
}
