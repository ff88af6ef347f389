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
import { type Mark, type Unsealed, unsealSignature } from '../wire/sealed-signature.ts';

/** Parses the reasoning items of one history. */
export class ReasoningParser {
  /** The signature of a call, an image or a message that is still to come. */
  #waiting: Unsealed | undefined;

  /** Adds the parts of the item to the assistant's `parts`, or signs one of them. @param at the place of the item */
  parse(item: JsonObject, at: number, parts: Part[]): void {
    this.settle(parts);
    const unsealed = unsealSignature(item['encrypted_content']);
    if (unsealed?.mark === undefined || unsealed.mark === 'r') addThinking(parts, item, at, unsealed);
    else if (unsealed.mark === 'p') signLast(parts, unsealed.signature);
    else {
      this.#waiting = unsealed;
      // The thoughts before a message may be in the same item. Nobody has signed them.
      if (unsealed.mark === 'm' && hasTexts(item))
        addThinking(parts, { ...item, encrypted_content: UNSIGNED }, at);
    }
  }

  /** Adds the signature that came before the call to it. */
  sign(call: ToolCallPart): ToolCallPart {
    const signature = this.#take('c');
    return signature ? { ...call, signature } : call;
  }

  /** Adds the signature that came before the image to it. */
  signImage(part: OpaquePart): OpaquePart {
    const { image } = part;
    const signature = image && this.#take('i');
    return signature ? { ...part, image: { ...image, signature } } : part;
  }

  /** Adds the signature that came before a message to its last text. */
  signMessage(parts: readonly Part[]): readonly Part[] {
    const last = parts.findLastIndex((part) => part.kind === 'text' && part.text !== '');
    const text = parts[last];
    // An empty message is not the model's own: LangChain adds one before calls.
    const signature = text && this.#take('m');
    return signature ? parts.with(last, { ...text, signature }) : parts;
  }

  /** Ends the turn. A signature that still waits for its part becomes one on an empty text, as Google has them. */
  settle(parts: Part[]): void {
    if (this.#waiting) parts.push({ kind: 'text', text: '', signature: this.#waiting.signature });
    this.#waiting = undefined;
  }

  #take(mark: Mark): Signature | undefined {
    if (this.#waiting?.mark !== mark) return undefined;
    const { signature } = this.#waiting;
    this.#waiting = undefined;
    return signature;
  }
}

function addThinking(parts: Part[], item: JsonObject, at: number, unsealed?: Unsealed): void {
  for (const part of parseThinking(item, at, unsealed)) parts.push(part);
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
