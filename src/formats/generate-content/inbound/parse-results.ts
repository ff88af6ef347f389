/**
 * What tools answered: `functionResponse`, whose `response` is an object. By Google's own convention its keys `output`
 * and `error` hold what is no object (REST reference, FunctionResponse.response).
 */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { MediaPart, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isObject } from '../../../lib/json.ts';
import type { Place } from '../../../lib/place.ts';
import { withWords } from '../wire/enum-encoding.ts';
import { FORMAT } from '../wire/format-name.ts';
import { parseResponseText } from '../wire/function-responses.ts';
import { isGeminiId } from '../wire/ids.ts';
import { parseFile, parseInline } from './parse-media.ts';
import { sortFields } from './sort-fields.ts';

const RESULT_FIELDS: ReadonlySet<string> = new Set(['name', 'response', 'id', 'parts']);
const RESULT_OWN: ReadonlySet<string> = new Set(['scheduling', 'willContinue']);
const MEDIA_FIELDS: ReadonlySet<string> = new Set(['inlineData', 'fileData']);

/**
 * A `functionResponse` as a part.
 * @param param where it stands in the request.
 * @param findId finds the id of the call that a response answers.
 * @throws GatewayError `invalid-request` if the function's name is missing.
 */
export function parseResult(
  value: JsonObject,
  param: Place,
  findId: (name: string, id: string | undefined) => string,
): ToolResultPart {
  const { known, own, extra } = sortFields(value, RESULT_FIELDS, RESULT_OWN);
  const name = asText(known['name']);
  if (!name) throw invalid(`${param}.name: Name cannot be empty.`, `${param}.name`);
  const { text, isError } = unwrapResponse(known['response']);
  const media = asObjects(known['parts']).flatMap((part, at) =>
    parseResultMedia(part, `${param}.parts[${at}]`),
  );
  const given = asText(known['id']);
  const id = findId(name, given);
  // As with calls: an id that does not look like Gemini's goes back to Gemini only for callers of this format. So does
  // one that the call does not have.
  const exact = given && (given !== id || !isGeminiId(given)) ? { id: given } : {};
  return {
    kind: 'tool-result',
    id,
    name,
    content: [...(text === undefined ? [] : [{ kind: 'text', text } satisfies TextPart]), ...media],
    ...(isError && { isError }),
    ...withFormatSpecific(FORMAT, withWords(own, 'FunctionResponse'), exact),
    ...withUnknownFields(extra),
  };
}

function parseResultMedia(part: JsonObject, param: string): readonly MediaPart[] {
  const { known } = sortFields(part, MEDIA_FIELDS);
  const inline = asObject(known['inlineData']);
  const file = asObject(known['fileData']);
  return [
    ...(inline ? [parseInline(inline, `${param}.inlineData`)] : []),
    ...(file ? [parseFile(file, `${param}.fileData`)] : []),
  ];
}

/** A response as text. It loses its wrapping only if the outbound half would wrap the text in the same way again. */
function unwrapResponse(response: Json | undefined): { text?: string; isError: boolean } {
  if (response === undefined) return { isError: false };
  if (!isObject(response)) return { text: JSON.stringify(response), isError: false };
  if (Object.keys(response).length === 1) {
    const { output, error } = response;
    if (typeof error === 'string') return { text: error, isError: true };
    if (typeof output === 'string' && parseResponseText(output) === undefined) {
      return { text: output, isError: false };
    }
  }
  return { text: JSON.stringify(response), isError: false };
}
