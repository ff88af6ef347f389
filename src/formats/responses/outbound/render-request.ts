/** Renders a prompt as the body of `POST /v1/responses` (OpenAI API reference, "Create a model response"). */

import { findFormatFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Prompt, Tool, Turn } from '../../../conversation/prompt.ts';
import { asList, asText, type JsonObject, splitFields, withoutNulls } from '../../../lib/json.ts';
import { type ModelTraits, type Report, unreported } from '../../format.ts';
import { dropRefusedMedia, showForeignImages } from '../../model-media.ts';
import { renderCacheKey, withoutRefusedKey } from '../../openai/cache-key.ts';
import { SHARED_FIELDS } from '../../openai/fields.ts';
import { wrapAnswer } from '../../openai/wrap-answer.ts';
import { reportForeign } from '../../own-fields.ts';
import { resolveReferences } from '../../prompt-schemas.ts';
import { refuseUnanswerable } from '../../refuse-unanswerable.ts';
import { renderMoreSampling } from '../wire/more-sampling.ts';
import { adaptTools } from './adapt-tools.ts';
import { placeInstructions } from './instructions.ts';
import { createContext, type RenderContext } from './render-context.ts';
import { renderItems } from './render-items.ts';
import {
  renderMaxSearches,
  renderMaxTokens,
  renderSampling,
  renderTier,
  renderUser,
} from './render-limits.ts';
import { renderMedia } from './render-media.ts';
import { planOutput, renderReasoning } from './render-settings.ts';
import { renderTools } from './render-tools.ts';

/** Format-specific fields that are rendered as part of something else in the body. */
const PLACED: ReadonlySet<string> = new Set(['include', 'reasoning', 'text', 'tool_choice']);

/**
 * Renders the body. Nothing is stored at OpenAI: reasoning goes to the caller encrypted, and comes back so. What OpenAI
 * cannot express is left out and reported; what a caller of this format wrote is written as it was.
 * @throws GatewayError `invalid-request` for several choices, and for media that cannot be sent.
 * @see Outbound.renderRequest
 */
export function renderRequest(original: Prompt, target: ModelTraits, report: Report): JsonObject {
  const given = withoutRefusedKey(original, target);
  const context = createContext(target, given.thinking, report);
  const resolved = context.keepsAll ? given : resolveReferences(given, 'responses', report);
  const prompt = adaptTools(wrapAnswer(resolved, target, 'responses', report), context.dialect, report);
  refuseUnanswerable(prompt, 'responses');
  const { fields, verbosity } = renderFormatFields(prompt, report);
  const taken = context.keepsAll
    ? prompt.turns
    : dropRefusedMedia(
        showForeignImages(prompt.turns, 'responses', report),
        { model: target, render: (part) => renderMedia(part, {}, { ...context, report: unreported }) },
        report,
      );
  const { instructions, turns } = placeInstructions(taken, context);
  const output = planOutput({ ...prompt, turns }, verbosity, context);
  const inWords = output.instruction && { type: 'message', role: 'developer', content: output.instruction };
  const include = renderInclude(prompt, context);
  const moreSampling = renderMoreSampling(prompt, context.report);
  reportBreakpoints(prompt, context);
  return {
    ...prompt.unknownFields,
    ...fields,
    model: target.model,
    ...(instructions !== undefined && { instructions }),
    input: [...(inWords ? [inWords] : []), ...renderItems(turns, context)],
    ...renderTools(prompt, context),
    ...output.fields,
    ...renderReasoning(prompt, context),
    ...renderMaxTokens(prompt, context),
    ...renderSampling(prompt, context),
    ...moreSampling,
    ...(prompt.metadata && { metadata: prompt.metadata }),
    ...renderUser(prompt, context),
    ...renderMaxSearches(prompt, context),
    ...(context.cachesMessages && renderCacheKey(prompt)),
    ...renderTier(prompt, context),
    ...(include.length > 0 && { include }),
    store: false,
    ...(prompt.stream && { stream: true }),
  };
}

/** The fields of this format alone, and those of chat-completions that mean the same here. */
function renderFormatFields(
  { formatSpecific }: Prompt,
  report: Report,
): { readonly fields: JsonObject; readonly verbosity?: string } {
  if (formatSpecific?.format !== 'chat-completions') {
    reportForeign(formatSpecific, 'responses', 'own', report);
    const [, fields] = splitFields(findFormatFields(formatSpecific, 'responses'), PLACED);
    return { fields };
  }
  const { verbosity, ...rest } = formatSpecific.fields;
  const word = asText(verbosity);
  const [shared, others] = splitFields(rest, SHARED_FIELDS);
  reportForeign({ ...formatSpecific, fields: others }, 'responses', 'own', report);
  return { fields: withoutNulls(shared), ...(word !== undefined && { verbosity: word }) };
}

/** OpenAI refuses it for a model that does not reason: "Encrypted content is not supported with this model." */
const ENCRYPTED = 'reasoning.encrypted_content';

function renderInclude(
  { formatSpecific, logprobs }: Prompt,
  { target, takesSampling, takesThoughts }: RenderContext,
): readonly string[] {
  const given = [findFormatFields(formatSpecific, 'responses'), findRoundTrip(formatSpecific, 'responses')];
  const asked = given.flatMap(({ include }) => asList(include)).filter((word) => typeof word === 'string');
  const wanted = [
    ...asked.filter((word) => word !== ENCRYPTED || (takesThoughts && !target.avoids?.has('thoughts'))),
    ...(target.thinking && !target.avoids?.has('thoughts') ? [ENCRYPTED] : []),
    ...(logprobs && takesSampling ? ['message.output_text.logprobs'] : []),
  ];
  return wanted.length < 2 ? wanted : [...new Set(wanted)];
}

/** Reports cache breakpoints, for most of which this format has no field. */
function reportBreakpoints(prompt: Prompt, { report, takesBreakpoints }: RenderContext): void {
  if (prompt.cacheBreakpoint) report('cacheBreakpoint', 'dropped', 'has no counterpart in responses');
  const isMarked = ({ role, parts }: Turn): boolean =>
    parts.some(
      (part) =>
        (!takesBreakpoints || role === 'assistant' || part.kind === 'tool-call') && isForeignMark(part),
    );
  if (prompt.turns.some(isMarked)) {
    const detail = 'OpenAI takes none on calls and on what the model said';
    report('turns[].mark', 'dropped', takesBreakpoints ? detail : 'OpenAI caches by itself');
  }
  if (prompt.tools?.some(isForeignMark)) report('tools[].mark', 'dropped', 'OpenAI takes none on tools');
}

/** Whether a part or a tool has a cache breakpoint of another vendor. OpenAI's own are kept as they were written. */
function isForeignMark(marked: Turn['parts'][number] | Tool): boolean {
  if (marked.kind === 'hosted' || marked.kind === 'custom' || marked.cacheBreakpoint === undefined)
    return false;
  const { formatSpecific } = marked;
  const own = findRoundTrip(formatSpecific, 'chat-completions')['prompt_cache_breakpoint'];
  return formatSpecific?.format !== 'responses' && own === undefined;
}
