/** What the parts of Gemini's own hold that other formats show too: images that the model draws, and its searches. */

import type { MediaPart } from '../../../conversation/prompt.ts';
import { asList, asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';
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

/** Google's search among the tools that it runs itself (REST reference, ToolType). */
const SEARCH = 'GOOGLE_SEARCH_WEB';

/** What a part searches for that is such a call; empty for any other part. Answers have them beside functions alone. */
export function findCalledQueries(part: JsonObject): readonly string[] {
  const { toolType, args } = asObject(part['toolCall']) ?? {};
  return toolType === SEARCH ? texts(asObject(args)?.['queries']) : [];
}

/** What the metadata of a candidate says was searched for. */
export function findGroundedQueries(grounding: Json | undefined): readonly string[] {
  return texts(asObject(grounding)?.['webSearchQueries']);
}

function texts(list: Json | undefined): readonly string[] {
  return asList(list).flatMap((each) => asText(each) || []);
}
