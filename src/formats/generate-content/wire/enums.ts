/**
 * The enums of the Gemini API. Callers may write words or numbers (proto3 JSON mapping), and may ask for numbers in answers.
 * The numbers are those of `google/ai/generativelanguage/v1beta/*.proto` in github.com/googleapis/googleapis (August
 * 2026), except for the two that say otherwise. Words whose number Google has not published, and enums without any
 * (ServiceTier, ToolType, MediaProcessing), are not here.
 *
 * Vertex AI has other numbers for some of these words: `VALIDATED`, the harm categories and the finish reasons.
 */

import { wordList } from '../../../lib/words.ts';

/** The words of each enum, each at the place of its number. */
export const ENUMS = {
  Type: ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'],
  CallingMode: ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'],
  DynamicRetrievalMode: ['MODE_UNSPECIFIED', 'MODE_DYNAMIC'],
  Behavior: ['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING'],
  Scheduling: ['SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT'],
  Language: ['LANGUAGE_UNSPECIFIED', 'PYTHON'],
  Outcome: ['OUTCOME_UNSPECIFIED', 'OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED'],
  Environment: ['ENVIRONMENT_UNSPECIFIED', 'ENVIRONMENT_BROWSER'],
  HarmCategory: wordList(`
    HARM_CATEGORY_UNSPECIFIED HARM_CATEGORY_DEROGATORY HARM_CATEGORY_TOXICITY HARM_CATEGORY_VIOLENCE
    HARM_CATEGORY_SEXUAL HARM_CATEGORY_MEDICAL HARM_CATEGORY_DANGEROUS HARM_CATEGORY_HARASSMENT
    HARM_CATEGORY_HATE_SPEECH HARM_CATEGORY_SEXUALLY_EXPLICIT HARM_CATEGORY_DANGEROUS_CONTENT
    HARM_CATEGORY_CIVIC_INTEGRITY
  `),
  HarmBlockThreshold: wordList(`
    HARM_BLOCK_THRESHOLD_UNSPECIFIED BLOCK_LOW_AND_ABOVE BLOCK_MEDIUM_AND_ABOVE BLOCK_ONLY_HIGH BLOCK_NONE OFF
  `),
  HarmProbability: ['HARM_PROBABILITY_UNSPECIFIED', 'NEGLIGIBLE', 'LOW', 'MEDIUM', 'HIGH'],
  /** What an answer may consist of (GenerationConfig.Modality). */
  Modality: ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO'],
  /** What tokens stand for (Modality, in ModalityTokenCount). */
  TokenModality: ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT'],
  MediaResolution: wordList(`
    MEDIA_RESOLUTION_UNSPECIFIED MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM MEDIA_RESOLUTION_HIGH
  `),
  /** Part.MediaResolution.Level of `google/cloud/aiplatform/v1/content.proto`; v1beta's is not published. */
  PartMediaResolutionLevel: wordList(`
    MEDIA_RESOLUTION_UNSPECIFIED MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM MEDIA_RESOLUTION_HIGH
    MEDIA_RESOLUTION_ULTRA_HIGH
  `),
  /** ThinkingConfig.ThinkingLevel of `google/cloud/aiplatform/v1/content.proto`; v1beta's is not published. */
  ThinkingLevel: ['THINKING_LEVEL_UNSPECIFIED', 'LOW', 'MEDIUM', 'HIGH', 'MINIMAL'],
  FinishReason: wordList(`
    FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER LANGUAGE BLOCKLIST PROHIBITED_CONTENT
    SPII MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS
    IMAGE_PROHIBITED_CONTENT IMAGE_OTHER NO_IMAGE IMAGE_RECITATION
  `),
  BlockReason: wordList(`
    BLOCK_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY
  `),
  UrlRetrievalStatus: wordList(`
    URL_RETRIEVAL_STATUS_UNSPECIFIED URL_RETRIEVAL_STATUS_SUCCESS URL_RETRIEVAL_STATUS_ERROR
    URL_RETRIEVAL_STATUS_PAYWALL URL_RETRIEVAL_STATUS_UNSAFE
  `),
} satisfies Readonly<Record<string, readonly string[]>>;

/** The name of an enum. */
export type EnumName = keyof typeof ENUMS;
