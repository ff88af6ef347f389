/** The parts of one candidate. They never overlap, so it is enough to know which one is open. */

import type { Part } from '../../../conversation/prompt.ts';
import type { PartDetail, PartStart, ReplyEvent } from '../../../conversation/reply.ts';
import { withSearches } from '../../../conversation/searches.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isEmpty, isObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import { type CarriedThought, type Proof, unsealProof } from '../wire/thought-signature.ts';
import type { CandidateSources, CitedText } from './candidate-sources.ts';
import { findCalledQueries, findDrawnImage } from './opaque-parts.ts';
import { type Answer, CandidateCalls } from './parse-calls.ts';

type Out = Sink<ReplyEvent>;

/** Reads the parts of one candidate. */
export class CandidateParts {
  readonly #choice: number;
  readonly #answer: Answer;
  readonly #sources: CandidateSources;
  readonly #calls: CandidateCalls;
  #index = -1;
  #open: PartStart['part']['kind'] | undefined;
  /** A signature closes what it signs: text after it is another part. */
  #isProven = false;
  /** All visible text so far, and where the open part begins in it: Gemini counts the offsets of citations over all. */
  #text = '';
  #textStart = 0;
  readonly #texts: CitedText[] = [];
  /** The text so far together with what the current chunk adds to it. */
  #ahead = '';
  #hasOpaque = false;
  /** What the text is that was read last. */
  #lastKind: 'text' | 'thinking' = 'text';

  /** @param choice the index of the candidate. @param sources what its texts were taken from. */
  constructor(choice: number, answer: Answer, sources: CandidateSources) {
    this.#choice = choice;
    this.#answer = answer;
    this.#sources = sources;
    this.#calls = new CandidateCalls(choice, answer);
  }

