/** Parts of a turn as parts of a content. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { MediaPart, Part, ToolCallPart } from '../../../conversation/prompt.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { isPlain } from '../../../conversation/turn-parts.ts';
import { asText, compact, isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { renderCallId } from './call-id.ts';
import { renderMedia, renderResolution } from './render-media.ts';
import { safeName } from './tool-names.ts';

/** What rendering a part needs to know of the conversation around it. */
export interface Rendering {
  readonly target: ModelTraits;
  readonly report: Report;
  /** Names of the calls so far, by id: a result must name its function. */
  readonly names: Map<string, string>;
  /** Ids that several calls of one turn share. The vendor refuses them; without ids it matches results by order. */
  readonly repeated: ReadonlySet<string>;
}

/**
 * A part of a turn as parts of a content; empty for a result, which `render-results.ts` renders.
 * @throws GatewayError `invalid-request` for a file in another vendor's store.
 */
export function renderPart(part: Part, rendering: Rendering): readonly JsonObject[] {
  const { report, target } = rendering;
  switch (part.kind) {
    case 'text':
    case 'refusal': {
      const signature = renderSignature(part, report);
      if (part.text === '' && signature === undefined) return [];
      return [withFields(part, signature ? { text: part.text, ...signature } : { text: part.text }, report)];
    }
    case 'thinking':
      return [withFields(part, { text: part.text, thought: true, ...renderSignature(part, report) }, report)];
    case 'media': {
      const resolution = renderResolution(part, target);
      if (part.detail !== undefined && part.detail !== 'auto' && isEmpty(resolution)) {
        report('turns[].detail', 'dropped', `image detail ${part.detail}`);
      }
      if (part.name !== undefined)
        report('turns[].filename', 'dropped', 'Gemini has no field for file names');
      const data = { ...renderMedia(part, target), ...resolution, ...renderClip(part) };
      return [withFields(part, { ...data, ...renderSignature(part, report) }, report)];
    }
    case 'tool-call':
      return [withFields(part, { ...renderCall(part, rendering), ...renderSignature(part, report) }, report)];
    case 'tool-result':
      return [];
    case 'opaque':
      return [part.value];
  }
}

/** `{ videoMetadata }` if the caller asked for a part of a video, or for a rate of its own. */
function renderClip({ clip }: MediaPart): JsonObject {
  if (clip === undefined || isEmpty(clip)) return {};
  return { videoMetadata: compact({ fps: clip.fps, startOffset: clip.start, endOffset: clip.end }) };
}

function renderCall(part: ToolCallPart, { names, repeated, target }: Rendering): JsonObject {
  const { id, name, arguments: text } = asFunctionCall(part);
  names.set(id, name);
  const { id: given } = findRoundTrip(part.formatSpecific, 'generate-content');
  return {
    functionCall: {
      ...part.unknownFields,
      ...renderCallId(repeated.has(id) ? '' : id, asText(given), target),
      name: safeName(name),
      args: argumentsObject(text),
    },
  };
}

/** `{ thoughtSignature }` of a part that Google has signed; undefined for any other. */
export function renderSignature(
  { signature }: Part,
  report: Report,
): { thoughtSignature: string } | undefined {
  if (signature === undefined) return undefined;
  if (signature.origin === 'google') return { thoughtSignature: signature.value };
  report('turns[].signature', 'dropped', "another vendor's signature");
  return undefined;
}

/** The data of a part together with its fields that are Google's own or unknown. */
function withFields(part: Part, data: JsonObject, report: Report): JsonObject {
  if (isPlain(part)) return data;
  const extra = part.kind === 'tool-call' ? undefined : part.unknownFields;
  const own = ownFields(part.formatSpecific, 'generate-content', 'turns[]', report);
  return { ...extra, ...own, ...data };
}
