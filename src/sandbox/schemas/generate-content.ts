/**
 * What Gemini's generateContent accepts, and nothing else (types of the npm package `@google/genai` 3, checked against
 * recorded requests). Names are in camelCase or snake_case, and a list of one may be given bare: Google reads JSON by
 * the rules of protobuf (protobuf.dev, "ProtoJSON format").
 */

import { z } from 'zod';
import { isRecord } from '../../lib/is-record.ts';
import { each, flag, free, text } from './fields.ts';
import { GEMINI_ENUMS, type GeminiEnum } from './gemini-enums.ts';

/**
 * The object with its own names, not those of objects inside it, in camelCase, and without nulls, which to protobuf are
 * absent.
 */
function camelNames(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [
        name.replace(/(?<!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
        field,
      ]),
  );
}

/** A number, which may also be written as text. */
function numeric(schema: z.ZodNumber) {
  return z.preprocess((value) => (typeof value === 'string' && value !== '' ? Number(value) : value), schema);
}

const whole = numeric(z.int());

/** An enum by word, in any case of letters, or by number. The body that was read has the word. */
function enumeration(name: GeminiEnum, words: z.ZodType = getWords(name)) {
  const byNumber: readonly string[] = GEMINI_ENUMS[name];
  // A number without a word becomes a text that is no word.
  const read = (value: unknown) => (typeof value === 'number' ? (byNumber[value] ?? String(value)) : value);
  return z.preprocess(read, words);
}

function getWords(name: GeminiEnum) {
  return z.string().regex(new RegExp(`^(?:${GEMINI_ENUMS[name].join('|')})$`, 'i'));
}

function proto<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(camelNames, z.strictObject(shape));
}

function repeated<Item extends z.ZodType>(item: Item) {
  const read = (value: unknown) => (value === undefined || Array.isArray(value) ? value : [value]);
  return z.preprocess(read, z.array(item));
}

const blob = proto({ mimeType: text, data: text, displayName: text.optional() });
const fileData = proto({ mimeType: text.optional(), fileUri: text, displayName: text.optional() });

const part = proto({
  text: text.optional(),
  inlineData: blob.optional(),
  fileData: fileData.optional(),
  functionCall: proto({
    name: text.min(1),
    args: free.optional(),
    id: text.optional(),
    partialArgs: z.array(free).optional(),
    willContinue: flag.optional(),
  }).optional(),
  functionResponse: proto({
    name: text.min(1),
    response: free,
    id: text.optional(),
    parts: repeated(proto({ inlineData: blob.optional(), fileData: fileData.optional() })).optional(),
    scheduling: enumeration('Scheduling').optional(),
    willContinue: flag.optional(),
  }).optional(),
  executableCode: proto({ language: enumeration('Language'), code: text, id: text.optional() }).optional(),
  codeExecutionResult: proto({
    outcome: enumeration('Outcome'),
    output: text.optional(),
    id: text.optional(),
  }).optional(),
  toolCall: proto({ id: text.optional(), toolType: text, args: free.optional() }).optional(),
  toolResponse: proto({ id: text.optional(), toolType: text, response: free.optional() }).optional(),
  thought: flag.optional(),
  thoughtSignature: text.optional(),
  videoMetadata: proto({
    fps: z.number().optional(),
    startOffset: text.optional(),
    endOffset: text.optional(),
  }).optional(),
  mediaResolution: proto({
    level: enumeration('PartMediaResolutionLevel').optional(),
    numTokens: whole.optional(),
  }).optional(),
  partMetadata: free.optional(),
  mediaProcessing: z.union([text, free]).optional(),
  speechMetadata: free.optional(),
  audioTranscription: free.optional(),
});

const content = proto({ role: text.optional(), parts: repeated(part).optional() });

/**
 * The OpenAPI subset of `parameters` and `responseSchema`: no $ref, const, oneOf, additionalProperties or type lists.
 */
const schema: z.ZodType = z.lazy(() =>
  proto({
    type: enumeration('Type').optional(),
    ...each(text.optional(), 'format title description'),
    nullable: flag.optional(),
    enum: z.array(text).optional(),
    items: schema.optional(),
    minItems: whole.optional(),
    maxItems: whole.optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(text).optional(),
    minProperties: whole.optional(),
    maxProperties: whole.optional(),
    minimum: numeric(z.number()).optional(),
    maximum: numeric(z.number()).optional(),
    minLength: whole.optional(),
    maxLength: whole.optional(),
    pattern: text.optional(),
    example: z.unknown().optional(),
    anyOf: z.array(schema).optional(),
    propertyOrdering: z.array(text).optional(),
    default: z.unknown().optional(),
  }),
);

