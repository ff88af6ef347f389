/** The tool calls of a streamed choice: numbered in `tool_calls`, the first one perhaps in the older `function_call`. */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { SignedCall } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';

type CallPart = Extract<OpenPart, { kind: 'tool-call' }>;

/** A call whose arguments are being written. */
export interface OpenCall {
  readonly part: CallPart;
  /** The delta's JSON text before and after a piece of the arguments. */
  readonly before: string;
  readonly after: string;
  /** The index in `tool_calls`; undefined for the `function_call`. */
  readonly index: number | undefined;
}

export interface CallRenderer {
  /** Writes the chunk that begins a call: its id, its name and, if it is known yet, its signature. */
  open(part: CallPart, signature: Signature | undefined, out: Sink<Sse>): OpenCall;
  /** @param signature one that became known after the call began. */
  close(call: OpenCall, signature: Signature | undefined, out: Sink<Sse>): void;
  /** The number of calls in `tool_calls`. */
  count(): number;
  hasFunctionCall(): boolean;
  /** The calls with a signature, in the order in which the signatures became known. */
  readonly signed: readonly SignedCall[];
}

/**
 * A choice without calls.
 * @param usesFunctionCall whether the first function goes into `function_call`.
 * @param writeDelta writes a chunk with this delta.
 */
export function callRenderer(
  usesFunctionCall: boolean,
  writeDelta: (delta: JsonObject, out: Sink<Sse>) => void,
): CallRenderer {
  const signed: SignedCall[] = [];
  let count = 0;
  let hasFunctionCall = false;

  return {
    open(part, signature, out) {
      const { id, name, custom } = part;
      const extraContent = renderExtraContent(signature);
      if (signature) signed.push({ id, signature });
      if (usesFunctionCall && !hasFunctionCall && !custom) {
        hasFunctionCall = true;
        writeDelta({ function_call: { name, arguments: '', ...extraContent } }, out);
        return { part, before: '{"function_call":{"arguments":', after: '}}', index: undefined };
      }
      const index = count;
      count += 1;
      const body = custom
        ? { type: 'custom', custom: { name, input: '' } }
        : { type: 'function', function: { name, arguments: '' } };
      writeDelta({ tool_calls: [{ index, id, ...body, ...extraContent }] }, out);
      const field = custom ? '"custom":{"input":' : '"function":{"arguments":';
      return { part, before: `{"tool_calls":[{"index":${index},${field}`, after: '}}]}', index };
    },
    close({ part, index }, signature, out) {
      if (signature === undefined) return;
      const extraContent = renderExtraContent(signature);
      signed.push({ id: part.id, signature });
      const body = part.custom ? { custom: { input: '' } } : { function: { arguments: '' } };
      if (index === undefined) writeDelta({ function_call: { arguments: '', ...extraContent } }, out);
      else writeDelta({ tool_calls: [{ index, ...body, ...extraContent }] }, out);
    },
    count: () => count,
    hasFunctionCall: () => hasFunctionCall,
    signed,
  };
}
