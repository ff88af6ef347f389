/** `own` and `extra` (`prompt.ts`): how a format keeps them of what it has read, and finds its own again. */

import { isEmpty, type JsonObject } from '../lib/json.ts';
import type { FormatName, FormatSpecific } from './prompt.ts';

/** `{ own }` where there is anything in `fields`, else nothing: to be spread. */
export function formatSpecificOf(
  format: FormatName,
  fields: JsonObject,
): { readonly formatSpecific?: FormatSpecific } {
  return isEmpty(fields) ? {} : { formatSpecific: { format, fields } };
}

/** `{ extra }` where there is anything in `fields`, else nothing: to be spread. */
export function unknownFieldsOf(fields: JsonObject): { readonly unknownFields?: JsonObject } {
  return isEmpty(fields) ? {} : { unknownFields: fields };
}

/** What `own` holds for `format`; nothing of another one's. */
export function formatFields(own: FormatSpecific | undefined, format: FormatName): JsonObject {
  return own?.format === format ? own.fields : NOTHING;
}

/** What `format` has kept in `own` beside its fields; nothing of another one's. */
export function roundTripOf(own: FormatSpecific | undefined, format: FormatName): JsonObject {
  return (own?.format === format && own.roundTrip) || NOTHING;
}

const NOTHING: JsonObject = {};
