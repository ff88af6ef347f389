/** The own fields of one format where another is written. */

import { fieldsOf } from '../conversation/own.ts';
import type { FormatName, Own } from '../conversation/prompt.ts';
import type { JsonObject } from '../json.ts';
import type { Report } from './format.ts';

/** Whose own fields they are: the prompt's, or those of something in its turns or tools. */
type Owner = 'own' | 'turns[]' | 'tools[]';

/** What `own` holds for `format`; what it holds for another one is reported. */
export function ownFields(
  own: Own | undefined,
  format: FormatName,
  owner: Owner,
  report: Report,
): JsonObject {
  reportForeign(own, format, owner, report);
  return fieldsOf(own, format);
}

/** Reports what `own` holds for another format than this one: it is left out. */
export function reportForeign(own: Own | undefined, format: FormatName, owner: Owner, report: Report): void {
  if (own === undefined || own.format === format) return;
  for (const field of Object.keys(own.fields)) {
    report(`${owner}.${field}`, 'dropped', `only means something in ${own.format}`);
  }
}
