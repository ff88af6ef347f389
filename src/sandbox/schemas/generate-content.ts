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

/**
 * A message of protobuf, whose fields may all be absent.
 * @param demanded fields without which Google refuses it
 */
function proto(fields: z.ZodRawShape, demanded: z.ZodRawShape = {}) {
  const optional = Object.entries(fields).map(([name, field]) => [name, z.optional(field)]);
  return z.preprocess(
    camelNames,
    z.strictObject({ ...demanded, ...Object.fromEntries(optional), ...demanded }),
  );
}

function repeated<Item extends z.ZodType>(item: Item) {
  const read = (value: unknown) => (value === undefined || Array.isArray(value) ? value : [value]);
  return z.preprocess(read, z.array(item));
}

const blob = proto({ displayName: text }, { mimeType: text, data: text });
const fileData = proto({ mimeType: text, displayName: text }, { fileUri: text });

/** What of a medium the model sees. */
const excerpt = {
  videoMetadata: proto({ fps: z.number(), startOffset: text, endOffset: text }),
  documentMetadata: proto({ startPage: whole, endPage: whole, contentLayers: z.array(text) }),
  spreadsheetMetadata: proto({ visibleCells: text, sheetIndex: whole, contentLayers: z.array(text) }),
  audioMetadata: proto({ startOffset: text, endOffset: text }),
  mediaResolution: proto({ level: enumeration('PartMediaResolutionLevel'), numTokens: whole }),
  mediaProcessing: z.union([text, free]),
};

const part = proto({
  text,
  inlineData: blob,
  fileData,
  functionCall: proto(
    { args: free, id: text, partialArgs: z.array(free), willContinue: flag },
    { name: text.min(1) },
  ),
  functionResponse: proto(
    {
      id: text,
      parts: repeated(proto({ inlineData: blob, fileData, ...excerpt })),
      scheduling: enumeration('Scheduling'),
      willContinue: flag,
    },
    { name: text.min(1), response: free },
  ),
  executableCode: proto({ id: text }, { language: enumeration('Language'), code: text }),
  codeExecutionResult: proto({ output: text, id: text }, { outcome: enumeration('Outcome') }),
  toolCall: proto({ id: text, args: free }, { toolType: text }),
  toolResponse: proto({ id: text, response: free }, { toolType: text }),
  thought: flag,
  thoughtSignature: text,
  ...excerpt,
  partMetadata: free,
  speechMetadata: free,
  audioTranscription: free,
});

const content = proto({ role: text, parts: repeated(part) });

/**
 * The OpenAPI subset of `parameters` and `responseSchema`: no $ref, const, oneOf, additionalProperties or type lists.
 */
const schema: z.ZodType = z.lazy(() =>
  proto({
    type: enumeration('Type'),
    ...each(text, 'format title description'),
    nullable: flag,
    enum: z.array(text),
    items: schema,
    ...each(whole, 'minItems maxItems'),
    properties: z.record(z.string(), schema),
    required: z.array(text),
    ...each(whole, 'minProperties maxProperties'),
    ...each(numeric(z.number()), 'minimum maximum'),
    ...each(whole, 'minLength maxLength'),
    pattern: text,
    example: z.unknown(),
    anyOf: z.array(schema),
    propertyOrdering: z.array(text),
    default: z.unknown(),
  }),
);

const functionDeclaration = proto(
  {
    description: text,
    parameters: schema,
    parametersJsonSchema: z.unknown(),
    response: schema,
    responseJsonSchema: z.unknown(),
    behavior: enumeration('Behavior'),
  },
  { name: text.regex(/^[a-zA-Z_][\w.:-]{0,127}$/) },
);

const tool = proto({
  functionDeclarations: repeated(functionDeclaration),
  ...each(
    free,
    'googleSearch googleSearchRetrieval urlContext codeExecution fileSearch googleMaps computerUse',
  ),
  mcpServers: z.array(free),
});

const toolConfig = proto({
  functionCallingConfig: proto({
    mode: enumeration('CallingMode'),
    allowedFunctionNames: repeated(text),
    streamFunctionCallArguments: flag,
  }),
  retrievalConfig: free,
  includeServerSideToolInvocations: flag,
});

const generationConfig = proto({
  temperature: numeric(z.number().min(0).max(2)),
  topP: numeric(z.number().min(0).max(1)),
  topK: numeric(z.number()),
  candidateCount: numeric(z.int().min(1).max(8)),
  maxOutputTokens: numeric(z.int().min(1)),
  stopSequences: z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text).max(5)),
  responseLogprobs: flag,
  logprobs: numeric(z.int().min(0).max(20)),
  ...each(numeric(z.number().min(-2).max(2)), 'presencePenalty frequencyPenalty'),
  seed: numeric(z.int32()),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']),
  responseSchema: schema,
  // Beside the usual name, the other two of the field: its `json_name` in the proto, and the proto's own name.
  ...each(z.unknown(), 'responseJsonSchema _responseJsonSchema responseJsonSchemaOrdered responseFormat'),
  responseModalities: repeated(
    enumeration('Modality', z.string().regex(/^(MODALITY_UNSPECIFIED|TEXT|IMAGE|AUDIO|VIDEO)$/i)),
  ),
  mediaResolution: enumeration('MediaResolution'),
  speechConfig: free,
  thinkingConfig: proto({
    includeThoughts: flag,
    thinkingBudget: numeric(z.int().min(-1)),
    thinkingLevel: enumeration(
      'ThinkingLevel',
      z.string().regex(/^(THINKING_LEVEL_UNSPECIFIED|MINIMAL|LOW|MEDIUM|X?HIGH)$/i),
    ),
  }),
  imageConfig: free,
  audioTranscriptionConfig: free,
  enableEnhancedCivicAnswers: flag,
});

const safetySetting = proto(
  {},
  {
    category: enumeration('HarmCategory', text.regex(/^HARM_CATEGORY_[A-Z_]+$/)),
    threshold: enumeration('HarmBlockThreshold'),
  },
);

const requestFields = {
  systemInstruction: content,
  tools: repeated(tool),
  toolConfig,
  safetySettings: repeated(safetySetting),
  generationConfig,
  cachedContent: text,
  labels: z.record(z.string(), text),
  serviceTier: text,
  store: flag,
  continuationToken: text,
  modelArmorConfig: free,
  model: text,
};
const contents = repeated(content);

/** A request for an answer. */
export const generateContentRequest = proto(requestFields, { contents });

/**
 * A request to count tokens. Only `contents` is at the top level; instructions and tools count inside
 * `generateContentRequest` (recorded).
 */
export const geminiCountRequest = proto({
  contents,
  generateContentRequest: proto(requestFields, { contents, model: text }),
});
