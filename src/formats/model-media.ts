/**
 * Images, files and sounds in the model's own turns, as image models and the Gemini API have them. The assistant
 * messages of the other formats hold only text and calls (Anthropic: "'image' blocks are not permitted within assistant
 * turns"; OpenAI: "Image URLs are only allowed for messages with role 'user'"), so there the user shows them again.
 */

import type { FormatName, MediaPart, Part, Turn } from '../conversation/prompt.ts';
import { resultsFirst } from '../conversation/rules/strict-turns.ts';
import { withParts } from '../conversation/turn-parts.ts';
import { GatewayError } from '../lib/errors.ts';
import { mapItems } from '../lib/lists.ts';
import type { ModelTraits, Report } from './format.ts';

/** Where the media go. */
export interface MediaTarget {
  readonly model: Pick<ModelTraits, 'input'>;
  /** @throws GatewayError for a medium that the service does not take. */
  render(part: MediaPart): unknown;
}

/** Shows the images in blocks that another format than `format` has for them. @returns `turns` itself if none has any. */
export function showForeignImages(
  turns: readonly Turn[],
  format: FormatName,
  report: Report,
): readonly Turn[] {
  const show = (part: Part): Part => {
    if (part.kind !== 'opaque' || part.format === format || part.image === undefined) return part;
    report('turns[].content', 'approximated', `only the image of a block of ${part.format}`);
    return part.image;
  };
  return mapItems(turns, (turn) => withParts(turn, mapItems(turn.parts, show)));
}

/**
 * Moves the model's media to the user's turn after it, behind the results of calls. Those that the target does not take
 * are left out: the caller has not written them, and a refusal would end the dialogue at every further turn.
 * @returns `turns` itself if no answer has any.
 */
export function moveModelMedia(turns: readonly Turn[], target: MediaTarget, report: Report): readonly Turn[] {
  const taken = dropRefusedMedia(turns, target, report);
  if (!taken.some(hasModelMedia)) return taken;
  report('turns[].content', 'approximated', "sent as the user's: messages of the model hold only text");
  let waiting: readonly MediaPart[] = [];
  const moved = taken.flatMap((turn): Turn[] => {
    const media = waiting;
    waiting = turn.role === 'assistant' ? turn.parts.filter(isMedia).map(withoutSignature) : [];
    const own = waiting.length > 0 ? { ...turn, parts: turn.parts.filter((part) => !isMedia(part)) } : turn;
    if (media.length === 0) return [own];
    if (own.role !== 'user') return [{ role: 'user', parts: media }, own];
    return [{ ...own, parts: resultsFirst([...media, ...own.parts]) }];
  });
  return waiting.length > 0 ? [...moved, { role: 'user', parts: waiting }] : moved;
}

/**
 * Leaves out the model's media that the target does not take.
 * @returns `turns` itself if no answer has any media.
 */
export function dropRefusedMedia(
  turns: readonly Turn[],
  target: MediaTarget,
  report: Report,
): readonly Turn[] {
  if (!turns.some(hasModelMedia)) return turns;
  return turns.map((turn) => {
    if (!hasModelMedia(turn)) return turn;
    const parts = turn.parts.filter((part) => {
      if (!isMedia(part) || isTaken(part, target)) return true;
      report('turns[].content', 'dropped', `${part.media} of the model's that the target does not take`);
      return false;
    });
    return parts.length === turn.parts.length ? turn : { ...turn, parts };
  });
}

function isTaken(part: MediaPart, { model, render }: MediaTarget): boolean {
  // Whether a model reads documents depends on their type: many a service sends it their text.
  if (part.media !== 'document' && model.input?.includes(part.media) === false) return false;
  try {
    render(part);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/** A signature belongs to the model's own image, and only in its own turn. */
function withoutSignature({ signature: _, ...part }: MediaPart): MediaPart {
  return part;
}

function hasModelMedia({ role, parts }: Turn): boolean {
  return role === 'assistant' && parts.some(isMedia);
}

function isMedia(part: Part): part is MediaPart {
  return part.kind === 'media';
}
