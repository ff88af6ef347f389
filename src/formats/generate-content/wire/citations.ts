/**
 * `groundingMetadata` and `citationMetadata`, as neutral citations of the text. Gemini counts offsets in bytes of
 * UTF-8 (REST reference, Segment and CitationSource); neutral ones count UTF-16 code units.
 */

import type { Citation } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText, isList, isObject } from '../../../lib/json.ts';
import { utf8Length } from '../../../lib/utf8.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A text of an answer, from one offset to another in all the visible text that is known of. */
interface CitedText extends Range {
  readonly all: string;
}

/**
 * Tells the citations of each text of a candidate, one after the other, and each of them once. Those of no place in it
 * that is still to be told go with the last text that is known of: they are the answer's.
 */
export function citationTeller(): (text: CitedText, metadata: JsonObject) => readonly Citation[] {
  const told = new Set<string>();
  return ({ all, start, end }, metadata) => {
    const grounding = asObject(metadata['groundingMetadata']);
    const isLast = end >= all.length;
    return parseCitations(all, grounding, asObject(metadata['citationMetadata'])).flatMap((citation) => {
      const from = citation.start ?? -1;
      const isHere = from >= start && (citation.end ?? from) <= end;
      const key = JSON.stringify(citation);
      if (told.has(key) || !(isHere || isLast)) return [];
      told.add(key);
      return [shifted(citation, -start)];
    });
  };
}

/** Metadata comes in pieces: fields of a later chunk are added, its lists of citations too; an empty one says nothing. */
export function mergeField(earlier: Json | undefined, later: Json | undefined): Json | undefined {
  if (!isObject(earlier) || !isObject(later)) return later;
  const merged = { ...earlier, ...later };
  for (const name of ['citations', 'citationSources']) {
    const before = earlier[name];
    const after = later[name];
    if (isList(before) && isList(after)) return { ...merged, [name]: [...before, ...after] };
  }
  return merged;
}

/** The citations in a candidate's metadata that have a URL, on the text they are about. */
function parseCitations(
  text: string,
  grounding: JsonObject | undefined,
  citation: JsonObject | undefined,
): readonly Citation[] {
  if (grounding === undefined && citation === undefined) return [];
  const unitAt = utf16Offsets(text);
  return [
    ...(grounding ? groundingCitations(text, grounding, unitAt) : []),
    ...sourceCitations(citation, unitAt),
  ];
}

function groundingCitations(text: string, grounding: JsonObject, unitAt: UnitAt): readonly Citation[] {
  const chunks = asList(grounding['groundingChunks']).map((chunk) => sourceOf(asObject(chunk)));
  const supports = asObjects(grounding['groundingSupports']);
  const find = finderIn(text);
  // Not every answer says which of its words are from where (as recorded of Gemini 3): then all of it is from all of them.
  if (supports.length === 0) return chunks.flatMap((source) => source ?? []);
  return supports.flatMap((support) => {
    const segment = asObject(support['segment']) ?? {};
    const citedText = asText(segment['text']);
    const place = placeOf(text, segment, citedText, unitAt, find);
    return asList(support['groundingChunkIndices']).flatMap((index) => {
      const source = typeof index === 'number' ? chunks[index] : undefined;
      return source ? [{ ...source, ...(citedText !== undefined && { citedText }), ...place }] : [];
    });
  });
}

function sourceOf(chunk: JsonObject | undefined): { url: string; title?: string } | undefined {
  const source =
    asObject(chunk?.['web']) ??
    asObject(chunk?.['retrievedContext']) ??
    asObject(chunk?.['maps']) ??
    asObject(chunk?.['image']);
  // Of an image, the page that it stands on.
  const url = asText(source?.['uri']) ?? asText(source?.['sourceUri']);
  const title = asText(source?.['title']);
  return url ? { url, ...(title && { title }) } : undefined;
}

/** Offsets are checked against the quoted text: other parts may have been counted in, and then the text is looked for. */
function placeOf(
  text: string,
  segment: JsonObject,
  quoted: string | undefined,
  unitAt: UnitAt,
  find: (quoted: string) => number,
): Range | undefined {
  const told = rangeOf(segment, unitAt);
  if (told && (quoted === undefined || text.slice(told.start, told.end) === quoted)) return told;
  const found = quoted ? find(quoted) : -1;
  return quoted && found >= 0 ? { start: found, end: found + quoted.length } : undefined;
}

