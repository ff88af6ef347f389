/** Groups the parts of a turn that become one item, or a few items of one kind. */

import type { ContentPart, OpaquePart, Part, ThinkingPart } from '../../../conversation/prompt.ts';
import { getOrigin } from '../wire/origin.ts';

/** A call, a result, or an item that only this format can read. */
export type ItemPart = Exclude<Part, ContentPart | ThinkingPart> | OpaquePart;

export type PartGroup =
  | { readonly kind: 'content'; readonly parts: ContentPart[] }
  | { readonly kind: 'thinking'; readonly parts: ThinkingPart[] }
  | { readonly kind: 'item'; readonly part: ItemPart };

/** Groups parts in their order. Consecutive contents of one message are a group, and so are consecutive thoughts. */
export function groupParts(parts: readonly Part[]): readonly PartGroup[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return [makeGroup(only)];
  const groups: PartGroup[] = [];
  for (const part of parts) {
    if (!isSilent(part) && !addToGroup(groups.at(-1), part)) groups.push(makeGroup(part));
  }
  return groups;
}

/** Whether the part belongs to the group, which then holds it. */
function addToGroup(group: PartGroup | undefined, part: Part): boolean {
  if (group?.kind === 'thinking' && part.kind === 'thinking') group.parts.push(part);
  else if (group?.kind === 'content' && isContent(part) && isSameMessage(group.parts.at(-1), part))
    group.parts.push(part);
  else return false;
  return true;
}

function makeGroup(part: Part): PartGroup {
  if (part.kind === 'thinking') return { kind: 'thinking', parts: [part] };
  return isContent(part) ? { kind: 'content', parts: [part] } : { kind: 'item', part };
}

function isContent(part: Part): part is Exclude<ContentPart, OpaquePart> {
  return part.kind === 'text' || part.kind === 'refusal' || part.kind === 'media';
}

/** Whether a text is empty and nothing depends on it: neither this format nor a signature. */
function isSilent(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && !part.formatSpecific && !part.signature;
}

/** A signature goes after the text that it is on, so nothing may follow it in its message. */
function isSameMessage(previous: Part | undefined, part: Part): boolean {
  return !previous?.signature && getOrigin(previous?.formatSpecific).at === getOrigin(part.formatSpecific).at;
}
