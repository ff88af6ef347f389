/**
 * What tools answered: `functionResponse`, whose `response` is an object. By Google's own convention its keys `output`
 * and `error` hold what is no object (REST reference, FunctionResponse.response).
 */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { MediaPart, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Place } from '../../../lib/place.ts';
import { withWords } from '../wire/enum-encoding.ts';
import { parseResponseText } from '../wire/function-responses.ts';
import { isGeminiId } from '../wire/ids.ts';
import { repeatedObjects } from '../wire/protobuf-json.ts';
import { parseFile, parseInline } from './parse-media.ts';
import { PART_OWN, sortFields } from './sort-fields.ts';

const RESULT_FIELDS: ReadonlySet<string> = new Set(['name', 'response', 'id', 'parts']);
const RESULT_OWN: ReadonlySet<string> = new Set(['scheduling', 'willContinue']);
const ENVELOPE_FIELDS: ReadonlySet<string> = new Set(['content', 'output', 'error']);
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
  const { text, isError } = unwrapResponse(known['response'], name);
  const media = repeatedObjects(known['parts']).flatMap((part, at) =>
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
    ...withFormatSpecific('generate-content', withWords(own, 'FunctionResponse'), exact),
    ...withUnknownFields(extra),
  };
}

function parseResultMedia(part: JsonObject, param: string): readonly MediaPart[] {
  const { known, own, extra } = sortFields(part, MEDIA_FIELDS, PART_OWN);
  const inline = asObject(known['inlineData']);
  const file = asObject(known['fileData']);
  const fields = {
    ...withFormatSpecific('generate-content', withWords(own, 'Part')),
    ...withUnknownFields(extra),
  };
  return [
    ...(inline ? [{ ...parseInline(inline, `${param}.inlineData`), ...fields }] : []),
    ...(file ? [{ ...parseFile(file, `${param}.fileData`), ...fields }] : []),
  ];
}

/**
 * A response as text. It loses its wrapping if the outbound half would wrap the text in the same way again, or if the
 * wrapping says only whose response it is.
 */
function unwrapResponse(response: Json | undefined, name: string): { text?: string; isError: boolean } {
  if (response === undefined) return { isError: false };
  if (!isObject(response)) return { text: JSON.stringify(response), isError: false };
  if (Object.keys(response).length === 1) {
    const { output, error } = response;
    if (typeof error === 'string') return { text: error, isError: true };
    if (typeof output === 'string' && parseResponseText(output) === undefined) {
      return { text: output, isError: false };
    }
  }
  return unwrapNamed(response, name) ?? { text: JSON.stringify(response), isError: false };
}

/**
 * What is in an envelope of the function's own name, as Google's first examples of function calling write it, and the
 * Vercel AI SDK still does (@ai-sdk/google, `response: { name, content }` and `{ name, error }`).
 */
function unwrapNamed(response: JsonObject, name: string): { text: string; isError: boolean } | undefined {
  const { name: own, ...others } = response;
  const [entry, ...more] = Object.entries(others);
  if (own !== name || entry === undefined || more.length > 0) return undefined;
  const [key, value] = entry;
  if (!ENVELOPE_FIELDS.has(key) || value === undefined) return undefined;
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError: key === 'error' };
}
