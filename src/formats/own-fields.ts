/** The own fields of one format where another is written. */

import { formatFields } from '../conversation/format-specific.ts';
import type { FormatName, FormatSpecific } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';
import { asList, asObject, asText, type JsonObject } from '../lib/json.ts';
import type { Report } from './format.ts';

/** Whose own fields they are: the prompt's, or those of something in its turns or tools. */
type Owner = 'own' | 'turns[]' | 'tools[]';

/**
 * What `own` holds for `format`; what it holds for another one is reported.
 * @throws GatewayError as `reportForeign`
 */
export function ownFields(
  own: FormatSpecific | undefined,
  format: FormatName,
  owner: Owner,
  report: Report,
): JsonObject {
  reportForeign(own, format, owner, report);
  return formatFields(own, format);
}

/**
 * Reports what `own` holds for another format than this one: it is left out.
 * @throws GatewayError `invalid-request` where it asks for an answer in forms of which text is none.
 */
export function reportForeign(
  own: FormatSpecific | undefined,
  format: FormatName,
  owner: Owner,
  report: Report,
): void {
  if (own === undefined || own.format === format) return;
  if (owner === 'own') refuseUnanswerable(own);
  for (const field of Object.keys(own.fields)) {
    report(`${owner}.${field}`, 'dropped', `only means something in ${own.format}`);
  }
}

/**
 * What no other vendor's model can answer: where text is none of the forms asked for, as images and speech alone are of
 * Google's, and where an answer that Google has begun is to go on.
 */
function refuseUnanswerable({ format, fields }: FormatSpecific): void {
  const isGoogles = format === 'generate-content';
  if (isGoogles && fields['continuationToken'] != null) {
    throw invalid('Only the model that began an answer can go on with it.', 'own.continuationToken');
  }
  const [path, asked] = isGoogles
    ? ['generationConfig.responseModalities', asObject(fields['generationConfig'])?.['responseModalities']]
    : ['modalities', format === 'chat-completions' ? fields['modalities'] : undefined];
  const forms = asList(asked).map((form) => asText(form)?.toLowerCase());
  if (forms.length === 0 || forms.includes('text') || forms.includes('modality_unspecified')) return;
  throw invalid('This model answers in text only.', `own.${path}`);
}
