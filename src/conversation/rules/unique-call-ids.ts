/**
 * Ids of an answer's calls that no other call of the dialogue has. Some vendors give none, and some begin each answer with
 * the same ones (`call_0`): a result would then answer the wrong call, and Anthropic refuses the dialogue.
 */

import { flat } from '../../lib/flat-text.ts';
import type { Sink, Step } from '../../streams/step.ts';
import type { KnownCall } from '../prompt-outline.ts';
import type { PartStart, ReplyEvent } from '../reply.ts';

/**
 * A step that gives new ids to calls that have none, or one that the dialogue or the answer has already. All other ids
 * stay the vendor's, so that an answer has the same ids streamed and whole.
 */
export class UniqueCallIds implements Step<ReplyEvent, ReplyEvent> {
  readonly #calls: readonly KnownCall[];
  readonly #stem: string;
  #taken: Set<string> | undefined;
  #made = 0;

  /**
   * @param calls those of the dialogue.
   * @param stem what new ids are made of, unique to this exchange: letters and digits.
   */
  constructor(calls: readonly KnownCall[], stem: string) {
    this.#calls = calls;
    this.#stem = stem;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    out.enqueue(event.type === 'part-start' ? this.#withOwnId(event) : event);
  }

  #withOwnId(event: PartStart): PartStart {
    const { part } = event;
    if (part.kind !== 'tool-call') return event;
    this.#taken ??= new Set(this.#calls.map(({ id }) => id));
    const id = part.id === '' || this.#taken.has(part.id) ? this.#makeId(this.#taken) : part.id;
    this.#taken.add(id);
    return id === part.id ? event : { ...event, part: { ...part, id } };
  }

  #makeId(taken: ReadonlySet<string>): string {
    let id: string;
    do {
      id = flat(`call_${this.#stem}_${this.#made}`);
      this.#made += 1;
    } while (taken.has(id));
    return id;
  }
}
