/**
 * Renders thoughts as reasoning items. Most vendors take back only their own: with `encrypted_content`, or as they wrote
 * them.
 */

import type { Part, Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { getOrigin } from '../wire/origin.ts';
import { type Mark, renderEncryptedContent, sealSignature } from '../wire/sealed-signature.ts';
import type { RenderContext } from './render-context.ts';

/** Renders consecutive thinking parts. A signature ends an item, and so does a part that came in another item. */
export function renderThoughts(
  parts: readonly ThinkingPart[],
  context: RenderContext,
): readonly JsonObject[] {
  const items: ThinkingPart[][] = [];
  for (const part of parts) {
    const open = items.at(-1);
    const last = open?.at(-1);
    const isSame =
      last !== undefined &&
      !findSignature(last) &&
      getOrigin(last.formatSpecific).at === getOrigin(part.formatSpecific).at;
    if (open && isSame) open.push(part);
    else items.push([part]);
  }
  return items.flatMap((item) => renderThought(item, context));
}

function renderThought(parts: readonly ThinkingPart[], context: RenderContext): readonly JsonObject[] {
  const last = parts.at(-1);
  if (last === undefined) return [];
  if (!context.keepsAll && !isFromService(last, context)) return renderForeignThought(parts, context);
  const encrypted = context.keepsAll ? renderEncryptedContent(last) : findSignature(last)?.value;
  const texts = parts.filter((part) => part.text !== '');
  const content = texts.filter(isRaw).map(({ text }) => ({ type: 'reasoning_text', text }));
  const item: JsonObject = {
    ...last.unknownFields,
    ...getOrigin(last.formatSpecific).item,
    type: 'reasoning',
    summary: texts.filter((part) => !isRaw(part)).map(({ text }) => ({ type: 'summary_text', text })),
    ...(content.length > 0 && { content }),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  };
  return [item];
}

/** Renders what another vendor has thought, or nobody has signed: its words, if the service reads them. */
function renderForeignThought(
  parts: readonly ThinkingPart[],
  { dialect, report }: RenderContext,
): readonly JsonObject[] {
  const texts = dialect.plainThoughts ? parts.filter(({ text }) => text !== '') : [];
  if (texts.length === 0) {
    report('turns[].thinking', 'dropped', 'not signed by this vendor');
    return [];
  }
  const signature = parts.map(findSignature).find((found) => found !== undefined);
  if (signature) report('turns[].signature', 'dropped', `of ${signature.origin}: not from this service`);
  const content = texts.map(({ text }) => ({ type: 'reasoning_text', text }));
  return [{ type: 'reasoning', summary: [], content }];
}

function findSignature(part: ThinkingPart): Signature | undefined {
  return part.redacted ?? part.signature;
}

function isFromService(part: ThinkingPart, { dialect }: RenderContext): boolean {
  const signature = findSignature(part);
  return signature === undefined
    ? part.formatSpecific?.format === 'responses' &&
        getOrigin(part.formatSpecific).item?.['encrypted_content'] !== UNSIGNED
    : signature.origin === dialect.signatureOrigin;
}

/** Whether a thought came as `reasoning_text`: the model's own words, and not a summary of them. */
function isRaw(part: ThinkingPart): boolean {
  return getOrigin(part.formatSpecific).part?.['type'] === 'reasoning_text';
}

/**
 * Renders another vendor's signature on a text or a call as a reasoning item, which carries it through the plain format.
 * OpenAI itself signs neither, so there the signature is dropped.
 */
export function renderCarrier(
  part: Part,
  mark: Mark,
  { keepsAll, report }: RenderContext,
): readonly JsonObject[] {
  const { signature } = part;
  if (signature === undefined) return [];
  if (keepsAll) {
    return [{ type: 'reasoning', summary: [], encrypted_content: sealSignature(signature, mark) }];
  }
  report('turns[].signature', 'dropped', `of ${signature.origin}, on a ${part.kind}`);
  return [];
}
