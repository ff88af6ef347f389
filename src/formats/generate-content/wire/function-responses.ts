/**
 * What tools answered: `functionResponse`, whose `response` is an object. Google's own convention: the keys `output`
 * and `error` hold what is no object (REST reference, FunctionResponse.response).
 */

import { formatFields, formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { MediaPart, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { tryParseExact } from '../../../conversation/rules/arguments.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { isGeminiId } from './ids.ts';
import { parseFile, parseInline, renderMedia } from './media.ts';
import { isGemini3 } from './model-generation.ts';
import { safeName } from './tool-names.ts';
import { FORMAT, sortFields } from './wire.ts';

/**
 * @param idOf finds the id of the call that a response without one answers.
 * @throws GatewayError `invalid-request` where the function's name is missing.
 */
export function parseResult(
  value: JsonObject,
  param: string,
  idOf: (name: string, id: string | undefined) => string,
): ToolResultPart {
  const { known, own, extra } = sortFields(
    value,
    ['name', 'response', 'id', 'parts'],
    ['scheduling', 'willContinue'],
  );
  const name = asText(known['name']);
  if (!name) throw invalid(`${param}.name: Name cannot be empty.`, `${param}.name`);
  const { text, isError } = unwrapResponse(known['response']);
  const media = asObjects(known['parts']).flatMap((part, at) =>
    parseResultMedia(part, `${param}.parts[${at}]`),
  );
  const id = asText(known['id']);
  // As with calls: an id that does not look like Gemini's goes back to Gemini only for callers of this format.
  const fields = { ...own, ...(id && !isGeminiId(id) && { id }) };
  return {
    kind: 'tool-result',
    id: idOf(name, id),
    name,
    content: [...(text === undefined ? [] : [{ kind: 'text', text } satisfies TextPart]), ...media],
    ...(isError && { isError }),
    ...formatSpecificOf(FORMAT, fields),
    ...unknownFieldsOf(extra),
  };
}

function parseResultMedia(part: JsonObject, param: string): readonly MediaPart[] {
  const { known } = sortFields(part, ['inlineData', 'fileData']);
  const inline = asObject(known['inlineData']);
  const file = asObject(known['fileData']);
  return [
    ...(inline ? [parseInline(inline, `${param}.inlineData`)] : []),
    ...(file ? [parseFile(file, `${param}.fileData`)] : []),
  ];
}

/** A response as text. Only what `wrapResponse` gives back as it was is taken out of its wrapping. */
function unwrapResponse(response: Json | undefined): { text?: string; isError: boolean } {
  if (response === undefined) return { isError: false };
  if (!isObject(response)) return { text: JSON.stringify(response), isError: false };
  if (Object.keys(response).length === 1) {
    const { output, error } = response;
    if (typeof error === 'string') return { text: error, isError: true };
    if (typeof output === 'string' && responseOf(output) === undefined) {
      return { text: output, isError: false };
    }
  }
  return { text: JSON.stringify(response), isError: false };
}

function wrapResponse(text: string, isError: boolean): JsonObject {
  return isError ? { error: text } : (responseOf(text) ?? { output: text });
}

/**
 * The object that a text is, where it can stand as a response. One with a `$ref`, as schemas have, stays a text: Gemini
 * looks it up among the media beside the response, and takes no request with one that it does not find ("The referenced
 * name `#/$defs/a` in function_response.response does not match to a display_name in the function_response.parts").
 */
function responseOf(text: string): JsonObject | undefined {
  // The first letter tells most texts from objects without parsing them.
  if (!text.trimStart().startsWith('{') || text.includes('"$ref"')) return undefined;
  const value = tryParseExact(text);
  return isObject(value) ? value : undefined;
}

/**
 * A result as parts: the response, and after it the media that cannot stand inside it: any before Gemini 3, and those
 * by their address with all (googleapis, generativelanguage/v1beta/content.proto: a FunctionResponsePart has no
 * `file_data`).
 */
interface RenderedResult {
  readonly response: JsonObject;
  readonly media: readonly JsonObject[];
}

/** @param name of the function that was called. */
export function renderResult(
  part: ToolResultPart,
  name: string,
  target: ModelTraits,
  report: Report,
): RenderedResult {
  const texts: string[] = [];
  const media: JsonObject[] = [];
  for (const piece of part.content) {
    if (piece.kind === 'text') texts.push(piece.text);
    else if (piece.kind === 'media') media.push(renderMedia(piece, target));
    else report('turns[].content', 'dropped', "a block of another vendor's in a tool result");
  }
  const isInside = ({ inlineData }: JsonObject): boolean => isGemini3(target) && inlineData !== undefined;
  const parts = media.filter(isInside);
  return {
    response: {
      functionResponse: {
        ...part.unknownFields,
        ...formatFields(part.formatSpecific, FORMAT),
        ...(isGeminiId(part.id) && { id: part.id }),
        name: safeName(name),
        response: wrapResponse(texts.join('\n'), part.isError === true),
        ...(parts.length > 0 && { parts }),
      },
    },
    media: media.filter((medium) => !isInside(medium)),
  };
}
