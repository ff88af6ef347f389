/** The parts of one candidate. They never overlap, so it is enough to know which one is open. */

import type { Part } from '../../../conversation/prompt.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isEmpty, isObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { FORMAT } from '../wire/format-name.ts';
import { repeatedField } from '../wire/repeated-field.ts';
import { type CarriedThought, type Proof, unsealProof } from '../wire/thought-signature.ts';
import type { CandidateSources } from './candidate-sources.ts';
import { type Answer, candidateCalls } from './parse-calls.ts';

type Out = Sink<ReplyEvent>;

/** Reads the parts of one candidate. */
export interface CandidateParts {
  /** Reads the `content` of a chunk. @returns its text, if it has nothing else. */
  read(content: Json, out: Out): string | undefined;
  /** More of that text. */
  again(text: string, out: Out): void;
  /** Closes the last part. */
  end(out: Out): void;
  /** Whether calls have come, and whether anything has come for the caller at all. */
  summary(): { readonly calls: boolean; readonly anything: boolean };
}

/** The parts of the candidate with this index. @param sources what its texts were taken from. */
export function candidateParts(choice: number, answer: Answer, sources: CandidateSources): CandidateParts {
  let index = -1;
  let open: 'text' | 'thinking' | 'call' | undefined;
  /** A signature closes what it signs: text after it is another part. */
  let isProven = false;
  /** All visible text so far, and where the open part begins in it: Gemini counts the offsets of citations over all. */
  let text = '';
  let textStart = 0;
  /** The text so far together with what the current chunk adds to it. */
  let ahead = '';
  let hasOpaque = false;
  /** What the text is that was read last. */
  let lastKind: 'text' | 'thinking' = 'text';
  const calls = candidateCalls(choice, answer);

  const close = (out: Out, isLast = false): void => {
    if (open === undefined) return;
    const written = calls.takePieces();
    if (written !== '') out.enqueue({ type: 'part-delta', choice, index, text: written });
    if (open === 'text' && sources.hasAny()) {
      const place = { all: ahead, start: textStart, end: text.length };
      for (const citation of sources.takeCitations(place, isLast)) {
        out.enqueue({ type: 'part-detail', choice, index, citation });
      }
    }
    open = undefined;
    isProven = false;
    out.enqueue({ type: 'part-end', choice, index });
  };

  /** Reads a thought that a gateway before the vendor has sealed in the signature of the next part. */
  const readThought = ({ text: whole, ...proof }: CarriedThought, out: Out): void => {
    const isShown = whole === undefined && proof.redacted === undefined;
    if (!isShown || open !== 'thinking' || isProven) {
      close(out);
      open = 'thinking';
      index++;
      out.enqueue({ type: 'part-start', choice, index, part: { kind: 'thinking' } });
      if (whole) out.enqueue({ type: 'part-delta', choice, index, text: whole });
    }
    if (proof.signature || proof.redacted) out.enqueue({ type: 'part-detail', choice, index, ...proof });
    isProven = true;
  };

  /** Reads a signature, and the thoughts before the part that are in it. */
  const readProof = (sealed: Json | undefined, kind: Part['kind'], out: Out): Proof | undefined => {
    if (typeof sealed !== 'string' || sealed === '') return undefined;
    const { thoughts = [], ...proof } = unsealProof(sealed, kind);
    for (const thought of thoughts) readThought(thought, out);
    return proof.signature || proof.redacted ? proof : undefined;
  };

  const readText = (kind: 'text' | 'thinking', piece: string, sealed: Json | undefined, out: Out): void => {
    const proof = readProof(sealed, kind, out);
    if (piece === '' && proof === undefined) return;
    const isNew = open !== kind || isProven;
    if (isNew) {
      close(out);
      open = kind;
      index++;
      textStart = text.length;
      const signature = proof?.signature;
      const mayBeSigned = kind === 'text' && answer.signsTexts && !signature;
      out.enqueue({
        type: 'part-start',
        choice,
        index,
        part: { kind },
        ...(signature && { signature }),
        ...(mayBeSigned && { mayBeSigned }),
      });
    }
    if (proof?.redacted || (proof && !isNew)) out.enqueue({ type: 'part-detail', choice, index, ...proof });
    isProven = proof !== undefined;
    if (piece === '') return;
    if (kind === 'text') text += piece;
    out.enqueue({ type: 'part-delta', choice, index, text: piece });
  };

  const readOpaque = (value: JsonObject, out: Out): void => {
    close(out);
    hasOpaque = true;
    index++;
    out.enqueue({ type: 'part-start', choice, index, part: { kind: 'opaque', format: FORMAT, value } });
    out.enqueue({ type: 'part-end', choice, index });
  };

  /** A call comes whole; or (Vertex AI) it starts with its name, goes on in pieces, and ends without `willContinue`. */
  const readCall = (call: JsonObject, sealed: Json | undefined, out: Out): void => {
    const signature = readProof(sealed, 'tool-call', out)?.signature;
    const name = asText(call['name']);
    if (name) {
      close(out);
      const part = calls.open(call, name);
      open = 'call';
      index++;
      out.enqueue({ type: 'part-start', choice, index, part, ...(signature && { signature }) });
    }
    // A call without a name continues the open one. If none is open, nobody can make it.
    if (open !== 'call') {
      if (!isEmpty(call)) readOpaque({ functionCall: call }, out);
      return;
    }
    const whole = calls.read(call);
    if (whole !== '') out.enqueue({ type: 'part-delta', choice, index, text: whole });
    if (call['willContinue'] !== true) close(out);
  };

  const readPart = (part: JsonObject, out: Out): void => {
    const { text: piece, thought, thoughtSignature: sealed, functionCall, ...others } = part;
    const call = asObject(functionCall);
    const isOpaque = Object.values(others).some((value) => value !== null);
    const isMore = call !== undefined || isOpaque;
    // A part that holds text and more is read piece by piece, and its signature belongs to the last piece.
    if (typeof piece === 'string' || !isMore) {
      readText(thought === true ? 'thinking' : 'text', asText(piece) ?? '', isMore ? undefined : sealed, out);
    }
    if (isOpaque) {
      const { text: _text, functionCall: _call, ...value } = part;
      readOpaque(value, out);
    }
    if (call) readCall(call, sealed, out);
  };

  return {
    read(content, out) {
      const parts = findParts(content);
      if (sources.hasAny()) ahead = text + visibleText(parts);
      let only: string | undefined;
      for (const part of parts) {
        if (!isObject(part)) continue;
        const piece = part['text'];
        if (typeof piece === 'string' && isPlainText(part)) {
          lastKind = part['thought'] === true ? 'thinking' : 'text';
          readText(lastKind, piece, part['thoughtSignature'], out);
          if (part['thoughtSignature'] === undefined) only = piece;
        } else if (calls.isGooglesOwn(part)) readOpaque(part, out);
        else readPart(part, out);
      }
      return parts.length === 1 ? only : undefined;
    },
    again: (piece, out) => readText(lastKind, piece, undefined, out),
    end(out) {
      ahead = text;
      close(out, true);
    },
    summary: () => ({ calls: calls.hasAny(), anything: calls.hasAny() || hasOpaque || text !== '' }),
  };
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
