/** The tool calls of a streamed choice: numbered in `tool_calls`, the first one perhaps in the older `function_call`. */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { SignedPart } from '../wire/reasoning-details.ts';
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

/** Writes a chunk with this delta. */
export interface DeltaWriter {
  writeDelta(delta: JsonObject, out: Sink<Sse>): void;
}

export class CallRenderer {
  /** The calls with a signature, in the order in which the signatures became known. */
  readonly signed: SignedPart[] = [];
  readonly #writer: DeltaWriter;
  readonly #usesFunctionCall: boolean;
  #hasFunctionCall = false;
  #count = 0;

  /** @param usesFunctionCall whether the first function goes into `function_call`. */
  constructor(writer: DeltaWriter, usesFunctionCall: boolean) {
    this.#writer = writer;
    this.#usesFunctionCall = usesFunctionCall;
  }

  /** The number of calls in `tool_calls`. */
  count(): number {
    return this.#count;
  }

  hasFunctionCall(): boolean {
    return this.#hasFunctionCall;
  }

  /** Writes the chunk that begins a call: its id, its name and, if it is known yet, its signature. */
  open(part: CallPart, signature: Signature | undefined, out: Sink<Sse>): OpenCall {
    const { id, name, custom } = part;
    const extraContent = renderExtraContent(signature);
    if (signature) this.signed.push({ id, signature });
    if (this.#usesFunctionCall && !this.#hasFunctionCall && !custom) {
      this.#hasFunctionCall = true;
      this.#writer.writeDelta({ function_call: { name, arguments: '', ...extraContent } }, out);
      return { part, before: '{"function_call":{"arguments":', after: '}}', index: undefined };
    }
    const index = this.#count;
    this.#count += 1;
    const body = custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    this.#writer.writeDelta({ tool_calls: [{ index, id, ...body, ...extraContent }] }, out);
    const field = custom ? '"custom":{"input":' : '"function":{"arguments":';
    return { part, before: `{"tool_calls":[{"index":${index},${field}`, after: '}}]}', index };
  }

  /** @param signature one that became known after the call began. */
  close({ part, index }: OpenCall, signature: Signature | undefined, out: Sink<Sse>): void {
    if (signature === undefined) return;
    const extraContent = renderExtraContent(signature);
    this.signed.push({ id: part.id, signature });
    const body = part.custom ? { custom: { input: '' } } : { function: { arguments: '' } };
    const delta =
      index === undefined
        ? { function_call: { arguments: '', ...extraContent } }
        : { tool_calls: [{ index, ...body, ...extraContent }] };
    this.#writer.writeDelta(delta, out);
  }
}
