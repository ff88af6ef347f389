/** `formatSpecific` and `unknownFields` (`prompt.ts`): how a format keeps them, and finds its own again. */

import { isEmpty, type JsonObject, otherFields } from '../lib/json.ts';
import type { FormatName, FormatSpecific } from './prompt.ts';

/** `{ formatSpecific }` with these fields, to be spread; empty if there are none. */
export function withFormatSpecific(
  format: FormatName,
  fields: JsonObject,
  roundTrip: JsonObject = NOTHING,
): { readonly formatSpecific?: FormatSpecific } {
  if (isEmpty(roundTrip)) return isEmpty(fields) ? NOTHING : { formatSpecific: { format, fields } };
  return { formatSpecific: { format, fields, roundTrip } };
}

/** `{ unknownFields }` with these fields, to be spread; empty if there are none. */
export function withUnknownFields(fields: JsonObject): { readonly unknownFields?: JsonObject } {
  return isEmpty(fields) ? NOTHING : { unknownFields: fields };
}

/** The fields, if they belong to `format`; empty otherwise. */
export function findFormatFields(own: FormatSpecific | undefined, format: FormatName): JsonObject {
  return own?.format === format ? own.fields : NOTHING;
}

/** What `format` has kept beside its fields (`roundTrip`); empty if they belong to another format. */
export function findRoundTrip(own: FormatSpecific | undefined, format: FormatName): JsonObject {
  return (own?.format === format && own.roundTrip) || NOTHING;
}

/** What a vendor reports of an answer, or of its end, beyond what every format has. */
interface ReportedFields {
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/**
 * The fields that stand in an answer besides its standard ones. If another vendor's field has a name of `format`, it is
 * left out: it is not that field, and the caller's SDK would fail at its shape or misread it.
 * @param standard the names of `format`.
 */
export function findAdditionalFields(
  { formatSpecific, unknownFields }: ReportedFields,
  format: FormatName,
  standard: ReadonlySet<string>,
): JsonObject {
  const fields = formatSpecific?.fields ?? NOTHING;
  const known = formatSpecific?.format === format ? fields : otherFields(fields, standard);
  return unknownFields === undefined ? known : { ...otherFields(unknownFields, standard), ...known };
}

/** What is spread where there is nothing: one object for all. */
const NOTHING = {} as const;
