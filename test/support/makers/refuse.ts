/** A refusal in the words of a service. */

import { Refused } from '../../../src/sandbox/exchange.ts';
import type { FlawPath } from '../../../src/sandbox/flaws.ts';
import type { RefusedThing } from '../../../src/sandbox/refusal-subject.ts';
import { SENTENCES } from './sentences.ts';
import type { Service } from './services.ts';

/**
 * @param path the place of the refused thing in the request
 * @param id the id that it is about
 * @returns the service's refusal of a thing, in its own words if it has any
 */
export function serviceRefusal(service: Service, thing: RefusedThing, path: FlawPath, id?: string): Refused {
  const isUnknown = thing === 'unknown field';
  const [usual = ''] = SENTENCES[thing](path, id);
  const sentence = (service.says?.[thing] ?? usual)
    .replace('{field}', () => String(path.at(-1)))
    .replace('{id}', () => id ?? '')
    .replace('{index}', () => String(path[1] ?? 0));
  const subject = { thing, path, ...(id !== undefined && { id }) };
  if (isUnknown && service.unknownStatus !== undefined) {
    // Pydantic's list of errors, as FastAPI wraps it.
    const detail = [{ type: 'extra_forbidden', loc: ['body', ...path], msg: sentence, input: null }];
    return new Refused(service.unknownStatus, { object: 'error', message: { detail } }, subject);
  }
  return new Refused(400, service.shape(sentence), subject);
}