/** How often a text is searched to its end, all in all: quotes that are not in it come by the thousand only to cost. */
const MOST_SEARCHES = 64;

/** Where a quote stands in the text; -1 where it does not, or the text has been searched so often. */
function finderIn(text: string): (quoted: string) => number {
  let left = MOST_SEARCHES * text.length;
  return (quoted) => {
    if (left <= 0) return -1;
    const found = text.indexOf(quoted);
    left -= found < 0 ? text.length : found;
    return found;
  };
}

function rangeOf(place: JsonObject, unitAt: UnitAt): Range | undefined {
  const start = unitAt(asNumber(place['startIndex']) ?? 0);
  const end = unitAt(asNumber(place['endIndex']) ?? -1);
  return start !== undefined && end !== undefined && start <= end ? { start, end } : undefined;
}

function sourceCitations(metadata: JsonObject | undefined, unitAt: UnitAt): readonly Citation[] {
  const sources = [...asObjects(metadata?.['citations']), ...asObjects(metadata?.['citationSources'])];
  return sources.flatMap((source) => {
    const url = asText(source['uri']);
    if (!url) return [];
    const title = asText(source['title']);
    return [{ url, ...(title && { title }), ...rangeOf(source, unitAt) }];
  });
}

/** The code unit that starts at a byte; undefined where no character starts (or the text ends) there. */
type UnitAt = (byte: number) => number | undefined;

function utf16Offsets(text: string): UnitAt {
  const bytes = utf8Length(text);
  if (bytes === text.length) return (byte) => (byte >= 0 && byte <= bytes ? byte : undefined);
  const units = new Map<number, number>();
  let byte = 0;
  let unit = 0;
  for (const character of text) {
    units.set(byte, unit);
    byte += utf8Length(character);
    unit += character.length;
  }
  units.set(byte, unit);
  return (at) => units.get(at);
}

/** Code units between two places whose byte is known: to count from the beginning for each citation costs their square. */
const STRIDE = 1024;

/** The byte at which a code unit starts; that of the end for what lies behind it. */
function byteOffsets(text: string): (unit: number) => number {
  if (utf8Length(text) === text.length) return (unit) => Math.min(unit, text.length);
  const bytes = [0];
  /** Where the stretch begins that a unit is in: never between the halves of a surrogate pair. */
  const placeOfStretch = (stretch: number): number => {
    const at = stretch * STRIDE;
    return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;
  };
  for (let stretch = 1; stretch * STRIDE < text.length; stretch += 1) {
    const piece = text.slice(placeOfStretch(stretch - 1), placeOfStretch(stretch));
    bytes.push((bytes.at(-1) ?? 0) + utf8Length(piece));
  }
  return (unit) => {
    const stretch = Math.min(Math.floor(unit / STRIDE), bytes.length - 1);
    return (bytes[stretch] ?? 0) + Buffer.byteLength(text.slice(placeOfStretch(stretch), unit), 'utf8');
  };
}

/** Citations as `groundingMetadata`; undefined of none that has a URL. */
export function renderCitations(text: string, citations: readonly Citation[]): JsonObject | undefined {
  const chunks = new Map<string, { readonly index: number; readonly chunk: JsonObject }>();
  const supports: JsonObject[] = [];
  const byteAt = byteOffsets(text);
  for (const { url, title, citedText, start, end } of citations) {
    if (url === undefined) continue;
    const known = chunks.get(url) ?? {
      index: chunks.size,
      chunk: { web: { uri: url, ...(title && { title }) } },
    };
    chunks.set(url, known);
    if (start === undefined || end === undefined) continue;
    const segment = {
      startIndex: byteAt(start),
      endIndex: byteAt(end),
      text: citedText ?? text.slice(start, end),
    };
    supports.push({ segment, groundingChunkIndices: [known.index] });
  }
  if (chunks.size === 0) return undefined;
  return {
    groundingChunks: [...chunks.values()].map(({ chunk }) => chunk),
    ...(supports.length > 0 && { groundingSupports: supports }),
  };
}

/** A citation of a part, as one of the whole text that the part's text stands in. */
export function shifted(citation: Citation, by: number): Citation {
  const { start, end, ...rest } = citation;
  return start === undefined || end === undefined || start + by < 0
    ? rest
    : { ...rest, start: start + by, end: end + by };
}
