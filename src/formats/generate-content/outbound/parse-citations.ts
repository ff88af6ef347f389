/**
 * `groundingMetadata` and `citationMetadata` as neutral citations of the text (REST reference, GroundingMetadata and
 * CitationSource).
 */

import type { Citation } from '../../../conversation/prompt.ts';
import { asList, asObject, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { type Places, placesIn } from './cited-places.ts';

/**
 * The citations in a candidate's metadata that have a URL, with their offsets in the text.
 * @param text all visible text of the candidate that is known.
 */
export function parseCitations(
  text: string,
  grounding: JsonObject | undefined,
  citation: JsonObject | undefined,
): readonly Citation[] {
  if (grounding === undefined && citation === undefined) return [];
  const places = placesIn(text);
  return [...(grounding ? parseGrounding(grounding, places) : []), ...parseSources(citation, places)];
}

function parseGrounding(grounding: JsonObject, places: Places): readonly Citation[] {
  const chunks = asList(grounding['groundingChunks']).map((chunk) => parseChunk(asObject(chunk)));
  const supports = asObjects(grounding['groundingSupports']);
  // Some answers do not say which of their words come from where (recorded with Gemini 3). Then all come from all chunks.
  if (supports.length === 0) return chunks.flatMap((source) => source ?? []);
  return supports.flatMap((support) => {
    const segment = asObject(support['segment']) ?? {};
    const citedText = asText(segment['text']);
    const place = places.find(segment, citedText);
    return asList(support['groundingChunkIndices']).flatMap((index) => {
      const source = typeof index === 'number' ? chunks[index] : undefined;
      return source ? [{ ...source, ...(citedText !== undefined && { citedText }), ...place }] : [];
    });
  });
}

function parseChunk(chunk: JsonObject | undefined): { url: string; title?: string } | undefined {
  const source =
    asObject(chunk?.['web']) ??
    asObject(chunk?.['retrievedContext']) ??
    asObject(chunk?.['maps']) ??
    asObject(chunk?.['image']);
  // The source of an image is the page that shows it.
  const url = asText(source?.['uri']) ?? asText(source?.['sourceUri']);
  const title = asText(source?.['title']);
  return url ? { url, ...(title && { title }) } : undefined;
}

function parseSources(metadata: JsonObject | undefined, places: Places): readonly Citation[] {
  const sources = [...asObjects(metadata?.['citations']), ...asObjects(metadata?.['citationSources'])];
  return sources.flatMap((source) => {
    const url = asText(source['uri']);
    if (!url) return [];
    const title = asText(source['title']);
    return [{ url, ...(title && { title }), ...places.parse(source) }];
  });
}
