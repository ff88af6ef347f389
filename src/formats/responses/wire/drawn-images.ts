/**
 * Images that the model drew, as this format has them: `image_generation_call` items with the data in `result` (OpenAI API
 * reference). LiteLLM writes what Gemini draws likewise.
 */

import { normalizeType, sniffMediaType } from '../../../conversation/media-types.ts';
import type { OpaquePart } from '../../../conversation/prompt.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';

const TYPE = 'image_generation_call';

/** An item of this format as a part, with the image that it may hold. */
export function toOpaquePart(item: JsonObject): Pick<OpaquePart, 'kind' | 'format' | 'value' | 'image'> {
  const data = item['type'] === TYPE ? asText(item['result']) : undefined;
  const part = { kind: 'opaque', format: 'responses', value: item } as const;
  if (!data) return part;
  const mediaType = sniffMediaType(data) ?? 'image/png';
  return { ...part, image: { kind: 'media', media: 'image', mediaType, source: { kind: 'base64', data } } };
}

/**
 * The item that a block is, and the prefix of its id: an item of this format, or the image that another vendor's model
 * drew; undefined for anything else.
 */
export function findWholeItem({
  format,
  value,
  image,
}: Pick<OpaquePart, 'format' | 'value' | 'image'>):
  | { readonly prefix: string; readonly item: JsonObject }
  | undefined {
  if (format === 'responses') return { prefix: 'item_', item: value };
  if (image?.source.kind !== 'base64') return undefined;
  const type = normalizeType(image.mediaType) ?? sniffMediaType(image.source.data) ?? 'image/png';
  const output_format = type.slice(type.indexOf('/') + 1);
  return {
    prefix: 'ig_',
    item: { type: TYPE, status: 'completed', output_format, result: image.source.data },
  };
}
