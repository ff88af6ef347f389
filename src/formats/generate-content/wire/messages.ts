/**
 * The messages of the Gemini API that hold enums, or objects with enums in them (REST reference, v1beta). A field that
 * is not here is plain data, or a name that the gateway does not know.
 */

import type { EnumName } from './enums.ts';

/** What a field holds: an enum, a message, a map of messages by free names, or a plain value; or a list of these. */
export type FieldType<Name extends string> = EnumName | Name | `map of ${Name}` | 'plain';

/** The fields of messages. They are named in camelCase. */
export const MESSAGES = makeTable({
  GenerateContentRequest: {
    systemInstruction: 'Content',
    contents: 'Content',
    tools: 'Tool',
    toolConfig: 'ToolConfig',
    safetySettings: 'SafetySetting',
    generationConfig: 'GenerationConfig',
  },
  Content: { parts: 'Part' },
  Part: {
    functionResponse: 'FunctionResponse',
    executableCode: 'ExecutableCode',
    codeExecutionResult: 'CodeExecutionResult',
    mediaResolution: 'PartMediaResolution',
  },
  FunctionResponse: { scheduling: 'Scheduling' },
  ExecutableCode: { language: 'Language' },
  CodeExecutionResult: { outcome: 'Outcome' },
  PartMediaResolution: { level: 'PartMediaResolutionLevel', numTokens: 'plain' },
  Tool: {
    functionDeclarations: 'FunctionDeclaration',
    googleSearchRetrieval: 'GoogleSearchRetrieval',
    computerUse: 'ComputerUse',
  },
  FunctionDeclaration: { parameters: 'Schema', response: 'Schema', behavior: 'Behavior' },
  GoogleSearchRetrieval: { dynamicRetrievalConfig: 'DynamicRetrievalConfig' },
  DynamicRetrievalConfig: { mode: 'DynamicRetrievalMode', dynamicThreshold: 'plain' },
  ComputerUse: { environment: 'Environment', excludedPredefinedFunctions: 'plain' },
  /** The OpenAPI subset, and the keywords of JSON Schema that callers write beside it. */
  Schema: {
    type: 'Type',
    items: 'Schema',
    anyOf: 'Schema',
    properties: 'map of Schema',
    minItems: 'plain',
    maxItems: 'plain',
    minLength: 'plain',
    maxLength: 'plain',
    minProperties: 'plain',
    maxProperties: 'plain',
    propertyOrdering: 'plain',
    additionalProperties: 'Schema',
    prefixItems: 'Schema',
    oneOf: 'Schema',
    allOf: 'Schema',
    $defs: 'map of Schema',
    definitions: 'map of Schema',
  },
  ToolConfig: { functionCallingConfig: 'FunctionCallingConfig' },
  FunctionCallingConfig: { mode: 'CallingMode', allowedFunctionNames: 'plain' },
  SafetySetting: { category: 'HarmCategory', threshold: 'HarmBlockThreshold' },
  GenerationConfig: {
    responseSchema: 'Schema',
    responseModalities: 'Modality',
    mediaResolution: 'MediaResolution',
    thinkingConfig: 'ThinkingConfig',
  },
  ThinkingConfig: { thinkingLevel: 'ThinkingLevel' },
  GenerateContentResponse: {
    candidates: 'Candidate',
    promptFeedback: 'PromptFeedback',
    usageMetadata: 'UsageMetadata',
  },
  Candidate: {
    content: 'Content',
    finishReason: 'FinishReason',
    safetyRatings: 'SafetyRating',
    urlContextMetadata: 'UrlContextMetadata',
  },
  PromptFeedback: { blockReason: 'BlockReason', safetyRatings: 'SafetyRating' },
  SafetyRating: { category: 'HarmCategory', probability: 'HarmProbability' },
  UrlContextMetadata: { urlMetadata: 'UrlMetadata' },
  UrlMetadata: { urlRetrievalStatus: 'UrlRetrievalStatus' },
  UsageMetadata: {
    promptTokensDetails: 'ModalityTokenCount',
    cacheTokensDetails: 'ModalityTokenCount',
    candidatesTokensDetails: 'ModalityTokenCount',
    toolUsePromptTokensDetails: 'ModalityTokenCount',
  },
  ModalityTokenCount: { modality: 'TokenModality' },
});

/** The name of a message. */
export type MessageName = keyof typeof MESSAGES;

/** Checks that each field's type is an enum or a message of the table. */
function makeTable<const Name extends string>(
  table: Readonly<Record<Name, Readonly<Record<string, FieldType<NoInfer<Name>>>>>>,
): Readonly<Record<Name, Readonly<Record<string, FieldType<Name>>>>> {
  return table;
}
