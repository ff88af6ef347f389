/**
 * What a part keeps of the item it came in, so that the same item can be made again: `at`, the item's place in the
 * list it stood in (parts with one `at` are one item), `item`, what the item said beside its content, and `part`,
 * what the content part said beside its text.
 */

import { fieldsOf } from '../../conversation/own.ts';
import type { Own } from '../../conversation/prompt.ts';
import { asNumber, asObject, isEmpty, type JsonObject } from '../../json.ts';

export interface Origin {
  readonly at?: number;
  readonly item?: JsonObject;
  readonly part?: JsonObject;
}

export function keptOrigin({ at, item = {}, part = {} }: Origin): Own {
  const fields: JsonObject = {
    ...(at !== undefined && { at }),
    ...(!isEmpty(item) && { item }),
    ...(!isEmpty(part) && { part }),
  };
  return { format: 'responses', fields };
}

/** What `keptOrigin` kept; nothing of another format's. */
export function originOf(own: Own | undefined): Origin {
  const fields = fieldsOf(own, 'responses');
  const at = asNumber(fields['at']);
  const item = asObject(fields['item']);
  const part = asObject(fields['part']);
  return { ...(at !== undefined && { at }), ...(item && { item }), ...(part && { part }) };
}
