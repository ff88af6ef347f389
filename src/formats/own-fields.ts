/** Format-specific fields when another format is written. */

import { findFormatFields } from '../conversation/format-specific.ts';
import type { FormatName, FormatSpecific } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';
import { asList, asObject, asText, type JsonObject } from '../lib/json.ts';
import type { Report } from './format.ts';

/** What has the fields: the prompt itself, or something in its turns or tools. */
type Owner = 'own' | 'turns[]' | 'tools[]';

/**
 * The fields of `own` if they belong to `format`; empty otherwise, and then they are reported as dropped.
 * @throws GatewayError as `reportForeign` does.
 */
export function ownFields(
  own: FormatSpecific | undefined,
  format: FormatName,
  owner: Owner,
  report: Report,
): JsonObject {
  reportForeign(own, format, owner, report);
  return findFormatFields(own, format);
}

/**
 * Reports fields of another format than `format` as dropped.
 * @throws GatewayError `invalid-request` if they ask for an answer that no other vendor's model can give.
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
 * Refuses what only the format's own vendor can answer: a request for images or speech without text, and the
 * continuation of an answer that Google has begun.
 */
function refuseUnanswerable({ format, fields }: FormatSpecific): void {
  const isGoogles = format === 'generate-content';
  if (isGoogles && fields['continuationToken'] != null) {
    throw invalid('Only the model that began an answer can continue it.', 'own.continuationToken');
  }
  const [path, asked] = isGoogles
    ? ['generationConfig.responseModalities', asObject(fields['generationConfig'])?.['responseModalities']]
    : ['modalities', format === 'chat-completions' ? fields['modalities'] : undefined];
  const forms = asList(asked).map((form) => asText(form)?.toLowerCase());
  if (forms.length === 0 || forms.includes('text') || forms.includes('modality_unspecified')) return;
  throw invalid('This model answers in text only.', `own.${path}`);
}
