/**
 * Keeps a key to the stored objects at the vendor that it may use, and has nothing stored for a key that may use none.
 */

import type { StoredIds } from '../../access/stored-ids.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import { GatewayError } from '../../lib/errors.ts';
import { isSet, type Scanned } from '../body/scanned.ts';
import type { Admitted } from '../exchange.ts';
import { STORING } from './stored-places.ts';
import { type Reference, storedReferences, unstored } from './stored-references.ts';

/** The most stored objects that a request may name. OpenAI's own conversations have no more items. */
const MAX_REFERENCES = 10_000;

/**
 * Checks the stored objects that a request names, against the key's permission.
 * @param format the format of the body.
 * @param known which key's answers have stored which ids.
 * @returns the request that the key may send; a promise only if it names an id that is not known in memory.
 * @throws GatewayError, or rejects with it: `permission-denied` that names the field, `invalid-request` for more than
 *   MAX_REFERENCES, and `overloaded` if the store cannot be read.
 */
export function keepToOwn(
  { principal, route }: Pick<Admitted, 'principal' | 'route'>,
  format: FormatName,
  request: Scanned,
  known: StoredIds,
): Scanned | Promise<Scanned> {
  const { stored } = principal;
  if (stored === 'all') return request;
  const references = storedReferences(format, request.tree());
  const own = requireOwn(principal, references, known);
  if (own instanceof Promise) return own.then(() => request);
  if (stored === 'own') return request;
  const storing = STORING[format].find((field) => isSet(request, field));
  if (storing !== undefined) throw refused({ id: '', field: storing }, NOTHING);
  return unstored(format, route.operation, request);
}

const NOTHING = 'nothing that is stored at the vendor';

/**
 * Checks stored objects that a request names, wherever it does. @param known as for `keepToOwn`.
 * @returns a promise only if an id is not known in memory.
 * @throws GatewayError, or rejects with it, as `keepToOwn` does.
 */
export function requireOwn(
  { name, stored }: Admitted['principal'],
  references: readonly Reference[],
  known: StoredIds,
): void | Promise<void> {
  const [first] = references;
  if (first === undefined || stored === 'all') return;
  if (stored === 'none') throw refused(first, NOTHING);
  if (references.length > MAX_REFERENCES) {
    throw new GatewayError('invalid-request', `The request names more than ${MAX_REFERENCES} stored things.`);
  }
  const missing = known.missing(
    references.map(({ id }) => id),
    name,
  );
  const judge = (ids: ReadonlySet<string>): void => {
    const strange = references.find(({ id }) => ids.has(id));
    if (strange !== undefined) throw refused(strange, 'only what its own answers have stored at the vendor');
  };
  return missing instanceof Promise ? missing.then(judge, unreadable) : judge(missing);
}

/** The store does not answer, so the owner cannot be determined. */
function unreadable(cause: unknown): never {
  throw new GatewayError('overloaded', 'Whose the stored response or file is cannot be read right now.', {
    retryAfter: 1,
    cause,
  });
}

/** With the code of a missing response, clients (Codex) send the whole conversation again. */
function refused({ field }: Reference, what: string): GatewayError {
  const advice = field === 'previous_response_id' ? " Send the whole conversation in 'input'." : '';
  return new GatewayError(
    'permission-denied',
    `This API key may use ${what}: '${field}' is refused.${advice}`,
    {
      param: field,
      code: field === 'previous_response_id' ? 'previous_response_not_found' : 'stored_not_allowed',
    },
  );
}
