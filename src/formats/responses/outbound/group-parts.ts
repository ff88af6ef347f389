/** Groups the parts of a turn that become one item, or a few items of one kind. */

import type { ContentPart, Part, ThinkingPart } from '../../../conversation/prompt.ts';
import { getOrigin } from '../wire/origin.ts';

/** A call, a result, or an item that only this format can read. */
export type ItemPart = Exclude<Part, ContentPart | ThinkingPart> | Extract<Part, { kind: 'opaque' }>;

export type PartGroup =
  | { readonly kind: 'content'; readonly parts: readonly ContentPart[] }
  | { readonly kind: 'thinking'; readonly parts: readonly ThinkingPart[] }
  | { readonly kind: 'item'; readonly part: ItemPart };

/** A group that may still grow. */
type OpenGroup =
  | { readonly kind: 'content'; readonly parts: ContentPart[] }
  | { readonly kind: 'thinking'; readonly parts: ThinkingPart[] }
  | { readonly kind: 'item'; readonly part: ItemPart };

/** Groups parts in their order. Consecutive contents of one message are a group, and so are consecutive thoughts. */
export function groupParts(parts: readonly Part[]): readonly PartGroup[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return [makeGroup(only)];
  const groups: OpenGroup[] = [];
  for (const part of parts) {
    if (!isSilent(part) && !addToGroup(groups.at(-1), part)) groups.push(makeGroup(part));
  }
  return groups;
}

/** Whether the part belongs to the group, which then holds it. */
function addToGroup(group: OpenGroup | undefined, part: Part): boolean {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    case 'media':
      if (group?.kind !== 'content' || !isSameMessage(group.parts.at(-1), part)) return false;
      group.parts.push(part);
      return true;
    case 'thinking':
      if (group?.kind !== 'thinking') return false;
      group.parts.push(part);
      return true;
    default:
      return false;
  }
}

function makeGroup(part: Part): OpenGroup {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    case 'media':
      return { kind: 'content', parts: [part] };
    case 'thinking':
      return { kind: 'thinking', parts: [part] };
    default:
      return { kind: 'item', part };
  }
}

/** Whether a text is empty and nothing depends on it: neither this format nor a signature. */
function isSilent(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && !part.formatSpecific && !part.signature;
}

/** A signature goes after the text that it is on, so nothing may follow it in its message. */
function isSameMessage(previous: Part | undefined, part: Part): boolean {
  return !previous?.signature && getOrigin(previous?.formatSpecific).at === getOrigin(part.formatSpecific).at;
}
