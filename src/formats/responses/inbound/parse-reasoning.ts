/** Parses reasoning items of a caller's history: OpenAI's own, and those that carry another vendor's signature. */

import type {
  OpaquePart,
  Part,
  Signature,
  ThinkingPart,
  ToolCallPart,
} from '../../../conversation/prompt.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import { asObjects, asText, isEmpty, type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { keepOrigin } from '../wire/origin.ts';
import { type Unsealed, unsealSignature } from '../wire/sealed-signature.ts';

export interface ReasoningParser {
  /** Adds the parts of the item to the assistant's `parts`, or signs one of them. @param at the place of the item */
  parse(item: JsonObject, at: number, parts: Part[]): void;
  /** Adds the signature that came before the call to it. */
  sign(call: ToolCallPart): ToolCallPart;
  /** Adds the signature that came before the image to it. */
  signImage(part: OpaquePart): OpaquePart;
  /** Adds the signature that came before a message to its last text. */
  signMessage(parts: readonly Part[]): readonly Part[];
  /** Ends the turn. A signature that still waits for its part becomes one on an empty text, as Google has them. */
  settle(parts: Part[]): void;
}

/** Makes the parser for one history. */
export function reasoningParser(): ReasoningParser {
  let ofCall: Signature | undefined;
  let ofImage: Signature | undefined;
  let ofMessage: Signature | undefined;
  const settle = (parts: Part[]): void => {
    for (const signature of [ofMessage, ofCall, ofImage]) {
      if (signature) parts.push({ kind: 'text', text: '', signature });
    }
    ofCall = undefined;
    ofImage = undefined;
    ofMessage = undefined;
  };
  return {
    settle,
    parse(item, at, parts) {
      settle(parts);
      const unsealed = unsealSignature(item['encrypted_content']);
      if (unsealed?.mark === 'c') ofCall = unsealed.signature;
      else if (unsealed?.mark === 'i') ofImage = unsealed.signature;
      else if (unsealed?.mark === 'p') signLast(parts, unsealed.signature);
      else if (unsealed?.mark === 'm') {
        ofMessage = unsealed.signature;
        // The thoughts before the message may be in the same item. Nobody has signed them.
        const unsigned = { ...item, encrypted_content: UNSIGNED };
        if (hasTexts(item)) for (const part of parseThinking(unsigned, at)) parts.push(part);
      } else for (const part of parseThinking(item, at, unsealed)) parts.push(part);
    },
    sign(call) {
      const signature = ofCall;
      ofCall = undefined;
      return signature ? { ...call, signature } : call;
    },
    signImage(part) {
      const { image } = part;
      const signature = ofImage;
      if (image === undefined || signature === undefined) return part;
      ofImage = undefined;
      return { ...part, image: { ...image, signature } };
    },
    signMessage(parts) {
      const signature = ofMessage;
      const last = parts.findLastIndex((part) => part.kind === 'text' && part.text !== '');
      const text = parts[last];
      // An empty message is not the model's own: LangChain adds one before calls.
      if (signature === undefined || text === undefined) return parts;
      ofMessage = undefined;
      return parts.with(last, { ...text, signature });
    },
  };
}

/** Parses a thinking part for each text of summary and content. The last one has the signature. */
function parseThinking(item: JsonObject, at: number, unsealed?: Unsealed): Part[] {
  const { type: _, summary, content, encrypted_content, ...rest } = item;
  const texts = [...parseTexts(summary, 'summary_text'), ...parseTexts(content, 'reasoning_text')];
  const kept = withoutNulls(rest);
  const isBlank = texts.length === 0 && unsealed === undefined;
  // The gateway's own item for a signature that did not come says nothing either.
  if (isBlank && !isEmpty(kept) && encrypted_content !== UNSIGNED)
    return [{ kind: 'opaque', format: 'responses', value: item }];
  if (isBlank) return [];
  // A signature ends its item. Items without one, or with several parts, are told apart by their places.
  const place = unsealed !== undefined && unsealed.mark !== 'r' && texts.length < 2 ? {} : { at };
  // The mark tells that the thoughts are no vendor's of this format, which would look them up by the item's id.
  const origin = encrypted_content === UNSIGNED ? { ...kept, encrypted_content } : kept;
  const parts = texts.map(({ text, type }): ThinkingPart => {
    const part = type === 'reasoning_text' ? { part: { type } } : {};
    return { kind: 'thinking', text, formatSpecific: keepOrigin({ ...place, item: origin, ...part }) };
  });
  if (unsealed === undefined) return parts;
  const { signature, mark } = unsealed;
  const formatSpecific = keepOrigin({ ...place, item: kept });
  if (mark === 'r') return [...parts, { kind: 'thinking', text: '', redacted: signature, formatSpecific }];
  const last = parts.pop() ?? { kind: 'thinking', text: '', formatSpecific };
  return [...parts, { ...last, signature }];
}

function hasTexts({ summary, content }: JsonObject): boolean {
  return asObjects(summary).length > 0 || asObjects(content).length > 0;
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
