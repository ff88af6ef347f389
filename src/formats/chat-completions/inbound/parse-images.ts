/** What a caller wants of the images in an answer: `modalities`, and OpenRouter's `image_config`. */

import type { ImageOptions } from '../../../conversation/prompt.ts';
import { asList, asObject, asText, compact, isEmpty, type JsonObject } from '../../../lib/json.ts';

/** The images that a request asks for; undefined if it asks for none. */
export function parseImageOptions({ modalities, image_config }: JsonObject): ImageOptions | undefined {
  const kinds = asList(modalities);
  const config = asObject(image_config) ?? {};
  const options = compact({
    place: kinds.includes('image') ? placeAmong(kinds.includes('text')) : undefined,
    aspectRatio: asText(config['aspect_ratio']),
    size: asText(config['image_size']),
  });
  return isEmpty(options) ? undefined : options;
}

function placeAmong(hasText: boolean): NonNullable<ImageOptions['place']> {
  return hasText ? 'besides-text' : 'alone';
}
