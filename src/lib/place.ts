/**
 * Where a value is in a caller's body, such as `messages[12].content`. A long conversation has thousands of such places,
 * and an error names at most one of them. So a place is only put into words when a template or `String` asks for them.
 */

class Step {
  readonly #outer: Place;
  readonly #name: string | number;
  readonly #isItem: boolean;

  constructor(outer: Place, name: string | number, isItem: boolean) {
    this.#outer = outer;
    this.#name = name;
    this.#isItem = isItem;
  }

  toString(): string {
    return this.#isItem ? `${this.#outer}[${this.#name}]` : `${this.#outer}.${this.#name}`;
  }
}

/** A place in words, or one that still has to be put into words. */
export type Place = string | Step;

/** The place of an item of a list: `messages[12]`. */
export function itemPlace(list: Place, index: number): Place {
  return new Step(list, index, true);
}

/** The place of a field, or of an item where a format writes both alike: `messages[12].content`, `messages.12`. */
export function fieldPlace(outer: Place, name: string | number): Place {
  return new Step(outer, name, false);
}
