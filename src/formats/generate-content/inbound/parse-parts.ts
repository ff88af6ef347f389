/** The parts of a request's contents. One part of Gemini's may hold several things at once; each becomes a part. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Part } from '../../../conversation/prompt.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, asText, isEmpty, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { withWords } from '../wire/enum-encoding.ts';
import { isGeminiId } from '../wire/ids.ts';
import { parseDetail } from '../wire/media-resolution.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import { unsealProof } from '../wire/thought-signature.ts';
import type { CallIds } from './call-ids.ts';
import type { Piece } from './join-pieces.ts';
import { parseFile, parseInline } from './parse-media.ts';
import { parseResult } from './parse-results.ts';
import { PART_FIELDS, PART_OPAQUE, PART_OWN, sortFields } from './sort-fields.ts';

/** What parsing a part needs to know of the request around it. */
export interface PartContext {
  readonly ids: CallIds;
  /** Whether the parts are an answer of the model. Go writes a part with an empty text, which ends a stream, as `{}`. */
  readonly isAnswer: boolean;
}

/**
 * A list of parts, or one part without a list.
 * @param param where they stand in the request.
 * @throws GatewayError `invalid-request` for a part that is no object or has no data.
 */
export function parseParts(value: Json | undefined, param: Place, context: PartContext): readonly Piece[] {
  return joinLists(
    repeatedField(value).map((part, index) => parsePart(part, itemPlace(param, index), context)),
  );
}

const READ: ReadonlySet<string> = new Set([...PART_FIELDS, ...PART_OPAQUE]);

function parsePart(value: Json, param: Place, { ids, isAnswer }: PartContext): readonly Piece[] {
  if (typeof value === 'string') return [{ kind: 'text', text: value }];
  if (!isObject(value)) throw invalid(`Invalid value at '${param}': a part is an object.`, String(param));
  const { known, own: written, extra } = sortFields(value, READ, PART_OWN);
  const own = withWords(written, 'Part');
  const data = parseData(known, param, ids);
  const isThought = known['thought'] === true;
  const isOpaque = holdsOpaque(known) || (isThought && 'inlineData' in known);
  const sealed = asText(known['thoughtSignature']);
  if (isOpaque || (data.length === 0 && !isEmpty(extra))) {
    return [{ kind: 'opaque', format: 'generate-content', value: withWords(value, 'Part') }];
  }
  if (data.length === 0 && sealed === undefined && !isAnswer) {
    throw invalid(
      `${param}.data: required oneof field 'data' must have one initialized field`,
      String(param),
    );
  }
  if (data.length === 1 && sealed === undefined && isEmpty(own) && isEmpty(extra)) return data;
  const last = data.at(-1) ?? textPart('', isThought);
  const { thoughts, ...proof } = sealed ? unsealProof(sealed, last.kind) : {};
  return [
    ...data.slice(0, -1),
    ...(thoughts && sealed ? [{ kind: 'carried-thoughts', thoughts, seal: sealed } as const] : []),
    { ...withOwnFields(last, own), ...proof, ...withUnknownFields(extra) },
  ];
}

/** A part with the fields that only Google has. The resolution of an image is its detail, if other vendors have a word for it. */
function withOwnFields(part: Part, own: JsonObject): Part {
  const { mediaResolution, ...others } = own;
  const detail = part.kind === 'media' && part.media === 'image' ? parseDetail(mediaResolution) : undefined;
  const fields = { ...part.formatSpecific?.fields, ...(detail === undefined ? own : others) };
  return {
    ...part,
    ...(detail !== undefined && { detail }),
    ...withFormatSpecific('generate-content', fields, part.formatSpecific?.roundTrip),
  };
}

/** Whether a part has data that only Google can read. */
function holdsOpaque(known: JsonObject): boolean {
  for (const name in known) if (PART_OPAQUE.has(name)) return true;
  return false;
}

function parseData(known: JsonObject, param: Place, ids: CallIds): readonly Part[] {
  const text = asText(known['text']);
  const inline = asObject(known['inlineData']);
  const file = asObject(known['fileData']);
  const call = asObject(known['functionCall']);
  const response = asObject(known['functionResponse']);
  let parts: readonly Part[] = [];
  if (text !== undefined) parts = withPart(parts, textPart(text, known['thought'] === true));
  if (inline) parts = withPart(parts, parseInline(inline, `${param}.inlineData`));
  if (file) parts = withPart(parts, parseFile(file, `${param}.fileData`));
  if (call) parts = withPart(parts, parseCall(call, fieldPlace(param, 'functionCall'), ids));
  if (response) {
    parts = withPart(parts, parseResult(response, fieldPlace(param, 'functionResponse'), ids.ofResult));
  }
  return parts;
}

/** A list with one more part. Nearly always it is the only one, and a list of one takes less room than one that grows. */
function withPart(parts: readonly Part[], part: Part): readonly Part[] {
  return parts.length === 0 ? [part] : [...parts, part];
}

function textPart(text: string, isThought: boolean): Part {
  return { kind: isThought ? 'thinking' : 'text', text };
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['name', 'args', 'id']);

function parseCall(value: JsonObject, param: Place, ids: CallIds): Part {
  const { known, extra } = sortFields(value, CALL_FIELDS);
  const name = asText(known['name']);
  if (!name) throw invalid(`${param}.name: Name cannot be empty.`, `${param}.name`);
  const id = asText(known['id']);
  return {
    kind: 'tool-call',
    id: ids.ofCall(name, id),
    name,
    arguments: argumentsText(known['args']),
    // An id that does not look like Gemini's goes back to Gemini only if the caller speaks this format.
    ...withFormatSpecific('generate-content', {}, id !== undefined && !isGeminiId(id) ? { id } : {}),
    ...withUnknownFields(extra),
  };
}
