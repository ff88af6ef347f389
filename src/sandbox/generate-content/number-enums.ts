/** Enums as numbers in an answer, for a caller who asks for `enum-encoding=int`. */

import {
  asObject,
  asText,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  withEach,
} from '../../lib/json.ts';
import { GEMINI_ENUMS, type GeminiEnum } from '../schemas/gemini-enums.ts';
import type { WireEvent } from '../script.ts';

/** @returns a whole answer, or one chunk, with numbers for its enums */
export function numbered(answer: JsonObject): JsonObject {
  const rated = (object: JsonObject) =>
    withEach(object, 'safetyRatings', (rating) => ({
      ...rating,
      ...numberAt(rating, 'category', 'HarmCategory'),
      ...numberAt(rating, 'probability', 'HarmProbability'),
    }));
  const counted = (usage: JsonObject) =>
    ['promptTokensDetails', 'cacheTokensDetails'].reduce(
      (sum, field) =>
        withEach(sum, field, (count) => ({ ...count, ...numberAt(count, 'modality', 'TokenModality') })),
      usage,
    );
  const usage = asObject(answer['usageMetadata']);
  return {
    ...withEach(answer, 'candidates', (one) => ({
      ...rated(one),
      ...numberAt(one, 'finishReason', 'FinishReason'),
    })),
    ...(usage && { usageMetadata: counted(usage) }),
  };
}

/** @returns the chunks with numbers for their enums */
export function* numberedEvents(events: Iterable<WireEvent>): Generator<WireEvent> {
  for (const event of events) {
    const chunk: Json = parseJson(event.data);
    yield isObject(chunk) ? { ...event, data: JSON.stringify(numbered(chunk)) } : event;
  }
}

function numberAt(object: JsonObject, field: string, name: GeminiEnum): JsonObject {
  const words: readonly string[] = GEMINI_ENUMS[name];
  const number = words.indexOf(asText(object[field]) ?? '');
  return number < 0 ? {} : { [field]: number };
}
