/**
 * Citations as `groundingMetadata`. Gemini counts offsets in bytes of UTF-8 over all visible text (REST reference,
 * Segment); the neutral ones count UTF-16 code units.
 */

import type { Citation } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { utf8Length } from '../../../lib/utf8.ts';

/**
 * The most that the supports of an answer quote of it, in code units: several times its text, and this much of a short
 * one. Each citation may stand on the whole text: 8,000 of them in a text of 40 KB would be quoted in 320 MB. A support
 * without its words still has the place of them.
 */
const QUOTED = { times: 4, least: 1024 * 1024 };

/**
 * The `groundingMetadata` of an answer; undefined if no citation names a source and nothing was searched for.
 * @param text all visible text of the answer, from which the citations' offsets count.
 */
export function renderGrounding(
  text: string,
  citations: readonly Citation[],
  searches: readonly string[],
): JsonObject | undefined {
  const cited = renderCitations(text, citations);
  return searches.length > 0 ? { webSearchQueries: searches, ...cited } : cited;
}

function renderCitations(text: string, citations: readonly Citation[]): JsonObject | undefined {
  if (citations.length === 0) return undefined;
  const chunks = new Map<string, { readonly index: number; readonly chunk: JsonObject }>();
  const supports: JsonObject[] = [];
  const findByte = byteOffsets(text);
  let left = Math.max(QUOTED.least, QUOTED.times * text.length);
  for (const citation of citations) {
    const { start, end } = citation;
    const source = renderSource(citation);
    if (source === undefined) continue;
    const known = chunks.get(source.key) ?? { index: chunks.size, chunk: source.chunk };
    chunks.set(source.key, known);
    if (start === undefined || end === undefined) continue;
    // The words of the answer: what other vendors call the cited text are those of the source.
    const words = text.slice(start, end);
    const quoted = words.length <= left;
    if (quoted) left -= words.length;
    const segment = { startIndex: findByte(start), endIndex: findByte(end), ...(quoted && { text: words }) };
    supports.push({ segment, groundingChunkIndices: [known.index] });
  }
  if (chunks.size === 0) return undefined;
  return {
    groundingChunks: [...chunks.values()].map(({ chunk }) => chunk),
    ...(supports.length > 0 && { groundingSupports: supports }),
  };
}

/**
 * The source of a citation, and what makes it the same as another. One without a URL is a passage of a document (REST
 * reference, RetrievedContext).
 */
function renderSource({ url, title, citedText }: Citation): { key: string; chunk: JsonObject } | undefined {
  if (url !== undefined) return { key: url, chunk: { web: { uri: url, ...(title && { title }) } } };
  if (!title && !citedText) return undefined;
  const chunk = { retrievedContext: { ...(title && { title }), ...(citedText && { text: citedText }) } };
  return { key: JSON.stringify(chunk), chunk };
}

/**
 * Code units between two places with a known byte. To count from the beginning for each citation would cost a square.
 */
const STRIDE = 1024;

/** Finds the byte at which a code unit starts; beyond the text's end, that is the byte of the end. */
function byteOffsets(text: string): (unit: number) => number {
  if (utf8Length(text) === text.length) return (unit) => Math.min(unit, text.length);
  const bytes = [0];
  /** Where a stretch begins: never between the halves of a surrogate pair. */
  const findStart = (stretch: number): number => {
    const at = stretch * STRIDE;
    return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;
  };
  for (let stretch = 1; stretch * STRIDE < text.length; stretch += 1) {
    const piece = text.slice(findStart(stretch - 1), findStart(stretch));
    bytes.push((bytes.at(-1) ?? 0) + utf8Length(piece));
  }
  return (unit) => {
    const stretch = Math.min(Math.floor(unit / STRIDE), bytes.length - 1);
    return (bytes[stretch] ?? 0) + utf8Length(text.slice(findStart(stretch), unit));
  };
}
