/** What a repair makes of a request that was refused. */

import type { Avoidance } from '../../conversation/rules/avoidance.ts';
import type { Routed } from '../exchange.ts';
import type { Refused } from './refusal.ts';

/** A request in another form. */
export interface Repaired {
  readonly routed: Routed;
  /** The names of what was done, for the log and the metrics. */
  readonly names: readonly string[];
  /** What later requests of the model are spared if this one is answered. Absent: nothing. */
  readonly lesson?: Lesson;
  /** Set if the refusal did not say that this is what it is about. */
  readonly isGuess?: true;
  /** Set if the refusal said it plainly: the lesson is learned at once, of the upstream that refused, and changes the request. */
  readonly isCertain?: true;
}

/** What a vendor has been found to refuse of a model's requests. */
export interface Lesson {
  readonly avoids?: ReadonlySet<Avoidance>;
  readonly refusedFields?: ReadonlySet<string>;
  readonly wantsWholeAnswer?: true;
  /** The format that the vendor wants such a request in, and the field that made the difference. */
  readonly format?: { readonly wanted: Routed['upstreamFormat']; readonly param: string | undefined };
}

/** One way to mend a request; undefined if it does not fit the refusal, or would change nothing. */
export type Repair = (refused: Refused) => Repaired | undefined;
