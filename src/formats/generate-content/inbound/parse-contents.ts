/** The turns of a request: `systemInstruction` and `contents`. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Turn } from '../../../conversation/prompt.ts';
import { resultsFirst } from '../../../conversation/rules/strict-turns.ts';
import { invalid } from '../../../lib/errors.ts';
import { asText, isObject, type Json } from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import type { CallIds } from './call-ids.ts';
import { joinPartialCalls } from './join-partial-calls.ts';
import { joinPieces, type PieceTurn, withoutThoughts } from './join-pieces.ts';
import { parseParts } from './parse-parts.ts';
import { CONTENT_FIELDS, sortFields } from './sort-fields.ts';

/** The `systemInstruction` as a turn; none if it has no parts. @throws GatewayError as `parseParts` does. */
export function parseSystem(value: Json | undefined, ids: CallIds): readonly Turn[] {
  const instruction = isObject(value) ? sortFields(value, CONTENT_FIELDS).known['parts'] : value;
  const parts = withoutThoughts(parseParts(instruction, 'systemInstruction.parts', { ids, isAnswer: false }));
  return parts.length > 0 ? [{ role: 'system', parts }] : [];
}

/**
 * The `contents` as turns.
 * @throws GatewayError `invalid-request` for an unknown role, and for a content or a part with nothing in it.
 */
export function parseContents(value: Json, ids: CallIds): readonly Turn[] {
  const turns = joinPartialCalls(repeatedField(value)).map((content, index) =>
    parseContent(content, itemPlace('contents', index), ids),
  );
  return joinPieces(turns);
}

function parseContent(value: Json, param: Place, ids: CallIds): PieceTurn {
  if (typeof value === 'string') {
    ids.beginUserTurn();
    return { role: 'user', pieces: [{ kind: 'text', text: value }] };
  }
  if (!isObject(value)) throw invalid(`Invalid value at '${param}': a content is an object.`, String(param));
  const { known, extra } = sortFields(value, CONTENT_FIELDS);
  const isAnswer = known['role'] === 'model';
  if (!isAnswer) ids.beginUserTurn();
  const pieces = parseParts(known['parts'], fieldPlace(param, 'parts'), { ids, isAnswer });
  if (pieces.length === 0)
    throw invalid(`${param}.parts: contents.parts must not be empty.`, `${param}.parts`);
  const role = parseRole(asText(known['role']), fieldPlace(param, 'role'));
  return {
    role,
    pieces: role === 'user' ? resultsFirst(withoutThoughts(pieces)) : pieces,
    ...withUnknownFields(extra),
  };
}

/**
 * `function` is the role of results in old code, and `tool` in Google's own examples. A content without a role is the
 * user's.
 */
function parseRole(role: string | undefined, param: Place): Turn['role'] {
  if (role === 'model') return 'assistant';
  if (!role || role === 'user' || role === 'function' || role === 'tool') return 'user';
  throw invalid('Please use a valid role: user, model.', String(param));
}
