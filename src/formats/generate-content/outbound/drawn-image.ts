/** Images that the model draws, which Gemini has among its parts. */

import type { MediaPart } from '../../../conversation/prompt.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { unsealProof } from '../wire/thought-signature.ts';

/** The image that a part of an answer holds; undefined for any other part. A sketch among the thoughts is no answer. */
export function findDrawnImage(part: JsonObject): MediaPart | undefined {
  const blob = asObject(part['inlineData']);
  const mediaType = asText(blob?.['mimeType']);
  const data = asText(blob?.['data']);
  if (!data || !mediaType?.startsWith('image/') || part['thought'] === true) return undefined;
  const sealed = asText(part['thoughtSignature']);
  const { signature } = sealed ? unsealProof(sealed, 'media') : {};
  return {
    kind: 'media',
    media: 'image',
    mediaType,
    source: { kind: 'base64', data },
    ...(signature && { signature }),
  };
}
