/** A script as Gemini's generateContent sends it (recorded from Gemini 2.5 and 3 models in August 2026). */

import type { JsonObject } from '../../lib/json.ts';
import { asNumber, asObject, parseJson } from '../../lib/json.ts';
import type { Script, ScriptPart, ScriptUsage, Stamp, WireEvent } from '../script.ts';
import { tail } from '../script.ts';
import { sign } from '../signatures.ts';

const FINISH = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'stop-sequence': 'STOP',
  calls: 'STOP',
  refusal: 'SAFETY',
} as const;

const GEMINI_STREAM_ERROR: JsonObject = {
  error: {
    code: 503,
    message: 'The model is overloaded. Please try again later.',
    status: 'UNAVAILABLE',
  },
};

/** `candidatesTokenCount` does not include reasoning, and is absent while there is nothing to count. */
function usageMetadata(usage: ScriptUsage, output: number, thoughts: number): JsonObject {
  return {
    promptTokenCount: usage.input,
    ...(output > 0 && { candidatesTokenCount: output }),
    totalTokenCount: usage.input + output + thoughts,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
    ...(usage.cacheRead > 0 && { cacheTokensDetails: [{ modality: 'TEXT', tokenCount: usage.cacheRead }] }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    serviceTier: 'standard',
  };
}

function answer(stamp: Stamp, candidates: readonly JsonObject[], usage: JsonObject): JsonObject {
  return {
    candidates,
    usageMetadata: usage,
    modelVersion: stamp.model,
    responseId: tail(stamp, 0, 22),
  };
}

function candidateCount(stamp: Stamp): number {
  return asNumber(asObject(stamp.body['generationConfig'])?.['candidateCount']) ?? 1;
}

/**
 * Models of the third generation give their calls ids and sign them; earlier ones sign only what they reasoned about.
 */
function isThird(stamp: Stamp): boolean {
  return !/gemini-[12]\b/.test(stamp.model);
}

function signs(script: Script, stamp: Stamp): boolean {
  return isThird(stamp) || script.usage.reasoning > 0;
}

/** The signature of a text, which is on its last part; an answer with a call has it there. */
function textSignature(script: Script, stamp: Stamp): JsonObject {
  const isSigned = signs(script, stamp) && script.parts.every((part) => part.kind !== 'call');
  return isSigned ? { thoughtSignature: sign('google', 'text') } : {};
}

function ending(script: Script): JsonObject {
  return {
    finishReason: FINISH[script.finish],
    ...(script.finish === 'calls' && { finishMessage: 'Model generated function call(s).' }),
    ...(script.finish === 'refusal' && { safetyRatings: SAFETY_RATINGS }),
  };
}

const SAFETY_RATINGS: readonly JsonObject[] = [
  { category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' },
  { category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'NEGLIGIBLE' },
  { category: 'HARM_CATEGORY_SEXUALLY_EXPLICIT', probability: 'NEGLIGIBLE' },
  { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true },
];

/** The parts in the pieces of a stream; a call is one piece. Of several calls only the first one is signed. */
function* pieces(script: Script, stamp: Stamp): Generator<JsonObject> {
  let call = 0;
  for (const part of script.parts) {
    if (part.kind === 'call') {
      yield callPart(part, script, stamp, call);
      call += 1;
    } else if (part.kind === 'thinking') {
      for (const text of part.pieces) yield { text, thought: true };
    } else {
      for (const text of part.pieces) yield { text };
    }
  }
}

function callPart(
  part: Extract<ScriptPart, { kind: 'call' }>,
  script: Script,
  stamp: Stamp,
  index: number,
): JsonObject {
  const args = parseJson(part.pieces.join(''));
  return {
    functionCall: { name: part.name, args, ...(isThird(stamp) && { id: tail(stamp, index, 8) }) },
    ...(index === 0 && signs(script, stamp) && { thoughtSignature: sign('google', part.name) }),
  };
}

/** @returns the events of a streamed answer */
export function* streamGemini(script: Script, stamp: Stamp): Generator<WireEvent> {
  const { usage } = script;
  const visible = usage.output - usage.reasoning;
  const count = candidateCount(stamp);
  const chunk = (
    index: number,
    parts: readonly JsonObject[],
    end: JsonObject,
    now: JsonObject,
  ): WireEvent => ({
    data: JSON.stringify(answer(stamp, [{ content: { parts, role: 'model' }, ...end, index }], now)),
  });
  const total = [...pieces(script, stamp)].length;
  for (let index = 0; index < count; index += 1) {
    let told = 0;
    for (const part of pieces(script, stamp)) {
      told += 1;
      const thinks = part['thought'] === true;
      const thoughts = thinks ? 0 : usage.reasoning;
      yield chunk(
        index,
        [part],
        {},
        usageMetadata(usage, thinks ? 0 : Math.ceil((visible * told) / total), thoughts),
      );
    }
    if (script.broken) {
      yield { data: JSON.stringify(GEMINI_STREAM_ERROR) };
      return;
    }
    const last = { text: '', ...textSignature(script, stamp) };
    yield chunk(index, [last], ending(script), usageMetadata(usage, visible, usage.reasoning));
  }
}

/** @returns the body of an answer that is not streamed */
export function wholeGemini(script: Script, stamp: Stamp): JsonObject {
  const { usage } = script;
  let call = 0;
  const shown = script.parts.filter((part) => part.kind !== 'thinking' || part.pieces.length > 0);
  const parts = shown.map((part, index): JsonObject => {
    if (part.kind === 'call') {
      call += 1;
      return callPart(part, script, stamp, call - 1);
    }
    const text = part.pieces.join('');
    if (part.kind === 'thinking') return { text, thought: true };
    return { text, ...(index === shown.length - 1 && textSignature(script, stamp)) };
  });
  const candidates = Array.from({ length: candidateCount(stamp) }, (_, index) => ({
    content: { parts, role: 'model' },
    ...ending(script),
    index,
  }));
  return answer(stamp, candidates, usageMetadata(usage, usage.output - usage.reasoning, usage.reasoning));
}