  /** Reads the `content` of a chunk. @returns its text, if it has nothing else. */
  read(content: Json, out: Out): string | undefined {
    const parts = findParts(content);
    if (this.#sources.hasAny()) this.#ahead = this.#text + visibleText(parts);
    let last: string | undefined;
    for (const part of parts) if (isObject(part)) last = this.#readPart(part, out);
    return parts.length === 1 ? last : undefined;
  }

  /** More of that text. */
  again(piece: string, out: Out): void {
    this.#readText(this.#lastKind, piece, undefined, out);
  }

  /** Closes the last part. Sources may have come when their texts had ended. */
  end(out: Out): void {
    this.#ahead = this.#text;
    this.#close(out);
    this.#cite(this.#texts, out, true);
  }

  /** Whether calls have come, and whether anything has come for the caller at all. */
  summary(): { readonly calls: boolean; readonly anything: boolean } {
    const calls = this.#calls.hasAny();
    return { calls, anything: calls || this.#hasOpaque || this.#text !== '' };
  }

  #close(out: Out): void {
    if (this.#open === undefined) return;
    const choice = this.#choice;
    const index = this.#index;
    this.#write(this.#calls.takePieces(), out);
    const text = { index, start: this.#textStart, end: this.#text.length };
    if (this.#open === 'text' && text.end > text.start) {
      this.#texts.push(text);
      this.#cite([text], out);
    }
    this.#open = undefined;
    this.#isProven = false;
    out.enqueue({ type: 'part-end', choice, index });
  }

  #begin(start: Pick<PartStart, 'part' | 'signature' | 'mayBeSigned'>, out: Out): void {
    this.#close(out);
    this.#open = start.part.kind;
    this.#index++;
    this.#textStart = this.#text.length;
    out.enqueue({ type: 'part-start', choice: this.#choice, index: this.#index, ...start });
  }

  #write(text: string, out: Out): void {
    if (text !== '') out.enqueue({ type: 'part-delta', choice: this.#choice, index: this.#index, text });
  }

  #detail(detail: Pick<PartDetail, 'signature' | 'redacted'>, out: Out): void {
    out.enqueue({ type: 'part-detail', choice: this.#choice, index: this.#index, ...detail });
  }

  #cite(texts: readonly CitedText[], out: Out, isLast = false): void {
    for (const cited of this.#sources.takeCitations(this.#ahead, texts, isLast)) {
      out.enqueue({ type: 'part-detail', choice: this.#choice, ...cited });
    }
  }

  /** Reads a thought that a gateway before the vendor has sealed in the signature of the next part. */
  #readThought({ text: whole, ...proof }: CarriedThought, out: Out): void {
    const isShown = whole === undefined && proof.redacted === undefined;
    if (!isShown || this.#open !== 'thinking' || this.#isProven) {
      this.#begin({ part: { kind: 'thinking' } }, out);
      this.#write(whole ?? '', out);
    }
    if (proof.signature || proof.redacted) this.#detail(proof, out);
    this.#isProven = true;
  }

  /** Reads a signature, and the thoughts before the part that are in it. */
  #readProof(sealed: Json | undefined, kind: Part['kind'], out: Out): Proof | undefined {
    if (typeof sealed !== 'string' || sealed === '') return undefined;
    const { thoughts = [], ...proof } = unsealProof(sealed, kind);
    for (const thought of thoughts) this.#readThought(thought, out);
    return proof.signature || proof.redacted ? proof : undefined;
  }

  #readText(kind: 'text' | 'thinking', piece: string, sealed: Json | undefined, out: Out): void {
    const proof = this.#readProof(sealed, kind, out);
    if (piece === '' && proof === undefined) return;
    const isNew = this.#open !== kind || this.#isProven;
    if (isNew) {
      const signature = proof?.signature;
      const mayBeSigned = kind === 'text' && this.#answer.signsTexts && !signature;
      const start = { part: { kind }, ...(signature && { signature }), ...(mayBeSigned && { mayBeSigned }) };
      this.#begin(start, out);
    }
    if (proof?.redacted || (proof && !isNew)) this.#detail(proof, out);
    this.#isProven = proof !== undefined;
    if (kind === 'text') this.#text += piece;
    this.#write(piece, out);
  }

  #readOpaque(value: JsonObject, out: Out): void {
    this.#hasOpaque = true;
    const image = findDrawnImage(value);
    const part = {
      kind: 'opaque',
      format: 'generate-content',
      value,
      ...(image && { image }),
      ...withSearches(findCalledQueries(value)),
    } as const;
    this.#begin({ part }, out);
    this.#close(out);
  }

  /** A call comes whole; or (Vertex AI) it starts with its name, goes on in pieces, and ends without `willContinue`. */
  #readCall(call: JsonObject, sealed: Json | undefined, out: Out): void {
    const signature = this.#readProof(sealed, 'tool-call', out)?.signature;
    const name = asText(call['name']);
    if (name) {
      this.#begin({ part: this.#calls.open(call, name), ...(signature && { signature }) }, out);
    }
    // A call without a name continues the open one. If none is open, no caller can make it.
    if (this.#open !== 'tool-call') {
      if (!isEmpty(call)) this.#readOpaque({ functionCall: call }, out);
      return;
    }
    this.#write(this.#calls.read(call), out);
    if (call['willContinue'] !== true) this.#close(out);
  }

  /** @returns its text, if it has nothing else. */
  #readPart(part: JsonObject, out: Out): string | undefined {
    const { text: piece, thoughtSignature: sealed } = part;
    if (typeof piece === 'string' && isPlainText(part)) {
      this.#lastKind = part['thought'] === true ? 'thinking' : 'text';
      this.#readText(this.#lastKind, piece, sealed, out);
      return sealed === undefined ? piece : undefined;
    }
    if (this.#calls.isGooglesOwn(part)) this.#readOpaque(part, out);
    else this.#readMixedPart(part, out);
    return undefined;
  }

  #readMixedPart(part: JsonObject, out: Out): void {
    const { text: piece, thought, thoughtSignature: sealed, functionCall, ...others } = part;
    const call = asObject(functionCall);
    const isOpaque = Object.values(others).some((value) => value !== null);
    const isMore = call !== undefined || isOpaque;
    // A part that holds text and more is read piece by piece, and its signature belongs to the last piece.
    if (typeof piece === 'string' || !isMore) {
      const kind = thought === true ? 'thinking' : 'text';
      this.#readText(kind, asText(piece) ?? '', isMore ? undefined : sealed, out);
    }
    if (isOpaque) {
      const { text: _text, functionCall: _call, ...value } = part;
      this.#readOpaque(value, out);
    }
    if (call) this.#readCall(call, sealed, out);
  }
}

/** The parts of a candidate's `content`; empty if it has none. */
export function findParts(content: Json | undefined): readonly Json[] {
  return repeatedField(asObject(content)?.['parts']);
}

/** Whether a part holds nothing but a text, visible or thought, and its signature. */
export function isPlainText(part: JsonObject): boolean {
  for (const key in part) {
    if (key !== 'text' && key !== 'thought' && key !== 'thoughtSignature') return false;
  }
  return true;
}

function visibleText(parts: readonly Json[]): string {
  return asObjects(parts)
    .map((part) => (part['thought'] === true ? '' : (asText(part['text']) ?? '')))
    .join('');
}
