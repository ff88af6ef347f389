/** Results of tools as `functionResponse` (REST reference, FunctionResponse). */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { MediaPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { isPlain } from '../../../conversation/turn-parts.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { parseResponseText } from '../wire/function-responses.ts';
import { renderCallId } from './call-id.ts';
import { isGemini3 } from './model-generation.ts';
import { renderMedia } from './render-media.ts';
import { safeName } from './tool-names.ts';

/**
 * A result as parts: the response, and the media to put after it because they cannot stand inside it. Those are all
 * media before Gemini 3, and from then on the ones with a URL (googleapis, generativelanguage/v1beta/content.proto: a
 * FunctionResponsePart has no `file_data`).
 */
interface RenderedResult {
  readonly response: JsonObject;
  readonly media: readonly JsonObject[];
}

/**
 * A tool result as Gemini takes it.
 * @param name of the function that was called.
 * @throws GatewayError `invalid-request` for a file in another vendor's store.
 */
export function renderResult(
  part: ToolResultPart,
  name: string,
  target: ModelTraits,
  report: Report,
): RenderedResult {
  const [first] = part.content;
  if (first?.kind === 'text' && part.content.length === 1 && isPlain(part)) {
    const own = { ...renderCallId(part.id, undefined, target), name: safeName(name) };
    const response = wrapResponse(first.text, part.isError === true);
    return { response: { functionResponse: { ...own, response } }, media: NONE };
  }
  const texts: string[] = [];
  const media: JsonObject[] = [];
  for (const piece of part.content) {
    if (piece.kind === 'text') texts.push(piece.text);
    else if (piece.kind === 'media') media.push(renderResultMedia(piece, target, report));
    else report('turns[].content', 'dropped', "another vendor's block in a tool result");
  }
  const isInside = ({ inlineData }: JsonObject): boolean => isGemini3(target) && inlineData !== undefined;
  const parts = media.filter(isInside);
  const { id: given, ...roundTrip } = findRoundTrip(part.formatSpecific, 'generate-content');
  return {
    response: {
      functionResponse: {
        ...part.unknownFields,
        ...ownFields(part.formatSpecific, 'generate-content', 'turns[]', report),
        ...roundTrip,
        ...renderCallId(part.id, asText(given), target),
        name: safeName(name),
        response: wrapResponse(texts.join('\n'), part.isError === true),
        ...(parts.length > 0 && { parts }),
      },
    },
    media: media.filter((medium) => !isInside(medium)),
  };
}

const NONE: readonly JsonObject[] = [];

function renderResultMedia(part: MediaPart, target: ModelTraits, report: Report): JsonObject {
  const own = ownFields(part.formatSpecific, 'generate-content', 'turns[]', report);
  return { ...part.unknownFields, ...own, ...renderMedia(part, target) };
}

function wrapResponse(text: string, isError: boolean): JsonObject {
  return isError ? { error: text } : (parseResponseText(text) ?? { output: text });
}
