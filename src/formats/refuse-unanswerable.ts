/** Requests for an answer that no other vendor's model can give. */

import { findFormatFields } from '../conversation/format-specific.ts';
import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { invalid } from '../lib/errors.ts';
import { asList, asObject, asObjects, asText, type Json } from '../lib/json.ts';

const ONE_ANSWER: ReadonlySet<FormatName> = new Set(['messages', 'responses']);

/**
 * Refuses a prompt that models of a format cannot answer: one for several answers, or that begins with content cached at
 * Google; and one of another format for images or speech without text, or for the continuation of an answer that Google
 * has begun. Only Google's models draw images for callers of other formats.
 * @throws GatewayError `invalid-request` if it is one of these.
 */
export function refuseUnanswerable(prompt: Prompt, format: FormatName): void {
  const { choices = 1, cachedContent } = prompt;
  if (choices > 1 && ONE_ANSWER.has(format)) {
    throw invalid('This model gives one answer at a time: no more can be asked for.', 'choices');
  }
  if (cachedContent !== undefined && format !== 'generate-content') {
    throw invalid(
      'The conversation begins with content that is cached at Google, and this model cannot read it; send the content itself instead.',
      'cachedContent',
    );
  }
  if (prompt.formatSpecific?.format !== format) refuseForeign(prompt, format);
}

function refuseForeign(prompt: Prompt, format: FormatName): void {
  const { modalities } = findFormatFields(prompt.formatSpecific, 'chat-completions');
  const isDrawn = format === 'generate-content' && prompt.images?.place === 'alone';
  if (lacksText(modalities) && !isDrawn) refuse('modalities');
  const google = findFormatFields(prompt.formatSpecific, 'generate-content');
  if (google['continuationToken'] != null) {
    throw invalid('Only the model that began an answer can continue it.', 'own.continuationToken');
  }
  const { responseModalities, responseFormat } = asObject(google['generationConfig']) ?? {};
  if (lacksText(responseModalities)) refuse('generationConfig.responseModalities');
  // The form of a text has become the prompt's own.
  const isTextAsked = prompt.output !== undefined || asList(responseModalities).length > 0;
  const forms = asObjects(responseFormat).flatMap((form) => Object.keys(form));
  if (!isTextAsked && lacksText(forms)) refuse('generationConfig.responseFormat');
}

/** Whether a list names forms of an answer, and text is none of them. */
function lacksText(asked: Json | undefined): boolean {
  const forms = asList(asked).map((form) => asText(form)?.toLowerCase());
  return forms.length > 0 && !forms.includes('text') && !forms.includes('modality_unspecified');
}

function refuse(path: string): never {
  throw invalid('This model answers in text only.', `own.${path}`);
}
