/** A neutral prompt as a generateContent body. The model is in the path, where the pipeline puts it. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import { asNumber, isEmpty, type JsonObject, otherFields, withoutFields } from '../../../lib/json.ts';
import { type ModelTraits, type OutboundCounting, type Report, reportDropped } from '../../format.ts';
import { reportForeign, withoutSaid } from '../../own-fields.ts';
import { resolveReferences } from '../../prompt-schemas.ts';
import { refuseUnanswerable } from '../../refuse-unanswerable.ts';
import { findDialect } from '../dialects.ts';
import { renderAskedTier } from '../wire/service-tier.ts';
import { renderConfig } from './render-config.ts';
import { renderContents } from './render-contents.ts';
import { renderOutput } from './render-output.ts';
import { renderToolConfig } from './render-tool-config.ts';
import { renderTools } from './render-tools.ts';

/** Fields that are rendered as part of something else: unknown ones, and those of this format. */
const PLACED_UNKNOWN: ReadonlySet<string> = new Set(['generationConfig']);
const PLACED: ReadonlySet<string> = new Set(['generationConfig', 'toolConfig']);

/** The fields of a caller of chat-completions whose value is in `Prompt.images`. */
const IMAGE_FIELDS: readonly string[] = ['modalities', 'image_config'];

/**
 * @see Outbound.renderRequest
 * @throws GatewayError `invalid-request` for more answers than Gemini gives, and for files in another vendor's store.
 */
export function renderRequest(given: Prompt, target: ModelTraits, report: Report): JsonObject {
  refuseUnanswerable(given, 'generate-content');
  const takesReferences =
    given.formatSpecific?.format === 'generate-content' || findDialect(target).openApiSchemas;
  const prompt = takesReferences ? given : resolveReferences(given, 'generate-content', report);
  const { contents, system } = renderContents(prompt.turns, target, report);
  const tools = renderTools(prompt, target, report);
  const output = renderOutput(prompt.output, tools.length > 0, target, report);
  const instruction = [...system, ...output.instruction];
  const toolConfig = renderToolConfig(prompt, target, report);
  const generationConfig = renderConfig(prompt, target, output.config, report);
  const serviceTier = renderAskedTier(prompt.serviceTier, report);
  reportUnsupported(prompt, report);
  return {
    ...(prompt.unknownFields && otherFields(prompt.unknownFields, PLACED_UNKNOWN)),
    ...otherFields(findFormatFields(prompt.formatSpecific, 'generate-content'), PLACED),
    ...(prompt.cachedContent !== undefined && { cachedContent: prompt.cachedContent }),
    contents,
    ...(instruction.length > 0 && { systemInstruction: { parts: instruction } }),
    ...(tools.length > 0 && { tools }),
    ...(toolConfig && { toolConfig }),
    ...(!isEmpty(generationConfig) && { generationConfig }),
    ...(serviceTier !== undefined && findDialect(target).tierHeader === undefined && { serviceTier }),
  };
}

function reportUnsupported(prompt: Prompt, report: Report): void {
  const unsaid = withoutSaid(prompt.formatSpecific, { safety_identifier: prompt.user });
  const isSaid = prompt.images !== undefined && unsaid?.format !== 'generate-content';
  const others =
    isSaid && unsaid ? { ...unsaid, fields: withoutFields(unsaid.fields, IMAGE_FIELDS) } : unsaid;
  reportForeign(others, 'generate-content', 'own', report);
  reportDropped(prompt, ['user', 'metadata'], 'Google has no such field', report);
  reportDropped(prompt, ['cacheBreakpoint'], 'Gemini caches by itself', report);
}

/** @see OutboundCounting */
export const outboundCounting: OutboundCounting = {
  countedRequest(request, target) {
    const { countedFields } = findDialect(target);
    if (countedFields === undefined) {
      return { generateContentRequest: { model: `models/${target.model}`, ...request } };
    }
    return Object.fromEntries(Object.entries(request).filter(([field]) => countedFields.includes(field)));
  },
  parseCount: (answer) => asNumber(answer['totalTokens']),
};
