/**
 * What this format keeps of an item or a part only to write the same again (`FormatSpecific.roundTrip`), so that a
 * request which is read and written in this format stays the same.
 */

import { findFormatFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import type { FormatSpecific } from '../../../conversation/prompt.ts';
import { asObject, isEmpty, type JsonObject } from '../../../lib/json.ts';

/** Where a part comes from. */
export interface Origin {
  /** The place of its item in the list of items. Parts with the same `at` belong to one item. */
  readonly at?: number;
  /** The fields of the item other than its content. */
  readonly item?: JsonObject;
  /** The fields of the content part other than its text. */
  readonly part?: JsonObject;
}

const NO_ORIGIN: Origin = {};

/** Keeps an origin; empty fields are left out. */
export function keepOrigin({ at, item = {}, part = {} }: Origin): FormatSpecific {
  const kept = keepRoundTrip({
    ...(!isEmpty(item) && { item }),
    ...(!isEmpty(part) && { part }),
  });
  return at === undefined ? kept : { ...kept, item: at };
}

/** The origin that `keepOrigin` kept; an empty one if another format wrote `formatSpecific`. */
export function getOrigin(formatSpecific: FormatSpecific | undefined): Origin {
  if (formatSpecific?.format !== 'responses') return NO_ORIGIN;
  const { item: at, roundTrip: kept = {} } = formatSpecific;
  const item = asObject(kept['item']);
  const part = asObject(kept['part']);
  return { ...(at !== undefined && { at }), ...(item && { item }), ...(part && { part }) };
}

/** Adds `fields` to what is kept for a round trip. @param formatSpecific what is kept so far */
export function keepRoundTrip(fields: JsonObject, formatSpecific?: FormatSpecific): FormatSpecific {
  return {
    format: 'responses',
    fields: findFormatFields(formatSpecific, 'responses'),
    roundTrip: { ...findRoundTrip(formatSpecific, 'responses'), ...fields },
  };
}
