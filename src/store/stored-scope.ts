/** What a key may use of what lies at the vendors' accounts: responses, files, containers and the like, by their ids. */

/** From the loosest to the strictest: whatever there is; what the key's own answers have made; nothing. */
export const STORED = ['all', 'own', 'none'] as const;

export type Stored = (typeof STORED)[number];

/**
 * What is meant where nothing is said: a key that may use every model is as free at the account; one that is held to some
 * goes on from its own answers alone, for what others have stored there are answers of models that it may not use.
 */
export function storedUnlessSaid(models: readonly string[] | undefined): Stored {
  return models === undefined ? 'all' : 'own';
}

/** The stricter one of two. */
export function stricter(one: Stored, other: Stored): Stored {
  return STORED.indexOf(one) > STORED.indexOf(other) ? one : other;
}

/** A text as one of STORED. @throws TypeError for any other one: never everything by a slip. */
export function storedOf(text: string): Stored {
  const found = STORED.find((each) => each === text);
  if (found === undefined) throw new TypeError(`${text} is none of ${STORED.join(', ')}.`);
  return found;
}
