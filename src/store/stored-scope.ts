/**
 * What a key may use of the objects stored at vendors' accounts: responses, files, containers and the like, by their
 * ids.
 */

/** From the loosest to the strictest: all objects; those that the key's own responses created; none. */
export const STORED = ['all', 'own', 'none'] as const;

export type Stored = (typeof STORED)[number];

/**
 * The scope if none is set. A key for every model may use every object of the account. A key for some models may only
 * continue from its own responses: the objects of others may hold answers of models that it may not use.
 */
export function defaultStoredScope(models: readonly string[] | undefined): Stored {
  return models === undefined ? 'all' : 'own';
}

/** The stricter one of two scopes. */
export function stricter(one: Stored, other: Stored): Stored {
  return STORED.indexOf(one) > STORED.indexOf(other) ? one : other;
}

/** Parses a scope. @throws TypeError for any other text: damage must not mean everything. */
export function parseStoredScope(text: string): Stored {
  const found = STORED.find((each) => each === text);
  if (found === undefined) throw new TypeError(`${text} is none of ${STORED.join(', ')}.`);
  return found;
}
