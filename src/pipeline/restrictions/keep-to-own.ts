/** Goes on from nothing at the vendor's account that the key may not use, and has nothing stored there for one that may use none. */

import type { StoredIds } from '../../access/stored-ids.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Admitted } from '../exchange.ts';
import type { Scanned } from '../scanned.ts';
import { STORING } from './stored-places.ts';
import { type Reference, storedReferences, unstored } from './stored-references.ts';

/** More are asked of nobody: OpenAI's own dialogues have no more items. */
const MOST_REFERENCES = 10_000;

/**
 * The request as the key may send it.
 * @param format what the body is written in.
 * @returns by a promise only where it names what is not known in memory.
 * @throws GatewayError, or by the promise, `permission-denied` that names the field, and `overloaded` where the store cannot
 *   be read.
 */
export function keepToOwn(
  { principal, route }: Pick<Admitted, 'principal' | 'route'>,
  format: FormatName,
  request: Scanned,
  known: StoredIds,
): Scanned | Promise<Scanned> {
  const { name, stored } = principal;
  if (stored === 'all') return request;
  const references = storedReferences(format, request);
  if (stored === 'none') {
    const [first] = references;
    if (first !== undefined) throw refused(first, 'nothing that is stored at the vendor');
    const storing = STORING[format].find((field) => isSet(request, field));
    if (storing !== undefined)
      throw refused({ id: '', field: storing }, 'nothing that is stored at the vendor');
    return unstored(format, route.operation, request);
  }
  if (references.length === 0) return request;
  if (references.length > MOST_REFERENCES) {
    throw new GatewayError(
      'invalid-request',
      `The request names more than ${MOST_REFERENCES} stored things.`,
    );
  }
  const missing = known.missing(
    references.map(({ id }) => id),
    name,
  );
  const judge = (ids: ReadonlySet<string>): Scanned => {
    const first = references.find(({ id }) => ids.has(id));
    if (first !== undefined) throw refused(first, 'only what its own answers have stored at the vendor');
    return request;
  };
  return missing instanceof Promise ? missing.then(judge, unreadable) : judge(missing);
}

/** The store does not answer: nobody can say whose it is. */
function unreadable(cause: unknown): never {
  throw new GatewayError('overloaded', 'Whose the stored response or file is cannot be read right now.', {
    retryAfter: 1,
    cause,
  });
}

function isSet({ body, fields }: Scanned, field: string): boolean {
  const span = fields.get(field);
  return span !== undefined && !/^(?:false|null)$/.test(body.toString('latin1', span.start, span.end));
}

/** By the code of a response that is not there, clients (Codex) send all of the dialogue again. */
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
