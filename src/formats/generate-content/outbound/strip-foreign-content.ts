/**
 * Removes from a native request what Google refuses because models of other vendors have left it in the dialogue (Gemini
 * API, "Thought signatures"): thoughts that they signed, and signatures that the gateway has sealed for them. Some clients
 * write the fields of a part in snake case.
 */

import {
  asText,
  hasSameItems,
  isObject,
  type JsonObject,
  withObjects,
  withoutFields,
} from '../../../lib/json.ts';
import { COUNTED } from '../wire/counted-requests.ts';
import { repeatedObjects } from '../wire/protobuf-json.ts';
import { findSeal } from '../wire/thought-signature.ts';
import { PLACEHOLDER } from './render-contents.ts';

const SIGNATURES = ['thoughtSignature', 'thought_signature'];
export const CALLS = ['functionCall', 'function_call'];
export const RESULTS = ['functionResponse', 'function_response'];

/** @see ForeignContentStripper */
export function stripForeignContent(request: JsonObject): JsonObject | undefined {
  const stripped = withObjects(stripDialogue(request), COUNTED, stripDialogue);
  return stripped === request ? undefined : stripped;
}

function stripDialogue(request: JsonObject): JsonObject {
  const given = repeatedObjects(request['contents']);
  const asked = given.findLastIndex((content) => isUsers(content) && !hasResult(content));
  const contents = given.flatMap((content, at) => stripContent(content, at > asked));
  return hasSameItems(contents, given) ? request : { ...request, contents };
}

/**
 * Removes foreign content from a model's turn.
 * @param isCurrent whether the turn answers the user's last question: Gemini 3 demands a signature on the first call of
 *   each step then.
 * @returns an empty list if nothing is left.
 */
function stripContent(content: JsonObject, isCurrent: boolean): readonly JsonObject[] {
  if (isUsers(content)) return [content];
  const given = repeatedObjects(content['parts']);
  const own = given.flatMap(stripPart);
  const parts = isCurrent ? signFirstCall(own) : own;
  if (parts.length === 0) return given.length === 0 ? [content] : [];
  return [hasSameItems(parts, given) ? content : { ...content, parts }];
}

function stripPart(part: JsonObject): readonly JsonObject[] {
  const name = SIGNATURES.find((field) => part[field] !== undefined);
  const seal = name === undefined ? undefined : findSeal(asText(part[name]) ?? '');
  if (name === undefined || seal === undefined) return [part];
  if (part['thought'] === true) return [];
  const plain = withoutFields(part, SIGNATURES);
  if (seal.google !== undefined) return [{ ...plain, [name]: seal.google }];
  return isBlankText(plain) ? [] : [plain];
}

function signFirstCall(parts: readonly JsonObject[]): readonly JsonObject[] {
  const first = parts.findIndex(isCall);
  const call = parts[first];
  if (call === undefined || SIGNATURES.some((field) => call[field] !== undefined)) return parts;
  return parts.with(first, { ...call, thoughtSignature: PLACEHOLDER });
}

function isCall(part: JsonObject): boolean {
  return CALLS.some((field) => isObject(part[field]));
}

function hasResult({ parts }: JsonObject): boolean {
  return repeatedObjects(parts).some((part) => RESULTS.some((field) => isObject(part[field])));
}

/** Google takes a content without a role for the user's. */
function isUsers({ role }: JsonObject): boolean {
  return role !== 'model';
}

/** Whether a part is an empty text, which only held a signature. */
function isBlankText(part: JsonObject): boolean {
  return part['text'] === '' && Object.keys(part).length === 1;
}
