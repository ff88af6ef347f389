/**
 * Writes one candidate of a stream. Texts go out as they come. A call goes out whole, when it has ended. The signature
 * of a thought comes after its text, so it goes out with the next piece of text or the next call, where Google has its
 * signatures too (`thought-carrier.ts`). Citations and the end are in the candidate's last chunk.
 */

import type { Citation } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, PartDetail, PartStart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { RequestContext } from '../../format.ts';
import { placeCitation } from '../wire/citations.ts';
import { FORMAT } from '../wire/format-name.ts';
import { type Proof, renderProof } from '../wire/thought-signature.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import { renderCandidate, renderPart, showsThoughts } from './response-fields.ts';
import { carriesHidden, thoughtCarrier } from './thought-carrier.ts';

type Out = Sink<Sse>;

/** Writes one candidate. */
export interface CandidateWriter {
  openPart(start: PartStart, out: Out): void;
  /** Writes a piece of the open part's text. */
  writeText(text: string, out: Out): void;
  /** Keeps a detail of the open part until it can be written. */
  addDetail(detail: PartDetail): void;
  closePart(out: Out): void;
  /** Writes the part that was held back for the last chunk. */
  release(out: Out): void;
  /** Keeps why the candidate ended. */
  setEnd(end: Choice['end']): void;
  /** Why the candidate ended; undefined while it goes on. */
  end(): Choice['end'] | undefined;
  /** Writes the last chunk of the candidate. */
  writeEnd(out: Out): void;
}

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
  readonly citations: Citation[];
  proof: Proof;
}

/** A writer of the candidate with this index. */
export function candidateWriter(index: number, chunks: ChunkWriter, asked: RequestContext): CandidateWriter {
  const shows = showsThoughts(asked);
  const keepsHidden = carriesHidden(asked);
  const carrier = thoughtCarrier();
  const citations: Citation[] = [];
  const foreign: JsonObject[] = [];
  let open: OpenState | undefined;
  /** A part without text that has ended. If nothing follows, it is in the last chunk, which then needs no other. */
  let held: JsonObject | undefined;
  /** All visible text so far: the offsets of citations count from its start. */
  let visible = '';
  let end: Choice['end'] | undefined;

  const release = (out: Out): void => {
    if (held) chunks.writePart(index, JSON.stringify(held), out);
    held = undefined;
  };

  /** Writes a piece of text. @param fields the rest of the part, as JSON text */
  const writePiece = (text: string, fields: string, out: Out): void => {
    const proof = carrier.hasAny() ? `,${JSON.stringify(renderProof({}, carrier.take())).slice(1)}` : '}';
    chunks.writePart(index, `{"text":${JSON.stringify(text)}${fields}${proof}`, out);
  };

  /** Ends a thought. Google's own signature has a part of its own, as it came; the next part carries any other. */
  const closeThought = ({ text, length, proof }: OpenState, out: Out): void => {
    if (proof.signature?.origin === 'google')
      chunks.writePart(index, JSON.stringify({ text: '', thought: true, ...renderProof(proof) }), out);
    else carrier.add({ ...proof, ...(!proof.redacted && !(shows && length > 0) && { text }) });
  };

  return {
    openPart({ part, signature }, out) {
      release(out);
      const proof = signature ? { signature } : {};
      open = { part, text: '', length: 0, offset: visible.length, citations: [], proof };
      if (part.kind !== 'opaque') return;
      if (part.format === FORMAT) chunks.writePart(index, JSON.stringify(part.value), out);
      else foreign.push(part.value);
    },
    writeText(text, out) {
      if (open === undefined) return;
      open.length += text.length;
      switch (open.part.kind) {
        case 'text':
        case 'refusal':
          visible += text;
          writePiece(text, '', out);
          break;
        case 'thinking':
          if (shows) writePiece(text, ',"thought":true', out);
          else if (keepsHidden) open.text += text;
          break;
        case 'tool-call':
          open.text += text;
          break;
      }
    },
    addDetail({ signature, redacted, citation }) {
      if (open === undefined) return;
      if (signature) open.proof = { ...open.proof, signature };
      if (redacted) open.proof = { ...open.proof, redacted };
      if (citation) open.citations.push(citation);
    },
    closePart(out) {
      const state = open;
      open = undefined;
      if (state === undefined) return;
      const { part, text, length, offset, proof } = state;
      for (const citation of state.citations) citations.push(placeCitation(citation, offset, length));
      if (part.kind === 'opaque') return;
      if (part.kind === 'thinking') closeThought(state, out);
      else if (part.kind === 'tool-call')
        held = renderPart({ ...part, arguments: text, ...proof }, carrier.take());
      else held = renderPart({ kind: part.kind, text: '', ...proof });
    },
    release,
    setEnd(told) {
      end = told;
    },
    end: () => end,
    writeEnd(out) {
      if (carrier.hasAny()) {
        release(out);
        held = { text: '', ...renderProof({}, carrier.take()) };
      }
      const ending = { end: end ?? NO_END, text: visible, citations, logprobs: [], foreign };
      chunks.write(JSON.stringify(renderCandidate(index, [held ?? EMPTY_TEXT], ending)), out);
    },
  };
}
