/** Blocks that only Anthropic can read, and that have no meaning for other vendors. */

import type { OpaquePart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asText, isObject, type JsonObject } from '../../../lib/json.ts';
import type { Place } from '../../../lib/place.ts';
import { unknownTypeError } from './required-fields.ts';

/** Makes a part that holds the block unchanged. */
export function createOpaquePart(block: JsonObject): OpaquePart {
  return { kind: 'opaque', format: 'messages', value: block };
}

/** Types of blocks that Anthropic's tools and features leave in a conversation (the SDK's types). */
const KNOWN_OPAQUE =
  /^(?:compaction|fallback|server_tool_use|mcp_tool_use|mcp_tool_listing|tool_(?:addition|removal|reference)|browser_state|\w+_tool_result)$/;

/**
 * Checks an opaque block that the model is to read: one of the user's, or one in a result.
 * @param at path of the block.
 * @returns the part itself.
 * @throws GatewayError `invalid-request` if the block's type is not known. What it says would be lost in silence.
 */
export function checkOpaque(part: OpaquePart, at: Place): OpaquePart {
  const { type: given, source } = part.value;
  const type = asText(given) ?? typeof given;
  if (KNOWN_OPAQUE.test(type)) return part;
  if (type !== 'image' && type !== 'document') throw unknownTypeError(at, type);
  const place = `${at}.${type}.source`;
  if (!isObject(source)) throw invalid(`${place}: Field required`, place);
  throw unknownTypeError(place, asText(source['type']) ?? '');
}
