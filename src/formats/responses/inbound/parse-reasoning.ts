/** Parses reasoning items of a caller's history: OpenAI's own, and those that carry another vendor's signature. */

import type { Part, Signature, ThinkingPart, ToolCallPart } from '../../../conversation/prompt.ts';
import { asObjects, asText, isEmpty, type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { keepOrigin } from '../wire/origin.ts';
import { type Unsealed, unsealSignature } from '../wire/sealed-signature.ts';

export interface ReasoningParser {
  /** Adds the parts of the item to the assistant's `parts`, or signs one of them. @param at the place of the item */
  parse(item: JsonObject, at: number, parts: Part[]): void;
  /** Adds the signature that came before the call to it. */
  sign(call: ToolCallPart): ToolCallPart;
  /** Ends the turn. A signature that still waits for its call becomes one on an empty text, as Google has them. */
  settle(parts: Part[]): void;
}

/** Makes the parser for one history. */
export function reasoningParser(): ReasoningParser {
  let waiting: Signature | undefined;
  const settle = (parts: Part[]): void => {
    if (waiting) parts.push({ kind: 'text', text: '', signature: waiting });
    waiting = undefined;
  };
  return {
    settle,
    parse(item, at, parts) {
      settle(parts);
      const unsealed = unsealSignature(item['encrypted_content']);
      if (unsealed?.mark === 'c') waiting = unsealed.signature;
      else if (unsealed?.mark === 'p') signLast(parts, unsealed.signature);
      else for (const part of parseThinking(item, at, unsealed)) parts.push(part);
    },
    sign(call) {
      const signature = waiting;
      waiting = undefined;
      return signature ? { ...call, signature } : call;
    },
  };
}

/** Parses a thinking part for each text of summary and content. The last one has the signature. */
function parseThinking(item: JsonObject, at: number, unsealed?: Unsealed): Part[] {
  const { type: _, summary, content, encrypted_content, ...rest } = item;
  const texts = [...parseTexts(summary, 'summary_text'), ...parseTexts(content, 'reasoning_text')];
  const kept = withoutNulls(rest);
  const isBlank = texts.length === 0 && unsealed === undefined;
  if (isBlank && !isEmpty(kept)) return [{ kind: 'opaque', format: 'responses', value: item }];
  if (isBlank) return [];
  // A signature ends its item. Items without one, or with several parts, are told apart by their places.
  const place = unsealed !== undefined && unsealed.mark !== 'r' && texts.length < 2 ? {} : { at };
  const parts = texts.map(({ text, type }): ThinkingPart => {
    const part = type === 'reasoning_text' ? { part: { type } } : {};
    return { kind: 'thinking', text, formatSpecific: keepOrigin({ ...place, item: kept, ...part }) };
  });
  if (unsealed === undefined) return parts;
  const { signature, mark } = unsealed;
  const formatSpecific = keepOrigin({ ...place, item: kept });
  if (mark === 'r') return [...parts, { kind: 'thinking', text: '', redacted: signature, formatSpecific }];
  const last = parts.pop() ?? { kind: 'thinking', text: '', formatSpecific };
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

/** @param fallback the type of a text that names none */
function parseTexts(
  list: Json | undefined,
  fallback: string,
): { readonly text: string; readonly type: string }[] {
  return asObjects(list).flatMap((part) => {
    const text = asText(part['text']);
    return text ? [{ text, type: asText(part['type']) ?? fallback }] : [];
  });
}
