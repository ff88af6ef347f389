/** Groups the parts of a turn that become one item, or a few items of one kind. */

import type { ContentPart, Part, ThinkingPart } from '../../../conversation/prompt.ts';
import { getOrigin } from '../wire/origin.ts';

/** A call, a result, or an item that only this format can read. */
export type ItemPart = Exclude<Part, ContentPart | ThinkingPart> | Extract<Part, { kind: 'opaque' }>;

export type PartGroup =
  | { readonly kind: 'content'; readonly parts: readonly ContentPart[] }
  | { readonly kind: 'thinking'; readonly parts: readonly ThinkingPart[] }
  | { readonly kind: 'item'; readonly part: ItemPart };

/** Groups parts in their order. Consecutive contents of one message are a group, and so are consecutive thoughts. */
export function groupParts(parts: readonly Part[]): readonly PartGroup[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return [makeGroup(only)];
  const groups: PartGroup[] = [];
  let content: ContentPart[] | undefined;
  let thinking: ThinkingPart[] | undefined;
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'media':
        if (isSilent(part)) break;
        if (content && isSameMessage(content.at(-1), part)) content.push(part);
        else {
          content = [part];
          groups.push({ kind: 'content', parts: content });
        }
        thinking = undefined;
        break;
      case 'thinking':
        if (thinking) thinking.push(part);
        else {
          thinking = [part];
          groups.push({ kind: 'thinking', parts: thinking });
        }
        content = undefined;
        break;
      default:
        groups.push({ kind: 'item', part });
        content = undefined;
        thinking = undefined;
    }
  }
  return groups;
}

/** The group of one part. Most turns have no more. */
function makeGroup(part: Part): PartGroup {
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
