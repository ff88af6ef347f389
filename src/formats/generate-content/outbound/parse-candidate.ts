/** One candidate of an answer, chunk by chunk. Parts never overlap, so all there is to know is which one is open. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { Part, Signature } from '../../../conversation/prompt.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isEmpty, isObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { citationTeller, mergeField } from '../wire/citations.ts';
import { finishWord, parseFinish } from '../wire/finish-reasons.ts';
import { madeUpId } from '../wire/ids.ts';
import { parseLogprobs } from '../wire/logprobs.ts';
import { type Proof, unsealProof } from '../wire/thought-signature.ts';
import { calledName } from '../wire/tool-names.ts';
import { FORMAT, listOf } from '../wire/wire.ts';
import { type PartialArgs, partialArgs } from './partial-args.ts';

/** What all candidates of one answer share. */
export interface Answer {
  /** The stem of the ids we make up. */
  readonly stem: string;
  /** The caller's names of functions whose names Gemini would not take. */
  readonly names: ReadonlyMap<string, string>;
  /** The functions that a caller makes, where Google makes calls of its own too (MCP servers); absent: all. */
  readonly declared?: ReadonlySet<string>;
}

/** Fields of a candidate that are told with its end, as they are. */
const OWN: readonly string[] = [
  'safetyRatings',
  'urlContextMetadata',
  'avgLogprobs',
  'tokenCount',
  'continuationToken',
];

/** Fields of a candidate that say what its texts were taken from, told with its end as well. */
const SOURCES = ['groundingMetadata', 'citationMetadata'] as const;

type Out = Sink<ReplyEvent>;

export interface Candidate {
  read(chunk: JsonObject, out: Out): void;
  /** Ends it for a reason that stands outside it: the prompt was blocked. */
  block(reason: string, explanation: string | undefined): void;
  isFinished(): boolean;
  /** Says the end. The fields are those of the whole answer that are told here. */
  end(own: JsonObject, extra: JsonObject, out: Out): void;
}

