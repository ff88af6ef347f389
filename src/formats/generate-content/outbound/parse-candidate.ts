/** One candidate of an answer, chunk by chunk. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import { withSearches } from '../../../conversation/searches.ts';
import { asObject, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
import type { Sink } from '../../../streams/step.ts';
import { finishWord, parseFinish, unknownWord } from '../wire/finish-reasons.ts';
import { parseLogprobs } from '../wire/logprobs.ts';
import { CandidateParts, findParts, isPlainText } from './candidate-parts.ts';
import { CandidateSources, SOURCES } from './candidate-sources.ts';
import { MergedFields } from './merged-fields.ts';
import { findGroundedQueries } from './opaque-parts.ts';
import type { Answer } from './parse-calls.ts';

/** Fields of a candidate that mean something to Google alone. They are passed on unchanged, with its end. */
const OWN = wordList('safetyRatings urlContextMetadata avgLogprobs tokenCount continuationToken');

type Out = Sink<ReplyEvent>;

/** Reads one candidate. */
export class CandidateReader {
  readonly #choice: number;
  readonly #sources = new CandidateSources();
  readonly #parts: CandidateParts;
  /** Fields beside the content: those of OWN, and unknown ones. */
  #own: MergedFields | undefined;
  #extra: Map<string, Json> | undefined;
  #word: string | undefined;
  /** Whether content came after a finish reason: some services send one with every piece, where it means nothing. */
  #continuesAfterFinish = false;
  #isBlocked = false;
  #explanation: string | undefined;

  /** @param choice the index of the candidate. @param answer what it shares with the other candidates. */
  constructor(choice: number, answer: Answer) {
    this.#choice = choice;
    this.#parts = new CandidateParts(choice, answer, this.#sources);
  }

  /** Reads a chunk of the candidate. @returns its text, if it has nothing else. */
  read(chunk: JsonObject, out: Out): string | undefined {
    // It stops for a tool that Google runs, and goes on after it (0xPlaygrounds/rig#2328): that was not the end.
    if (this.#word !== undefined && !this.#isBlocked && findParts(chunk['content']).some(saysMore)) {
      this.#word = undefined;
      this.#explanation = undefined;
      this.#continuesAfterFinish = true;
    }
    // The sources may stand behind the texts in a chunk, and are needed as each text ends.
    if (chunk['groundingMetadata'] || chunk['citationMetadata']) this.#sources.add(chunk);
    let piece: string | undefined;
    let hasMore = false;
    for (const key in chunk) {
      const value = chunk[key];
      // In protobuf's JSON null is the same as absent, and some services in front of Gemini write it.
      if (value === undefined || value === null || key === 'index') continue;
      if (key === 'content') {
        piece = this.#parts.read(value, out);
        continue;
      }
      hasMore = true;
      this.#readField(key, value, out);
    }
    return hasMore ? undefined : piece;
  }

  /** More of that text. */
  again(text: string, out: Out): void {
    this.#parts.again(text, out);
  }

  /** Ends it for a reason outside of it: the prompt was blocked. */
  block(reason: string, explanation: string | undefined): void {
    if (this.#word !== undefined) return;
    this.#isBlocked = true;
    this.#word = reason;
    this.#explanation = explanation;
  }

  /** All of it has come, in a whole answer: if it has content, it has stopped. */
  endWhole(): void {
    if (this.#parts.summary().anything) this.#word ??= 'STOP';
  }

  /** Whether it has said why it stopped. */
  isFinished(): boolean {
    return this.#word !== undefined;
  }

  /** Whether it is probably complete, though more may come. */
  mayEnd(): boolean {
    return this.#word !== undefined && !this.#continuesAfterFinish;
  }

  /** Emits its end. @param own, extra fields of the whole answer that are passed on with this candidate. */
  end(own: JsonObject, extra: JsonObject, out: Out): void {
    this.#parts.end(out);
    const native = this.#word ?? 'OTHER';
    const explanation = this.#explanation;
    const sources = this.#sources.fields();
    out.enqueue({
      type: 'choice-end',
      choice: this.#choice,
      ...(this.#isBlocked
        ? ({ finish: 'content-filter', native } as const)
        : parseFinish(native, this.#parts.summary())),
      ...(explanation !== undefined && { explanation }),
      ...withSearches(findGroundedQueries(sources?.['groundingMetadata'])),
      ...withFormatSpecific(
        'generate-content',
        { ...this.#own?.toObject(), ...sources, ...own },
        unknownWord(native),
      ),
      ...withUnknownFields({ ...(this.#extra && Object.fromEntries(this.#extra)), ...extra }),
    });
  }

  #readField(key: string, value: Json, out: Out): void {
    if (SOURCES.includes(key)) return;
    switch (key) {
      case 'finishReason':
        this.#word = finishWord(value) ?? this.#word;
        return;
      case 'finishMessage':
        this.#explanation = asText(value) ?? this.#explanation;
        return;
      case 'logprobsResult': {
        const tokens = parseLogprobs(asObject(value) ?? {});
        if (tokens.length > 0) out.enqueue({ type: 'logprobs', choice: this.#choice, tokens });
        return;
      }
      default:
        if (OWN.includes(key)) {
          this.#own ??= new MergedFields();
          this.#own.add(key, value);
        } else {
          this.#extra ??= new Map();
          this.#extra.set(key, value);
        }
    }
  }
}

/** Whether a part is more than a signature or an empty text, which may come behind the end. */
function saysMore(part: Json): boolean {
  return isObject(part) && !(isPlainText(part) && (part['text'] ?? '') === '');
}
