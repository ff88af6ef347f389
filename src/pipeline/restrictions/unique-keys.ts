/** Refuses a body in which an object has a key twice: two readers may disagree on which counts. */

import type { FormatName } from '../../conversation/prompt.ts';
import { countMembers } from '../../lib/count-members.ts';
import { invalid } from '../../lib/errors.ts';
import { isList, isObject, type Json } from '../../lib/json.ts';
import { wordSet } from '../../lib/words.ts';
import { spelledAlike } from '../../translate/spellings.ts';
import type { Scanned } from '../body/scanned.ts';

/**
 * Fields, in small letters, that hold objects of the format's own. Arguments, schemas and metadata are not among them:
 * their names are the caller's.
 */
const OWN = wordSet(`
  messages system input output content summary
  contents parts systeminstruction generationconfig generatecontentrequest
`);

/**
 * Checks all objects of a body at once: the scan has counted the members as they are written, and the value has one for
 * each key. In objects of the format's own, the spellings of a key that some services take for one are the same key.
 * @throws GatewayError `invalid-request`.
 */
export function requireUniqueKeys({ scan, tree }: Scanned, format: FormatName): void {
  if (countMembers(tree()) < scan.members) throw invalid('An object in the request body has a key twice.');
  requireOneSpelling(tree(), spelledAlike(format));
}

function requireOneSpelling(value: Json, fold: (name: string) => string): void {
  if (isList(value)) {
    for (const item of value) requireOneSpelling(item, fold);
  } else if (isObject(value)) {
    const seen = new Set<string>();
    for (const [key, inner] of Object.entries(value)) {
      const name = fold(key);
      if (seen.has(name)) throw invalid('An object in the request body has a key in two spellings.');
      seen.add(name);
      // The input of Anthropic's calls is an object: arguments.
      if (OWN.has(name) && inner !== undefined && (name !== 'input' || isList(inner)))
        requireOneSpelling(inner, fold);
    }
  }
}
