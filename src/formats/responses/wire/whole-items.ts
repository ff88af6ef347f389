/**
 * Items of this format that other formats have, too (OpenAI API reference). An image that the model drew is an
 * `image_generation_call` with the data in `result`, and a search in the web is a `web_search_call`. LiteLLM writes
 * what Gemini draws, and what Claude searches for, likewise.
 */

import { normalizeType, sniffMediaType } from '../../../conversation/media-types.ts';
import type { OpaquePart } from '../../../conversation/prompt.ts';
import { withSearches } from '../../../conversation/searches.ts';
import { asList, asObject, asText, type JsonObject } from '../../../lib/json.ts';

const IMAGE = 'image_generation_call';
const SEARCH = 'web_search_call';

type Whole = Pick<OpaquePart, 'format' | 'value' | 'image' | 'searches'>;

/** An item of this format as a part, with the image that it may hold, or what it searched for. */
export function toOpaquePart(item: JsonObject): Whole & Pick<OpaquePart, 'kind'> {
  const data = item['type'] === IMAGE ? asText(item['result']) : undefined;
  const part = {
    kind: 'opaque',
    format: 'responses',
    value: item,
    ...withSearches(findQueries(item)),
  } as const;
  if (!data) return part;
  const mediaType = sniffMediaType(data) ?? 'image/png';
  return { ...part, image: { kind: 'media', media: 'image', mediaType, source: { kind: 'base64', data } } };
}

/** What a search looks for. `query` is the older field, which has one of the `queries`. */
function findQueries({ type, action }: JsonObject): readonly string[] {
  const { query, queries } = (type === SEARCH && asObject(action)) || {};
  const all = asList(queries).flatMap((each) => asText(each) || []);
  const only = asText(query);
  return all.length === 0 && only ? [only] : all;
}

/**
 * The item that a block is, and the prefix of its id: an item of this format, the image that another vendor's model drew,
 * or the search that it made; undefined for anything else.
 */
export function findWholeItem({
  format,
  value,
  image,
  searches,
}: Whole): { readonly prefix: string; readonly item: JsonObject } | undefined {
  if (format === 'responses') return { prefix: 'item_', item: value };
  if (searches) {
    const action = { type: 'search', query: searches[0] ?? '', queries: searches };
    return { prefix: 'ws_', item: { type: SEARCH, status: 'completed', action } };
  }
  if (image?.source.kind !== 'base64') return undefined;
  const type = normalizeType(image.mediaType) ?? sniffMediaType(image.source.data) ?? 'image/png';
  const output_format = type.slice(type.indexOf('/') + 1);
  return {
    prefix: 'ig_',
    item: { type: IMAGE, status: 'completed', output_format, result: image.source.data },
  };
}
