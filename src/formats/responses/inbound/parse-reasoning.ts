/** Reasoning items of a caller's history: OpenAI's own, and those that carry another vendor's signatures (`seal.ts`). */

import type { Part, Signature, ThinkingPart, ToolCallPart } from '../../../conversation/prompt.ts';
import { asObjects, asText, isEmpty, type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { keptOrigin } from '../wire/format-specific.ts';
import { type Unsealed, unsealed } from '../wire/sealed-signature.ts';

export interface ReasoningReader {
  /** Adds what the item holds to the assistant's `parts`, or signs one of them. */
  read(item: JsonObject, at: number, parts: Part[]): void;
  /** The call with the signature that stood before it. */
  sign(call: ToolCallPart): ToolCallPart;
  /** No call came: a signature that waited for one becomes an empty text, which is where else Google has them. */
  settle(parts: Part[]): void;
}

export function reasoningReader(): ReasoningReader {
  let waiting: Signature | undefined;
  const settle = (parts: Part[]): void => {
    if (waiting) parts.push({ kind: 'text', text: '', signature: waiting });
    waiting = undefined;
  };
  return {
    settle,
    read(item, at, parts) {
      settle(parts);
      const proof = unsealed(item['encrypted_content']);
      if (proof?.mark === 'c') waiting = proof.signature;
      else if (proof?.mark === 'p') signLast(parts, proof.signature);
      else for (const part of parseThinking(item, at, proof)) parts.push(part);
    },
    sign(call) {
      const signature = waiting;
      waiting = undefined;
      return signature ? { ...call, signature } : call;
    },
  };
}

/** A thinking part for each text of summary and content; what proves them is on the last. */
function parseThinking(item: JsonObject, at: number, proof?: Unsealed): Part[] {
  const { type: _, summary, content, encrypted_content, ...rest } = item;
  const texts = [...texted(summary, 'summary_text'), ...texted(content, 'reasoning_text')];
  const known = withoutNulls(rest);
  const nothing = texts.length === 0 && proof === undefined;
  if (nothing && !isEmpty(known)) return [{ kind: 'opaque', format: 'responses', value: item }];
  if (nothing) return [];
  // A signature ends its item; where there is none, or text before it in a part of its own, the place must tell.
  const place = proof !== undefined && proof.mark !== 'r' && texts.length < 2 ? {} : { at };
  const parts = texts.map(({ text, type }): ThinkingPart => {
    const part = type === 'reasoning_text' ? { part: { type } } : {};
    return { kind: 'thinking', text, formatSpecific: keptOrigin({ ...place, item: known, ...part }) };
  });
  if (proof === undefined) return parts;
  const { signature, mark } = proof;
  const own = keptOrigin({ ...place, item: known });
  if (mark === 'r')
    return [...parts, { kind: 'thinking', text: '', redacted: signature, formatSpecific: own }];
  const last = parts.pop() ?? { kind: 'thinking', text: '', formatSpecific: own };
  return [...parts, { ...last, signature }];
}

function signLast(parts: Part[], signature: Signature): void {
  const last = parts.pop();
  if (last?.kind === 'text' || last?.kind === 'tool-call') {
    parts.push({ ...last, signature });
    return;
  }
  if (last) parts.push(last);
  parts.push({ kind: 'text', text: '', signature });
}

function texted(
  list: Json | undefined,
  fallback: string,
): { readonly text: string; readonly type: string }[] {
  return asObjects(list).flatMap((part) => {
    const text = asText(part['text']);
    return text ? [{ text, type: asText(part['type']) ?? fallback }] : [];
  });
}