const functionDeclaration = proto({
  name: text.regex(/^[a-zA-Z_][\w.:-]{0,127}$/),
  description: text.optional(),
  parameters: schema.optional(),
  parametersJsonSchema: z.unknown().optional(),
  response: schema.optional(),
  responseJsonSchema: z.unknown().optional(),
  behavior: enumeration('Behavior').optional(),
});

const tool = proto({
  functionDeclarations: repeated(functionDeclaration).optional(),
  ...each(
    free.optional(),
    'googleSearch googleSearchRetrieval urlContext codeExecution fileSearch googleMaps computerUse',
  ),
  mcpServers: z.array(free).optional(),
});

const toolConfig = proto({
  functionCallingConfig: proto({
    mode: enumeration('CallingMode').optional(),
    allowedFunctionNames: repeated(text).optional(),
    streamFunctionCallArguments: flag.optional(),
  }).optional(),
  retrievalConfig: free.optional(),
  includeServerSideToolInvocations: flag.optional(),
});

const generationConfig = proto({
  temperature: numeric(z.number().min(0).max(2)).optional(),
  topP: numeric(z.number().min(0).max(1)).optional(),
  topK: numeric(z.number()).optional(),
  candidateCount: numeric(z.int().min(1).max(8)).optional(),
  maxOutputTokens: numeric(z.int().min(1)).optional(),
  stopSequences: z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text).max(5))
    .optional(),
  responseLogprobs: flag.optional(),
  logprobs: numeric(z.int().min(0).max(20)).optional(),
  presencePenalty: numeric(z.number().min(-2).max(2)).optional(),
  frequencyPenalty: numeric(z.number().min(-2).max(2)).optional(),
  seed: numeric(z.int32()).optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: schema.optional(),
  responseJsonSchema: z.unknown().optional(),
  // The other two names of the field: its `json_name` in the proto, and the proto's own name.
  _responseJsonSchema: z.unknown().optional(),
  responseJsonSchemaOrdered: z.unknown().optional(),
  responseFormat: z.unknown().optional(),
  responseModalities: repeated(
    enumeration('Modality', z.string().regex(/^(MODALITY_UNSPECIFIED|TEXT|IMAGE|AUDIO|VIDEO)$/i)),
  ).optional(),
  mediaResolution: enumeration('MediaResolution').optional(),
  speechConfig: free.optional(),
  thinkingConfig: proto({
    includeThoughts: flag.optional(),
    thinkingBudget: numeric(z.int().min(-1)).optional(),
    thinkingLevel: enumeration(
      'ThinkingLevel',
      z.string().regex(/^(THINKING_LEVEL_UNSPECIFIED|MINIMAL|LOW|MEDIUM|X?HIGH)$/i),
    ).optional(),
  }).optional(),
  imageConfig: free.optional(),
  audioTranscriptionConfig: free.optional(),
  enableEnhancedCivicAnswers: flag.optional(),
});

const requestFields = {
  contents: repeated(content),
  systemInstruction: content.optional(),
  tools: repeated(tool).optional(),
  toolConfig: toolConfig.optional(),
  safetySettings: repeated(
    proto({
      category: enumeration('HarmCategory', text.regex(/^HARM_CATEGORY_[A-Z_]+$/)),
      threshold: enumeration('HarmBlockThreshold'),
    }),
  ).optional(),
  generationConfig: generationConfig.optional(),
  cachedContent: text.optional(),
  labels: z.record(z.string(), text).optional(),
  serviceTier: text.optional(),
  store: flag.optional(),
  continuationToken: text.optional(),
  modelArmorConfig: free.optional(),
  model: text.optional(),
};

/** A request for an answer. */
export const generateContentRequest = proto(requestFields);

/**
 * A request to count tokens. Only `contents` is at the top level; instructions and tools count inside
 * `generateContentRequest` (recorded).
 */
export const geminiCountRequest = proto({
  contents: repeated(content).optional(),
  generateContentRequest: proto({ ...requestFields, model: text }).optional(),
});