export function parseCandidate(choice: number, answer: Answer): Candidate {
  let index = -1;
  let open: 'text' | 'thinking' | 'call' | undefined;
  /** A signature closes what it signs: text after it is another part. */
  let isProven = false;
  /** All visible text so far, and where the open part's begins in it: Gemini counts offsets of citations over all. */
  let text = '';
  let textStart = 0;
  /** The text so far, and what the chunk that is read adds to it. */
  let ahead = '';
  let hasSources = false;
  const citationsOf = citationTeller();
  let pieces: PartialArgs | undefined;
  let calls = 0;
  let hasOpaque = false;
  const ids = new Set<string>();
  let word: string | undefined;
  let isBlocked = false;
  let explanation: string | undefined;
  let own: JsonObject = {};
  let extra: JsonObject = {};

  const close = (out: Out): void => {
    if (open === undefined) return;
    const written = pieces?.text() ?? '';
    if (written !== '' && written !== '{}') out.enqueue({ type: 'part-delta', choice, index, text: written });
    if (open === 'text' && hasSources) {
      for (const citation of citationsOf({ all: ahead, start: textStart, end: text.length }, own)) {
        out.enqueue({ type: 'part-detail', choice, index, citation });
      }
    }
    open = undefined;
    pieces = undefined;
    isProven = false;
    out.enqueue({ type: 'part-end', choice, index });
  };

  const readText = (kind: 'text' | 'thinking', piece: string, sealed: Json | undefined, out: Out): void => {
    const proof = proofOf(sealed, kind);
    if (piece === '' && proof === undefined) return;
    const isNew = open !== kind || isProven;
    if (isNew) {
      close(out);
      open = kind;
      index++;
      textStart = text.length;
      const signature = proof?.signature;
      out.enqueue({ type: 'part-start', choice, index, part: { kind }, ...(signature && { signature }) });
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

  const openCall = (call: JsonObject, wireName: string, signature: Signature | undefined, out: Out): void => {
    close(out);
    const position = choice === 0 ? `${calls}` : `${choice}-${calls}`;
    const given = asText(call['id']);
    // What stands before Gemini may give the name of the function: two calls of one then had one id.
    const id = given && !ids.has(given) ? given : madeUpId(answer.stem, position);
    const called = calledName(wireName);
    const name = answer.names.get(called) ?? called;
    ids.add(id);
    calls++;
    index++;
    open = 'call';
    const part = { kind: 'tool-call', id, name } as const;
    out.enqueue({ type: 'part-start', choice, index, part, ...(signature && { signature }) });
  };

  /** A call comes whole; or (Vertex AI) opened by its name, in pieces, and ended by one that promises no more. */
  const readCall = (call: JsonObject, signature: Signature | undefined, out: Out): void => {
    const name = asText(call['name']);
    if (name) openCall(call, name, signature, out);
    // Without a name it goes on with the open call; where none is open, nobody can make it.
    if (open !== 'call') {
      if (!isEmpty(call)) readOpaque({ functionCall: call }, out);
      return;
    }
    for (const piece of asObjects(call['partialArgs'])) {
      pieces ??= partialArgs();
      pieces.add(piece);
    }
    const whole = argsText(call['args']);
    if (whole !== '{}') out.enqueue({ type: 'part-delta', choice, index, text: whole });
    if (call['willContinue'] !== true) close(out);
  };

  const readPart = (part: JsonObject, out: Out): void => {
    const { text: piece, thought, thoughtSignature: sealed, functionCall, ...others } = part;
    const call = asObject(functionCall);
    const isOpaque = Object.values(others).some((value) => value !== null);
    const isMore = call !== undefined || isOpaque;
    // A part that holds text and more than text is read piece by piece, and its signature is the last one's.
    if (typeof piece === 'string' || !isMore) {
      readText(thought === true ? 'thinking' : 'text', asText(piece) ?? '', isMore ? undefined : sealed, out);
    }
    if (isOpaque) {
      const { text: _text, functionCall: _call, ...value } = part;
      readOpaque(value, out);
    }
    if (call) readCall(call, proofOf(sealed, 'tool-call')?.signature, out);
  };

  /** A call that Google makes and answers itself: nobody else is to make it. */
  const isServed = (part: JsonObject): boolean => {
    const called = asText(asObject(part['functionCall'])?.['name']);
    return called !== undefined && answer.declared?.has(calledName(called)) === false;
  };

  const readContent = (content: Json | undefined, out: Out): void => {
    for (const part of partsOf(content)) {
      if (!isObject(part)) continue;
      const piece = part['text'];
      if (typeof piece === 'string' && isPlainText(part)) {
        readText(part['thought'] === true ? 'thinking' : 'text', piece, part['thoughtSignature'], out);
      } else if (isServed(part)) readOpaque(part, out);
      else readPart(part, out);
    }
  };

  const readSources = (chunk: JsonObject): void => {
    hasSources = true;
    for (const name of SOURCES) {
      const value = chunk[name] ?? null;
      if (value !== null) own = { ...own, [name]: mergeField(own[name], value) };
    }
  };

  return {
    isFinished: () => word !== undefined,
    read(chunk, out) {
      // It stops for a tool that Google runs, and goes on (0xPlaygrounds/rig#2328): that was no end.
      if (word !== undefined && !isBlocked && partsOf(chunk['content']).some(saysMore)) {
        word = undefined;
        explanation = undefined;
      }
      // What its texts were taken from may stand behind them in a chunk, and is told as each of them ends.
      if (chunk['groundingMetadata'] || chunk['citationMetadata']) readSources(chunk);
      if (hasSources) ahead = text + visibleText(chunk['content']);
      for (const key in chunk) {
        const value = chunk[key];
        // In protobuf's JSON null is the same as absent, and some services that stand before Gemini write it.
        if (value === null) continue;
        switch (key) {
          case 'content':
            readContent(value, out);
            break;
          case 'index':
          case 'groundingMetadata':
          case 'citationMetadata':
            break;
          case 'finishReason':
            word = finishWord(value) ?? word;
            break;
          case 'finishMessage':
            explanation = asText(value) ?? explanation;
            break;
          case 'logprobsResult': {
            const tokens = parseLogprobs(asObject(value) ?? {});
            if (tokens.length > 0) out.enqueue({ type: 'logprobs', choice, tokens });
            break;
          }
          default:
            if (OWN.includes(key)) own = { ...own, [key]: mergeField(own[key], value) };
            else extra = { ...extra, [key]: value };
        }
      }
    },
    block(reason, sentence) {
      if (word !== undefined) return;
      isBlocked = true;
      word = reason;
      explanation = sentence;
    },
    end(answerOwn, answerExtra, out) {
      close(out);
      const native = word ?? 'OTHER';
      const has = { calls: calls > 0, anything: calls > 0 || hasOpaque || text !== '' };
      out.enqueue({
        type: 'choice-end',
        choice,
        ...(isBlocked ? ({ finish: 'content-filter', native } as const) : parseFinish(native, has)),
        ...(explanation !== undefined && { explanation }),
        ...formatSpecificOf(FORMAT, { ...own, ...answerOwn }),
        ...unknownFieldsOf({ ...extra, ...answerExtra }),
      });
    },
  };
}

/** The parts of a candidate's content: one may stand there without a list. */
export function partsOf(content: Json | undefined): readonly Json[] {
  return listOf(asObject(content)?.['parts']);
}

/** Whether a part is more than a signature, or an empty text, as they stand behind an answer. */
function saysMore(part: Json): boolean {
  return isObject(part) && !(isPlainText(part) && (part['text'] ?? '') === '');
}

function visibleText(content: Json | undefined): string {
  return asObjects(partsOf(content))
    .map((part) => (part['thought'] === true ? '' : (asText(part['text']) ?? '')))
    .join('');
}

function isPlainText(part: JsonObject): boolean {
  for (const key in part) {
    if (key !== 'text' && key !== 'thought' && key !== 'thoughtSignature') return false;
  }
  return true;
}

/** Arguments are an object; some services write the text of one. */
function argsText(args: Json | undefined): string {
  if (typeof args === 'string') return args.trim() || '{}';
  return isObject(args) ? JSON.stringify(args) : '{}';
}

function proofOf(sealed: Json | undefined, kind: Part['kind']): Proof | undefined {
  return typeof sealed === 'string' && sealed !== '' ? unsealProof(sealed, kind) : undefined;
}
