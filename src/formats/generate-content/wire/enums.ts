/**
 * The enums of the Gemini API, with the number of each word. Callers may write either (proto3 JSON mapping), and may ask
 * for numbers in answers. The numbers are those of `google/ai/generativelanguage/v1beta/*.proto` in
 * github.com/googleapis/googleapis (August 2026), except for the two that say otherwise. Words whose number Google has
 * not published, and enums without any (ServiceTier, ToolType, MediaProcessing), are not here.
 *
 * Vertex AI has other numbers for some of these words: `VALIDATED`, the harm categories and the finish reasons.
 */

/** The number of each word, by enum. */
export const ENUMS = {
  Type: {
    TYPE_UNSPECIFIED: 0,
    STRING: 1,
    NUMBER: 2,
    INTEGER: 3,
    BOOLEAN: 4,
    ARRAY: 5,
    OBJECT: 6,
    NULL: 7,
  },
  CallingMode: { MODE_UNSPECIFIED: 0, AUTO: 1, ANY: 2, NONE: 3, VALIDATED: 4 },
  DynamicRetrievalMode: { MODE_UNSPECIFIED: 0, MODE_DYNAMIC: 1 },
  Behavior: { UNSPECIFIED: 0, BLOCKING: 1, NON_BLOCKING: 2 },
  Scheduling: { SCHEDULING_UNSPECIFIED: 0, SILENT: 1, WHEN_IDLE: 2, INTERRUPT: 3 },
  Language: { LANGUAGE_UNSPECIFIED: 0, PYTHON: 1 },
  Outcome: { OUTCOME_UNSPECIFIED: 0, OUTCOME_OK: 1, OUTCOME_FAILED: 2, OUTCOME_DEADLINE_EXCEEDED: 3 },
  Environment: { ENVIRONMENT_UNSPECIFIED: 0, ENVIRONMENT_BROWSER: 1 },
  HarmCategory: {
    HARM_CATEGORY_UNSPECIFIED: 0,
    HARM_CATEGORY_DEROGATORY: 1,
    HARM_CATEGORY_TOXICITY: 2,
    HARM_CATEGORY_VIOLENCE: 3,
    HARM_CATEGORY_SEXUAL: 4,
    HARM_CATEGORY_MEDICAL: 5,
    HARM_CATEGORY_DANGEROUS: 6,
    HARM_CATEGORY_HARASSMENT: 7,
    HARM_CATEGORY_HATE_SPEECH: 8,
    HARM_CATEGORY_SEXUALLY_EXPLICIT: 9,
    HARM_CATEGORY_DANGEROUS_CONTENT: 10,
    HARM_CATEGORY_CIVIC_INTEGRITY: 11,
  },
  HarmBlockThreshold: {
    HARM_BLOCK_THRESHOLD_UNSPECIFIED: 0,
    BLOCK_LOW_AND_ABOVE: 1,
    BLOCK_MEDIUM_AND_ABOVE: 2,
    BLOCK_ONLY_HIGH: 3,
    BLOCK_NONE: 4,
    OFF: 5,
  },
  HarmProbability: { HARM_PROBABILITY_UNSPECIFIED: 0, NEGLIGIBLE: 1, LOW: 2, MEDIUM: 3, HIGH: 4 },
  /** What an answer may consist of (GenerationConfig.Modality). */
  Modality: { MODALITY_UNSPECIFIED: 0, TEXT: 1, IMAGE: 2, AUDIO: 3 },
  /** What tokens stand for (Modality, in ModalityTokenCount). */
  TokenModality: { MODALITY_UNSPECIFIED: 0, TEXT: 1, IMAGE: 2, VIDEO: 3, AUDIO: 4, DOCUMENT: 5 },
  MediaResolution: {
    MEDIA_RESOLUTION_UNSPECIFIED: 0,
    MEDIA_RESOLUTION_LOW: 1,
    MEDIA_RESOLUTION_MEDIUM: 2,
    MEDIA_RESOLUTION_HIGH: 3,
  },
  /** Part.MediaResolution.Level of `google/cloud/aiplatform/v1/content.proto`; v1beta's is not published. */
  PartMediaResolutionLevel: {
    MEDIA_RESOLUTION_UNSPECIFIED: 0,
    MEDIA_RESOLUTION_LOW: 1,
    MEDIA_RESOLUTION_MEDIUM: 2,
    MEDIA_RESOLUTION_HIGH: 3,
    MEDIA_RESOLUTION_ULTRA_HIGH: 4,
  },
  /** ThinkingConfig.ThinkingLevel of `google/cloud/aiplatform/v1/content.proto`; v1beta's is not published. */
  ThinkingLevel: { THINKING_LEVEL_UNSPECIFIED: 0, LOW: 1, MEDIUM: 2, HIGH: 3, MINIMAL: 4 },
  FinishReason: {
    FINISH_REASON_UNSPECIFIED: 0,
    STOP: 1,
    MAX_TOKENS: 2,
    SAFETY: 3,
    RECITATION: 4,
    OTHER: 5,
    LANGUAGE: 6,
    BLOCKLIST: 7,
    PROHIBITED_CONTENT: 8,
    SPII: 9,
    MALFORMED_FUNCTION_CALL: 10,
    IMAGE_SAFETY: 11,
    UNEXPECTED_TOOL_CALL: 12,
    TOO_MANY_TOOL_CALLS: 13,
    IMAGE_PROHIBITED_CONTENT: 14,
    IMAGE_OTHER: 15,
    NO_IMAGE: 16,
    IMAGE_RECITATION: 17,
  },
  BlockReason: {
    BLOCK_REASON_UNSPECIFIED: 0,
    SAFETY: 1,
    OTHER: 2,
    BLOCKLIST: 3,
    PROHIBITED_CONTENT: 4,
    IMAGE_SAFETY: 5,
  },
  UrlRetrievalStatus: {
    URL_RETRIEVAL_STATUS_UNSPECIFIED: 0,
    URL_RETRIEVAL_STATUS_SUCCESS: 1,
    URL_RETRIEVAL_STATUS_ERROR: 2,
    URL_RETRIEVAL_STATUS_PAYWALL: 3,
    URL_RETRIEVAL_STATUS_UNSAFE: 4,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The name of an enum. */
export type EnumName = keyof typeof ENUMS;
