/** The block of an answer that is still arriving, and what its deltas add to it. */

import { withFormatSpecific } from '../../../conversation/format-specific.ts';
import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart } from '../../../conversation/reply.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { unsealReturned } from '../../../conversation/signature.ts';
import { type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { type ChangedKeys, restoreKeys } from './property-keys.ts';

/** The deltas that are text of a part, with the field that holds the text. */
export const TEXT_FIELDS = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
} as const;

type TextDelta = keyof typeof TEXT_FIELDS;

export interface OpenBlock {
  /** The block's index in the stream; undefined in a whole answer. */
  readonly at: Json | undefined;
  /** The deltas that are its text. An opaque block has none. */
  readonly textDelta: TextDelta | undefined;
  /** Its part as it starts. */
  readonly part: OpenPart;
  readonly formatSpecific: PartStart['formatSpecific'];
  /** The part's index; -1 while the part has not begun. */
  index: number;
  /** Text that is emitted at the end, if no delta brought any. */
  fallbackText: string;
  signature: Signature | undefined;
  /** Set for an input whose fields have other names for the caller. Its text is held in `json` until the end. */
  keys: ChangedKeys | undefined;
  /** An opaque block so far. */
  block: JsonObject;
  /** The JSON text of an opaque block's input, or of an input with changed keys. */
  json: string;
}

/**
 * Makes a block that has just started.
 * @param fields those fields of the block that are specific to this format.
 */
export function createBlock(
  textDelta: TextDelta | undefined,
  part: OpenPart,
  fields: JsonObject,
  at: Json | undefined,
): OpenBlock {
  const { formatSpecific } = withFormatSpecific('messages', withoutNulls(fields));
  return {
    at,
    textDelta,
    part,
    formatSpecific,
    index: -1,
    fallbackText: '',
    signature: undefined,
    keys: undefined,
    block: {},
    json: '',
  };
}

/** Returns the text of a block that has not been emitted when the block ends. */
export function remainingText({ fallbackText, json, keys }: OpenBlock): string {
  return keys === undefined ? fallbackText : restoreKeys(json || fallbackText, keys);
}

/** Remembers the signature of a block, unless the value is not one. */
export function addSignature(open: OpenBlock, signature: Json | undefined): void {
  open.signature = unsealReturned(signature, 'anthropic') ?? open.signature;
}

/** Adds a delta to an opaque block. A text is appended to a text of the same field; any other value replaces it. */
export function growBlock(block: JsonObject, { type: _, ...delta }: JsonObject): JsonObject {
  const grown = Object.entries(withoutNulls(delta)).map(([key, value]) => {
    const before = Object.hasOwn(block, key) ? block[key] : undefined;
    return [key, typeof before === 'string' && typeof value === 'string' ? before + value : value];
  });
  return { ...block, ...Object.fromEntries(grown) };
}

/** Returns an opaque block with all that its deltas brought. */
export function completeBlock({ block, json }: OpenBlock): JsonObject {
  return json === '' ? block : { ...block, input: argumentsObject(json) };
}
