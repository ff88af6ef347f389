/**
 * The names of Gemini's wire (REST reference of `models.generateContent`, v1beta, and the types of `@google/genai`).
 * Its JSON is that of protobuf (proto3 JSON mapping): every field may be written in camelCase or snake_case, and null
 * is the same as absent.
 */

import { isList, type Json, type JsonObject } from '../../../lib/json.ts';

/** The neutral words' name for this format. */
export const FORMAT = 'generate-content';

/** Fields of a request that this format's parser reads itself. */
export const REQUEST_FIELDS = [
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'serviceTier',
  'cachedContent',
] as const;

/** Fields of a request that only Google knows what to do with. */
export const REQUEST_OWN = [
  'safetySettings',
  'labels',
  'store',
  'continuationToken',
  'modelArmorConfig',
  'outputConfig',
] as const;

export const CONFIG_FIELDS = [
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'responseLogprobs',
  'logprobs',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
] as const;

export const CONFIG_OWN = [
  'responseFormat',
  'responseModalities',
  'mediaResolution',
  'speechConfig',
  'imageConfig',
  'audioTranscriptionConfig',
  'enableEnhancedCivicAnswers',
  'enableAffectiveDialog',
  'audioTimestamp',
  'routingConfig',
  'modelSelectionConfig',
  'translationConfig',
] as const;

/** Fields of a part that this format's parser reads itself. */
export const PART_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'thought',
  'thoughtSignature',
] as const;

/** What a part may carry beside its data. */
export const PART_OWN = [
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
  'mediaProcessing',
  'speechMetadata',
] as const;

/** What a call carries of how it was streamed (Vertex AI, `streamFunctionCallArguments`). */
export const CALL_OWN = ['partialArgs', 'willContinue'] as const;

/** Data that only Google can read: such a part is carried whole. */
export const PART_OPAQUE = [
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'audioTranscription',
] as const;

/** An object's fields by what is to become of them. */
interface Fields {
  /** Fields to read, in camelCase. */
  readonly known: JsonObject;
  /** Fields that mean something to Google alone, in camelCase. */
  readonly own: JsonObject;
  /** Fields nobody here knows, spelled as they came. */
  readonly extra: JsonObject;
}

/** Sorts an object's fields. Names are matched in either spelling; of two spellings of one name the later one counts. */
export function sortFields(
  object: JsonObject,
  known: readonly string[],
  own: readonly string[] = [],
): Fields {
  const sorted: Record<'known' | 'own' | 'extra', [string, Json][]> = { known: [], own: [], extra: [] };
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const name = camelCase(key);
    if (known.includes(name)) {
      if (value !== null) sorted.known.push([name, value]);
    } else if (own.includes(name)) sorted.own.push([name, value]);
    else sorted.extra.push([key, value]);
  }
  return {
    known: Object.fromEntries(sorted.known),
    own: Object.fromEntries(sorted.own),
    extra: Object.fromEntries(sorted.extra),
  };
}

/** A list, or the one value given in its place, as protobuf's JSON allows. */
export function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return isList(value) ? value : [value];
}

/** A name in either spelling, in the one that is used here. */
export function camelCase(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
