/** Thoughts as reasoning items. OpenAI takes back its own only: proved by `encrypted_content`, or as it wrote them. */

import type { Part, Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { originOf } from '../wire/format-specific.ts';
import { encryptedContent, type Mark, sealed } from '../wire/sealed-signature.ts';
import type { Scope } from './render-context.ts';

/** A run of thinking parts as items: a proof ends an item, and so does a part that came in another. */
export function renderThoughts(parts: readonly ThinkingPart[], scope: Scope): readonly JsonObject[] {
  const items: ThinkingPart[][] = [];
  for (const part of parts) {
    const open = items.at(-1);
    const last = open?.at(-1);
    const isSame =
      last !== undefined &&
      !proofOf(last) &&
      originOf(last.formatSpecific).at === originOf(part.formatSpecific).at;
    if (open && isSame) open.push(part);
    else items.push([part]);
  }
  return items.flatMap((item) => renderThought(item, scope));
}

function renderThought(parts: readonly ThinkingPart[], scope: Scope): readonly JsonObject[] {
  const last = parts.at(-1);
  if (last === undefined) return [];
  if (!scope.keepsAll && !isOpenAIs(last)) {
    scope.report('turns[].thinking', 'dropped', 'has no proof of origin from OpenAI');
    return [];
  }
  const secret = encryptedContent(last);
  const told = parts.filter((part) => part.text !== '');
  const content = told.filter(isRaw).map(({ text }) => ({ type: 'reasoning_text', text }));
  const item: JsonObject = {
    ...last.unknownFields,
    ...originOf(last.formatSpecific).item,
    type: 'reasoning',
    summary: told.filter((part) => !isRaw(part)).map(({ text }) => ({ type: 'summary_text', text })),
    ...(content.length > 0 && { content }),
    ...(secret !== undefined && { encrypted_content: secret }),
  };
  return [item];
}

function proofOf(part: ThinkingPart): Signature | undefined {
  return part.redacted ?? part.signature;
}

function isOpenAIs(part: ThinkingPart): boolean {
  const proof = proofOf(part);
  return proof === undefined ? part.formatSpecific?.format === 'responses' : proof.origin === 'openai';
}

/** Whether a thought came as `reasoning_text`, the model's own words, and not as a summary of them. */
function isRaw(part: ThinkingPart): boolean {
  return originOf(part.formatSpecific).part?.['type'] === 'reasoning_text';
}

/**
 * A signature that stood on a text or a call, as the reasoning item that carries it through this format (`seal.ts`);
 * none at all for OpenAI, which signs neither.
 */
export function renderCarrier(part: Part, mark: Mark, scope: Scope): readonly JsonObject[] {
  const { signature } = part;
  if (signature === undefined) return [];
  if (scope.keepsAll) return [{ type: 'reasoning', summary: [], encrypted_content: sealed(signature, mark) }];
  scope.report('turns[].signature', 'dropped', `of ${signature.origin}, on a ${part.kind}`);
  return [];
}
