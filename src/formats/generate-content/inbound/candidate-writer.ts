/**
 * Writes one candidate of a stream. Texts go out as they come. A call goes out whole, when it has ended. The signature
 * of a thought comes after its text, so it goes out with the next piece of text or the next call, where Google has its
 * signatures too (`thought-carrier.ts`). Citations and the end are in the candidate's last chunk.
 */

import type { Citation } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, PartDetail, PartStart } from '../../../conversation/reply.ts';
import { findSearches } from '../../../conversation/searches.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { RequestContext } from '../../format.ts';
import { placeCitation } from '../wire/citations.ts';
import { type Proof, renderProof } from '../wire/thought-signature.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import { renderBlock, renderCandidate, renderPart, showsThoughts } from './response-fields.ts';
import { carriesHidden, ThoughtCarrier } from './thought-carrier.ts';

type Out = Sink<Sse>;

/**
 * The last chunk needs a part: the chats of Google's SDKs for JavaScript and Python forget a whole turn with a chunk
 * that has none. Google writes this one itself after a text, and Go's chat leaves it out.
 */
export const EMPTY_TEXT = { text: '' } as const;

/** The end of a candidate that does not tell one. */
const NO_END = { finish: 'other' } satisfies Choice['end'];

interface OpenState {
  readonly part: OpenPart;
  /** The arguments of a call so far, or a thought that is not shown; '' for any other part. */
  text: string;
  /** How much text of the part there is. */
  length: number;
  /** Where the part's text begins in that of the candidate. */
  readonly offset: number;
  citations: Citation[] | undefined;
  proof: Proof;
}

/** Writes the candidate with this index. */
export class CandidateWriter {
  readonly #index: number;
  readonly #chunks: ChunkWriter;
  readonly #asked: RequestContext;
  readonly #carrier = new ThoughtCarrier();
  /** The texts by the index of their part: a citation may come when its text has ended. */
  readonly #texts = new Map<number, OpenState>();
  #foreign: JsonObject[] | undefined;
  /** The blocks that are searches in the web. */
  #searches: Extract<OpenPart, { kind: 'opaque' }>[] | undefined;
  #open: OpenState | undefined;
  /** A part without text that has ended. If nothing follows, it is in the last chunk, which then needs no other. */
  #held: JsonObject | undefined;
  /** All visible text so far: the offsets of citations count from its start. */
  #visible = '';
  #end: Choice['end'] | undefined;

  constructor(index: number, chunks: ChunkWriter, asked: RequestContext) {
    this.#index = index;
    this.#chunks = chunks;
    this.#asked = asked;
  }

  openPart({ index, part, signature }: PartStart, out: Out): void {
    this.release(out);
    const proof = signature ? { signature } : {};
    this.#open = { part, text: '', length: 0, offset: this.#visible.length, citations: undefined, proof };
    if (part.kind === 'text') this.#texts.set(index, this.#open);
    if (part.kind !== 'opaque') return;
    if (part.searches) {
      this.#searches ??= [];
      this.#searches.push(part);
    }
    const block = renderBlock(part);
    if (block) this.#writePart(block, out);
    else {
      this.#foreign ??= [];
      this.#foreign.push(part.value);
    }
  }

  /** Writes a piece of the open part's text. */
  writeText(text: string, out: Out): void {
    const open = this.#open;
    if (open === undefined) return;
    open.length += text.length;
    switch (open.part.kind) {
      case 'text':
      case 'refusal':
        this.#visible += text;
        this.#writePiece(text, '', out);
        break;
      case 'thinking':
        if (showsThoughts(this.#asked)) this.#writePiece(text, ',"thought":true', out);
        else if (carriesHidden(this.#asked)) open.text += text;
        break;
      case 'tool-call':
        open.text += text;
        break;
    }
  }

  /** Keeps a detail of a part until it can be written. */
  addDetail({ index, signature, redacted, citation }: PartDetail): void {
    const open = citation ? this.#texts.get(index) : this.#open;
    if (open === undefined) return;
    if (signature) open.proof = { ...open.proof, signature };
    if (redacted) open.proof = { ...open.proof, redacted };
    if (citation === undefined) return;
    open.citations ??= [];
    open.citations.push(citation);
  }

  closePart(out: Out): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { part, text, proof } = open;
    if (part.kind === 'opaque') return;
    if (part.kind === 'thinking') this.#closeThought(open, out);
    else if (part.kind === 'tool-call')
      this.#held = renderPart({ ...part, arguments: text, ...proof }, this.#carrier.take());
    else this.#held = renderPart({ kind: part.kind, text: '', ...proof });
  }

  /** Writes the part that was held back for the last chunk. */
  release(out: Out): void {
    if (this.#held) this.#writePart(this.#held, out);
    this.#held = undefined;
  }

  /** Keeps why the candidate ended. */
  setEnd(end: Choice['end']): void {
    this.#end = end;
  }

  /** Why the candidate ended; undefined while it goes on. */
  end(): Choice['end'] | undefined {
    return this.#end;
  }

  /** Writes the last chunk of the candidate. */
  writeEnd(out: Out): void {
    if (this.#carrier.hasAny()) {
      this.release(out);
      this.#held = { text: '', ...renderProof({}, this.#carrier.take()) };
    }
    const end = this.#end ?? NO_END;
    const ending = {
      end,
      text: this.#visible,
      citations: [...this.#texts.values()].flatMap(({ citations = [], offset, length }) =>
        citations.map((citation) => placeCitation(citation, offset, length)),
      ),
      searches: findSearches(this.#searches ?? [], end),
      logprobs: [],
      foreign: this.#foreign ?? [],
    };
    const candidate = renderCandidate(this.#index, [this.#held ?? EMPTY_TEXT], ending);
    this.#chunks.write(JSON.stringify(candidate), out);
  }

  #writePart(part: JsonObject, out: Out): void {
    this.#chunks.writePart(this.#index, JSON.stringify(part), out);
  }

  /** Writes a piece of text. @param fields the rest of the part, as JSON text */
  #writePiece(text: string, fields: string, out: Out): void {
    const carrier = this.#carrier;
    const proof = carrier.hasAny() ? `,${JSON.stringify(renderProof({}, carrier.take())).slice(1)}` : '}';
    this.#chunks.writePart(this.#index, `{"text":${JSON.stringify(text)}${fields}${proof}`, out);
  }

  /** Ends a thought. Google's own signature has a part of its own, as it came; the next part carries any other. */
  #closeThought({ text, length, proof }: OpenState, out: Out): void {
    if (proof.signature?.origin === 'google')
      this.#writePart({ text: '', thought: true, ...renderProof(proof) }, out);
    else {
      const isShown = showsThoughts(this.#asked) && length > 0;
      this.#carrier.add({ ...proof, ...(!proof.redacted && !isShown && { text }) });
    }
  }
}
