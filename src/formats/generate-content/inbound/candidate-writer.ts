/**
 * Writes one candidate of a stream. Texts go out as they come. A call goes out whole, when it has ended; so does a
 * signature, in an empty part of its kind. Citations and the end are in the candidate's last chunk.
 */

import type { Citation, Signature } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, PartDetail, PartStart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { RequestContext } from '../../format.ts';
import { shiftCitation } from '../wire/citations.ts';
import { FORMAT } from '../wire/format-name.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import { renderCandidate, renderPart, showsThoughts } from './response-fields.ts';

type Out = Sink<Sse>;

/** Writes one candidate. */
export interface CandidateWriter {
  openPart(start: PartStart, out: Out): void;
  /** Writes a piece of the open part's text. */
  writeText(text: string, out: Out): void;
  /** Keeps a detail of the open part until it can be written. */
  addDetail(detail: PartDetail): void;
  closePart(out: Out): void;
  /** Keeps why the candidate ended. */
  setEnd(end: Choice['end']): void;
  /** Why the candidate ended; undefined while it goes on. */
  end(): Choice['end'] | undefined;
  /** Writes the last chunk of the candidate. */
  writeEnd(out: Out): void;
}

/**
 * The last chunk needs a part: Google's SDKs do not accept a content without parts, and Gemini writes this one itself.
 */
export const EMPTY_TEXT = { text: '' } as const;

/** The end of a candidate that does not tell one. */
const NO_END = { finish: 'other' } satisfies Choice['end'];

interface OpenState {
  readonly part: OpenPart;
  /** The arguments of a call so far; '' for any other part. */
  text: string;
  /** Where the part's text begins in that of the candidate. */
  readonly offset: number;
  signature: Signature | undefined;
  redacted: Signature | undefined;
}

/** A writer of the candidate with this index. */
export function candidateWriter(index: number, chunks: ChunkWriter, asked: RequestContext): CandidateWriter {
  const shows = showsThoughts(asked);
  const citations: Citation[] = [];
  const foreign: JsonObject[] = [];
  let open: OpenState | undefined;
  /** All visible text so far: the offsets of citations count from its start. */
  let visible = '';
  let end: Choice['end'] | undefined;

  return {
    openPart({ part, signature }, out) {
      open = { part, text: '', offset: visible.length, signature, redacted: undefined };
      if (part.kind !== 'opaque') return;
      if (part.format === FORMAT) chunks.writePart(index, JSON.stringify(part.value), out);
      else foreign.push(part.value);
    },
    writeText(text, out) {
      switch (open?.part.kind) {
        case 'text':
        case 'refusal':
          visible += text;
          chunks.writePart(index, `{"text":${JSON.stringify(text)}}`, out);
          break;
        case 'thinking':
          if (shows) chunks.writePart(index, `{"text":${JSON.stringify(text)},"thought":true}`, out);
          break;
        case 'tool-call':
          open.text += text;
          break;
      }
    },
    addDetail({ signature, redacted, citation }) {
      if (open === undefined) return;
      open.signature = signature ?? open.signature;
      open.redacted = redacted ?? open.redacted;
      if (citation) citations.push(shiftCitation(citation, open.offset));
    },
    closePart(out) {
      const state = open;
      open = undefined;
      if (state === undefined || state.part.kind === 'opaque') return;
      const { part, text, signature, redacted } = state;
      const proof = { ...(signature && { signature }), ...(redacted && { redacted }) };
      const rendered =
        part.kind === 'tool-call'
          ? renderPart({ ...part, arguments: text, ...proof }, asked)
          : renderPart({ kind: part.kind, text: '', ...proof }, asked);
      if (rendered) chunks.writePart(index, JSON.stringify(rendered), out);
    },
    setEnd(told) {
      end = told;
    },
    end: () => end,
    writeEnd(out) {
      const ending = { end: end ?? NO_END, text: visible, citations, logprobs: [], foreign };
      chunks.write(JSON.stringify(renderCandidate(index, [EMPTY_TEXT], ending)), out);
    },
  };
}
