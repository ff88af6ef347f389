/** What the texts of one candidate were taken from: its metadata, chunk by chunk, and the citations in it. */

import type { Citation } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { lastAt } from '../../../lib/last-at.ts';
import { shiftCitation } from '../wire/citations.ts';
import type { Range } from './cited-places.ts';
import { MergedFields } from './merged-fields.ts';
import { parseCitations } from './parse-citations.ts';

/** Fields of a candidate that say what its texts were taken from. They are also passed on unchanged, with its end. */
export const SOURCES: readonly string[] = ['groundingMetadata', 'citationMetadata'];

/** A text part of an answer, by its place in all visible text. It is not empty. */
export interface CitedText extends Range {
  /** Its index among all parts. */
  readonly index: number;
}

/** A citation, with offsets from the start of its text part. */
interface PartCitation extends Pick<CitedText, 'index'> {
  readonly citation: Citation;
}

/**
 * How many texts may get their citations as they end. Each time costs all text and all sources so far, and a hostile
 * stream may have a text in every chunk. What is left comes with the candidate's end.
 */
const MAX_LOOKS = 64;

/** The sources of one candidate. */
export class CandidateSources {
  #metadata: MergedFields | undefined;
  /** The citations that were returned. Made for the first ones, since most answers have none. */
  #taken: { readonly ids: Set<string>; readonly identify: (citation: Citation) => string } | undefined;
  #looks = 0;

  /** Reads the sources in a chunk of the candidate. */
  add(chunk: JsonObject): void {
    for (const name of SOURCES) {
      const value = chunk[name] ?? null;
      if (value === null) continue;
      this.#metadata ??= new MergedFields();
      this.#metadata.add(name, value);
    }
  }

  /** Whether any source has come. */
  hasAny(): boolean {
    return this.#metadata !== undefined;
  }

  /**
   * The citations of text parts that have ended. Each citation is returned once: with the part in which it begins, or
   * if it has no place, with the last part that is known.
   * @param all all visible text that is known. @param texts the parts, in their order.
   * @param isLast whether nothing is taken after this.
   */
  takeCitations(all: string, texts: readonly CitedText[], isLast: boolean): readonly PartCitation[] {
    const last = texts.at(-1);
    if (this.#metadata === undefined || !last || (this.#looks >= MAX_LOOKS && !isLast)) return [];
    this.#looks++;
    const { groundingMetadata, citationMetadata } = this.#metadata.toObject();
    const isLastKnown = last.end >= all.length;
    this.#taken ??= { ids: new Set(), identify: identities() };
    const { ids, identify } = this.#taken;
    return parseCitations(all, asObject(groundingMetadata), asObject(citationMetadata)).flatMap(
      (citation) => {
        const { start = isLastKnown ? last.start : -1, end } = citation;
        const text = lastAt(texts, start);
        const identity = identify(citation);
        if (!text || (start >= text.end && !isLastKnown) || ids.has(identity)) return [];
        ids.add(identity);
        const here = end === undefined ? citation : { ...citation, end: Math.min(end, text.end) };
        return [{ index: text.index, citation: shiftCitation(here, -text.start) }];
      },
    );
  }

  /** All metadata, as one object; undefined if there is none. */
  fields(): JsonObject | undefined {
    return this.#metadata?.toObject();
  }
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
