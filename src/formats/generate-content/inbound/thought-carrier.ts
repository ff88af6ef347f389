/**
 * Carries thoughts to the next part that has text or data. Google puts its signatures there, and Go's `Chat` drops a
 * part with a signature alone: Claude's next request was then without its thinking.
 */

import type { RequestContext } from '../../format.ts';
import type { CarriedThought } from '../wire/thought-signature.ts';

/** Thoughts that wait for a part. */
export class ThoughtCarrier {
  #waiting: CarriedThought[] | undefined;

  /** Adds a thought that has ended. Without a `text`, its text has been shown. */
  add(thought: CarriedThought): void {
    // A thought that was shown and has no signature is already whole.
    if (!thought.text && !thought.signature && !thought.redacted) return;
    this.#waiting ??= [];
    this.#waiting.push(thought);
  }

  /** Takes what is to be sealed in the part that is written now. */
  take(): readonly CarriedThought[] {
    const taken = this.#waiting ?? [];
    this.#waiting = undefined;
    return taken;
  }

  /** Whether anything waits. */
  hasAny(): boolean {
    return this.#waiting !== undefined;
  }
}

/**
 * Whether the texts of thoughts that are not shown are carried too. A model needs what it thought back only while it
 * calls tools, and a long text would be in each request to come.
 */
export function carriesHidden({ prompt }: RequestContext): boolean {
  return (prompt.tools?.length ?? 0) > 0;
}
