/** How closely the model looks at images that do not say so: the `mediaResolution` of the whole request. */

import type { MediaPart, Part, Turn } from '../../../conversation/prompt.ts';
import { withParts } from '../../../conversation/turn-parts.ts';
import { mapItems } from '../../../lib/lists.ts';

/** Gives this detail to all images that have none. @returns `turns` itself if there is no such image. */
export function withDetail(turns: readonly Turn[], detail: string | undefined): readonly Turn[] {
  if (detail === undefined) return turns;
  return mapItems(turns, (turn) =>
    withParts(
      turn,
      mapItems(turn.parts, (part): Part => {
        if (part.kind === 'media') return lookedAt(part, detail);
        if (part.kind !== 'tool-result') return part;
        const content = mapItems(part.content, (each) =>
          each.kind === 'media' ? lookedAt(each, detail) : each,
        );
        return content === part.content ? part : { ...part, content };
      }),
    ),
  );
}

/** Whether there are media that have no detail: documents, audio and videos. */
export function hasOtherMedia(turns: readonly Turn[]): boolean {
  const isOther = (part: Part): boolean =>
    (part.kind === 'media' && part.media !== 'image') ||
    (part.kind === 'tool-result' && part.content.some(isOther));
  return turns.some(({ parts }) => parts.some(isOther));
}

/** An image's own resolution counts, even if no detail says the same. */
function lookedAt(part: MediaPart, detail: string): MediaPart {
  const hasOwn = part.detail !== undefined || part.formatSpecific?.fields['mediaResolution'] !== undefined;
  return part.media !== 'image' || hasOwn ? part : { ...part, detail };
}
