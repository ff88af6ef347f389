/** `own` and `extra` (`prompt.ts`): how a format keeps them of what it has read, and finds its own again. */

import { isEmpty, type JsonObject } from '../lib/json.ts';
import type { FormatName, Own } from './prompt.ts';

/** `{ own }` where there is anything in `fields`, else nothing: to be spread. */
export function ownOf(format: FormatName, fields: JsonObject): { readonly own?: Own } {
  return isEmpty(fields) ? {} : { own: { format, fields } };
}

/** `{ extra }` where there is anything in `fields`, else nothing: to be spread. */
export function extraOf(fields: JsonObject): { readonly extra?: JsonObject } {
  return isEmpty(fields) ? {} : { extra: fields };
}

/** What `own` holds for `format`; nothing of another one's. */
export function fieldsOf(own: Own | undefined, format: FormatName): JsonObject {
  return own?.format === format ? own.fields : NOTHING;
}

/** What `format` has kept in `own` beside its fields; nothing of another one's. */
export function keptIn(own: Own | undefined, format: FormatName): JsonObject {
  return (own?.format === format && own.kept) || NOTHING;
}

const NOTHING: JsonObject = {};
