/**
 * The fields of a request (REST reference of `models.generateContent`, v1beta, and the types of `@google/genai`),
 * sorted by what becomes of them. Their JSON is that of protobuf (proto3 JSON mapping): every field may be written in
 * camelCase or snake_case, and null is the same as absent.
 */

import type { Json, JsonObject } from '../../../lib/json.ts';
import { wordList, wordSet } from '../../../lib/words.ts';
import { camelCase } from '../wire/protobuf-json.ts';

/** Fields of a request that this format's parser reads itself. */
export const REQUEST_FIELDS = wordSet(`
  model contents systemInstruction tools toolConfig generationConfig serviceTier cachedContent
`);

/** Fields of a request that mean something to Google alone. */
export const REQUEST_OWN = wordSet(`
  safetySettings labels store continuationToken modelArmorConfig outputConfig
`);

/** Fields of `generationConfig` that this format's parser reads itself. */
export const CONFIG_FIELDS: ReadonlySet<string> = new Set([
  ...wordList(`
    temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs logprobs
    presencePenalty frequencyPenalty seed responseMimeType responseSchema responseJsonSchema
  `),
  // The same in the two further spellings that the proto gives it (GenerationConfig.response_json_schema).
  '_responseJsonSchema',
  'responseJsonSchemaOrdered',
  'responseFormat',
  'thinkingConfig',
]);

/** Fields of `generationConfig` that mean something to Google alone. */
export const CONFIG_OWN = wordSet(`
  responseModalities mediaResolution speechConfig imageConfig audioTranscriptionConfig
  enableEnhancedCivicAnswers enableAffectiveDialog audioTimestamp routingConfig modelSelectionConfig
  translationConfig
`);

/** Fields of a content. */
export const CONTENT_FIELDS: ReadonlySet<string> = new Set(['role', 'parts']);

/** The data of a part that this format's parser reads itself. */
export const PART_DATA = wordSet('text inlineData fileData functionCall functionResponse');

/** Fields of a part that it reads itself. */
export const PART_FIELDS: ReadonlySet<string> = new Set([...PART_DATA, 'thought', 'thoughtSignature']);

/**
 * Fields that a part may have beside its data, and that mean something to Google alone. The three metadata of documents,
 * spreadsheets and audio are in Google's SDK for Python (google-genai 3.6) only.
 */
export const PART_OWN = wordSet(`
  videoMetadata documentMetadata spreadsheetMetadata audioMetadata mediaResolution partMetadata mediaProcessing
  speechMetadata
`);

/** Fields of a call that comes in pieces (Vertex AI, `streamFunctionCallArguments`). */
export const CALL_OWN: ReadonlySet<string> = new Set(['partialArgs', 'willContinue']);

/** Data that only Google can read. A part with such data is carried whole. */
export const PART_OPAQUE = wordSet(`
  executableCode codeExecutionResult toolCall toolResponse audioTranscription
`);

/** An object's fields by what becomes of them. */
interface Fields {
  /** Fields to read, in camelCase. */
  readonly known: JsonObject;
  /** Fields that mean something to Google alone, in camelCase. */
  readonly own: JsonObject;
  /** Fields that the gateway does not know, spelled as they came. */
  readonly extra: JsonObject;
}

/** Sorts an object's fields. Names match in either spelling; if a name comes in both, the later one counts. */
export function sortFields(
  object: JsonObject,
  known: ReadonlySet<string>,
  own: ReadonlySet<string> = NONE,
): Fields {
  // Most parts of a dialogue have known fields alone, which need no other object.
  if (holdsOnly(object, known)) return { known: object, own: NOTHING, extra: NOTHING };
  const sorted: Record<'known' | 'own' | 'extra', [string, Json][]> = { known: [], own: [], extra: [] };
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const name = camelCase(key);
    if (known.has(name)) {
      if (value !== null) sorted.known.push([name, value]);
    } else if (own.has(name)) sorted.own.push([name, value]);
    else sorted.extra.push([key, value]);
  }
  return {
    known: Object.fromEntries(sorted.known),
    own: Object.fromEntries(sorted.own),
    extra: Object.fromEntries(sorted.extra),
  };
}

const NOTHING: JsonObject = {};
const NONE: ReadonlySet<string> = new Set();

/** Whether an object has only fields of these names, and each has a value. */
function holdsOnly(object: JsonObject, names: ReadonlySet<string>): boolean {
  for (const key in object) {
    const value = object[key];
    if (value === undefined || value === null || !names.has(key)) return false;
  }
  return true;
}
