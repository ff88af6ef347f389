/** What the texts of one candidate were taken from: its metadata, chunk by chunk, and the citations in it. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject } from '../../../lib/json.ts';
import { shiftCitation } from '../wire/citations.ts';
import type { Range } from './cited-places.ts';
import { mergedFields } from './merged-fields.ts';
import { parseCitations } from './parse-citations.ts';

/** Fields of a candidate that say what its texts were taken from. They are also passed on unchanged, with its end. */
export const SOURCES: readonly string[] = ['groundingMetadata', 'citationMetadata'];

/** A text part of an answer, by its place in all visible text that is known. */
interface CitedText extends Range {
  readonly all: string;
}

/** The sources of one candidate. */
export interface CandidateSources {
  /** Reads the sources in a chunk of the candidate. */
  add(chunk: JsonObject): void;
  /** Whether any source has come. */
  hasAny(): boolean;
  /**
   * The citations of a text part that has ended, with offsets from its start. Each citation is returned once: with the
   * part that it lies in, or with the last part that is known.
   * @param isLast whether the candidate ends with this part.
   */
  takeCitations(text: CitedText, isLast: boolean): readonly Citation[];
  /** All metadata, as one object. */
  fields(): JsonObject;
}

/**
 * How many texts may get their citations as they end. Each time costs all text and all sources so far, and a hostile
 * stream may have a text in every chunk. What is left comes with the candidate's end.
 */
const MAX_LOOKS = 64;

/** The sources of a candidate of which nothing has come. */
export function candidateSources(): CandidateSources {
  const metadata = mergedFields();
  /** The citations that were returned. Made for the first ones, since most answers have none. */
  let taken: { readonly ids: Set<string>; readonly identify: (citation: Citation) => string } | undefined;
  let hasAny = false;
  let looks = 0;
  return {
    hasAny: () => hasAny,
    add(chunk) {
      for (const name of SOURCES) {
        const value = chunk[name] ?? null;
        if (value === null) continue;
        hasAny = true;
        metadata.add(name, value);
      }
    },
    takeCitations({ all, start, end }, isLast) {
      if (!hasAny || (looks >= MAX_LOOKS && !isLast)) return [];
      looks++;
      const { groundingMetadata, citationMetadata } = metadata.toObject();
      const isLastKnown = end >= all.length;
      taken ??= { ids: new Set(), identify: identities() };
      const { ids, identify } = taken;
      return parseCitations(all, asObject(groundingMetadata), asObject(citationMetadata)).flatMap(
        (citation) => {
          const from = citation.start ?? -1;
          const isHere = from >= start && (citation.end ?? from) <= end;
          const identity = identify(citation);
          if (ids.has(identity) || !(isHere || isLastKnown)) return [];
          ids.add(identity);
          return [shiftCitation(citation, -start)];
        },
      );
    },
    fields: () => metadata.toObject(),
  };
}

/**
 * Names citations by what they say. Each text gets a number first: many citations may quote one long text, and to write
 * it for each of them would cost their product.
 */
function identities(): (citation: Citation) => string {
  const numbers = new Map<string | undefined, number>();
  const numberFor = (text: string | undefined): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return ({ url, title, citedText, start, end }) =>
    [numberFor(url), numberFor(title), numberFor(citedText), start, end].join();
}
