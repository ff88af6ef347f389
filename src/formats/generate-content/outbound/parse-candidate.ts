/** One candidate of an answer, chunk by chunk. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asText, isObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { finishWord, parseFinish } from '../wire/finish-reasons.ts';
import { FORMAT } from '../wire/format-name.ts';
import { candidateParts, findParts, isPlainText } from './candidate-parts.ts';
import { candidateSources, SOURCES } from './candidate-sources.ts';
import { mergedFields } from './merged-fields.ts';
import type { Answer } from './parse-calls.ts';
import { parseLogprobs } from './parse-logprobs.ts';

/** Fields of a candidate that mean something to Google alone. They are passed on unchanged, with its end. */
const OWN: readonly string[] = [
  'safetyRatings',
  'urlContextMetadata',
  'avgLogprobs',
  'tokenCount',
  'continuationToken',
];

type Out = Sink<ReplyEvent>;

/** Reads one candidate. */
export interface Candidate {
  /** Reads a chunk of the candidate. @returns its text, if it has nothing else. */
  read(chunk: JsonObject, out: Out): string | undefined;
  /** More of that text. */
  again(text: string, out: Out): void;
  /** Ends it for a reason outside of it: the prompt was blocked. */
  block(reason: string, explanation: string | undefined): void;
  /** Whether it has said why it stopped. */
  isFinished(): boolean;
  /** Emits its end. @param own, extra fields of the whole answer that are passed on with this candidate. */
  end(own: JsonObject, extra: JsonObject, out: Out): void;
}

/** A reader of the candidate with this index. @param answer what it shares with the other candidates. */
export function parseCandidate(choice: number, answer: Answer): Candidate {
  const sources = candidateSources();
  const parts = candidateParts(choice, answer, sources);
  const own = mergedFields();
  let extra: Map<string, Json> | undefined;
  let word: string | undefined;
  let isBlocked = false;
  let explanation: string | undefined;

  /** Reads a field beside the content. */
  const readField = (key: string, value: Json, out: Out): void => {
    if (SOURCES.includes(key)) return;
    switch (key) {
      case 'finishReason':
        word = finishWord(value) ?? word;
        return;
      case 'finishMessage':
        explanation = asText(value) ?? explanation;
        return;
      case 'logprobsResult': {
        const tokens = parseLogprobs(asObject(value) ?? {});
        if (tokens.length > 0) out.enqueue({ type: 'logprobs', choice, tokens });
        return;
      }
      default:
        if (OWN.includes(key)) own.add(key, value);
        else {
          extra ??= new Map();
          extra.set(key, value);
        }
    }
  };

  return {
    isFinished: () => word !== undefined,
    read(chunk, out) {
      // It stops for a tool that Google runs, and goes on after it (0xPlaygrounds/rig#2328): that was not the end.
      if (word !== undefined && !isBlocked && findParts(chunk['content']).some(saysMore)) {
        word = undefined;
        explanation = undefined;
      }
      // The sources may stand behind the texts in a chunk, and are needed as each text ends.
      if (chunk['groundingMetadata'] || chunk['citationMetadata']) sources.add(chunk);
      let piece: string | undefined;
      let hasMore = false;
      for (const key in chunk) {
        const value = chunk[key];
        // In protobuf's JSON null is the same as absent, and some services in front of Gemini write it.
        if (value === undefined || value === null || key === 'index') continue;
        if (key === 'content') {
          piece = parts.read(value, out);
          continue;
        }
        hasMore = true;
        readField(key, value, out);
      }
      return hasMore ? undefined : piece;
    },
    again: parts.again,
    block(reason, sentence) {
      if (word !== undefined) return;
      isBlocked = true;
      word = reason;
      explanation = sentence;
    },
    end(answerOwn, answerExtra, out) {
      parts.end(out);
      const native = word ?? 'OTHER';
      out.enqueue({
        type: 'choice-end',
        choice,
        ...(isBlocked
          ? ({ finish: 'content-filter', native } as const)
          : parseFinish(native, parts.summary())),
        ...(explanation !== undefined && { explanation }),
        ...withFormatSpecific(FORMAT, { ...own.toObject(), ...sources.fields(), ...answerOwn }),
        ...withUnknownFields({ ...(extra && Object.fromEntries(extra)), ...answerExtra }),
      });
    },
  };
}

/** Whether a part is more than a signature or an empty text, which may come behind the end. */
function saysMore(part: Json): boolean {
  return isObject(part) && !(isPlainText(part) && (part['text'] ?? '') === '');
}
