/**
 * What is kept of what was read only to write the same again (`Own.kept`). Of a part: `at`, the place of its item in
 * the list it stood in (parts with one `at` are one item), `item`, what the item said beside its content, and `part`,
 * what the content part said beside its text.
 */

import { formatFields, roundTripOf } from '../../../conversation/format-specific.ts';
import type { FormatSpecific } from '../../../conversation/prompt.ts';
import { asNumber, asObject, isEmpty, type JsonObject } from '../../../lib/json.ts';

export interface Origin {
  readonly at?: number;
  readonly item?: JsonObject;
  readonly part?: JsonObject;
}

export function keptOrigin({ at, item = {}, part = {} }: Origin): FormatSpecific {
  return keeping({
    ...(at !== undefined && { at }),
    ...(!isEmpty(item) && { item }),
    ...(!isEmpty(part) && { part }),
  });
}

/** What `keptOrigin` kept; nothing of another format's. */
export function originOf(own: FormatSpecific | undefined): Origin {
  const kept = roundTripOf(own, 'responses');
  const at = asNumber(kept['at']);
  const item = asObject(kept['item']);
  const part = asObject(kept['part']);
  return { ...(at !== undefined && { at }), ...(item && { item }), ...(part && { part }) };
}

/** `own` with this kept in it too. */
export function keeping(kept: JsonObject, own?: FormatSpecific): FormatSpecific {
  return {
    format: 'responses',
    fields: formatFields(own, 'responses'),
    roundTrip: { ...roundTripOf(own, 'responses'), ...kept },
  };
}
