/** Parts of an answer as the content blocks they are, streamed or whole. */

import { fieldsOf } from '../../conversation/own.ts';
import type { Own, Signature } from '../../conversation/prompt.ts';
import type { OpenPart } from '../../conversation/reply.ts';
import { seal } from '../../conversation/signature.ts';
import type { JsonObject } from '../../json.ts';
import { callIds } from './names.ts';
import { FORMAT } from './wire.ts';

/** Thinking that only its vendor can read. */
export function redactedBlock(redacted: Signature, own: Own | undefined): JsonObject {
  return { ...fieldsOf(own, FORMAT), type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
}

/** Tool calls with ids that Anthropic's clients take, no two alike, and the same streamed or whole. */
export function callBlocks(
  stem: string,
): (call: Extract<OpenPart, { kind: 'tool-call' }>, own: Own | undefined, input: JsonObject) => JsonObject {
  const ids = callIds();
  let count = 0;
  return ({ id, name }, own, input) => {
    const given = id === '' ? `toolu_${stem}${count}` : id;
    count += 1;
    const fields = fieldsOf(own, FORMAT);
    return {
      ...fields,
      type: 'tool_use',
      id: ids.call(given),
      name,
      input,
      // Claude says it of every call, and the SDKs' types have it always there: Java's reads no call without.
      caller: fields['caller'] ?? { type: 'direct' },
    };
  };
}
