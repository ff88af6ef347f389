/**
 * Each field and kind that the vendors' newest SDKs have in a request is decided on for each other format: it becomes
 * something there, is rejected, or is reported as left out. A new version of an SDK with a new field fails here.
 */

import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { readConfig } from '../../src/config/load.ts';
import { catalogModels } from '../../src/config/models.ts';
import { everyVendor } from '../../src/config/vendors.ts';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { type ModelTraits, type Note, reportInto } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { asList, asObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { collectTraits } from '../../src/pipeline/model/collect-traits.ts';
import { chatRequest } from '../../src/sandbox/schemas/chat-completions.ts';
import { generateContentRequest } from '../../src/sandbox/schemas/generate-content.ts';
import { messagesRequest } from '../../src/sandbox/schemas/messages.ts';
import { responsesRequest } from '../../src/sandbox/schemas/responses.ts';
import { fieldPathForCaller } from '../../src/translate/field-path-for-caller.ts';
import { renderPrompt } from '../../src/translate/write-request.ts';
import { FIXTURES } from '../support/recording.ts';
import { BESIDE } from '../support/sdk-fields.ts';
import { type Place, places, type Samples, shapeOf, TEXT } from '../support/sdk-types.ts';

const config = await readConfig({}, FIXTURES);
const catalog = makeCatalog(catalogModels(config), config.aliases);
const vendors = everyVendor(config);

function target(id: string, format: FormatName): ModelTraits {
  const model = catalog.resolve(id, 'openai');
  const vendor = model && vendors.serving(model);
  if (model === undefined || vendor === undefined) throw new TypeError(`There is no ${id}.`);
  return collectTraits(vendor, model, format);
}

/** A model for each format, and what its vendor takes: the sandbox refuses whatever it does not know. */
const ASKED: Readonly<Record<FormatName, { readonly target: ModelTraits; readonly takes: ZodType }>> = {
  'chat-completions': { target: target('openai/gpt-5.4', 'chat-completions'), takes: chatRequest },
  responses: { target: target('openai/gpt-5.4', 'responses'), takes: responsesRequest },
  messages: { target: target('anthropic/claude-opus-4-8', 'messages'), takes: messagesRequest },
  'generate-content': {
    target: target('google/gemini-3.8-flash', 'generate-content'),
    takes: generateContentRequest,
  },
};

interface Family {
  readonly from: FormatName;
  readonly module: string;
  readonly type: string;
  /** A value of the type as the body of a request, with what other fields of it refer to. */
  body(value: JsonObject): JsonObject;
  /** What makes no difference elsewhere, and why; or is no part of the body. */
  readonly idle: readonly RegExp[];
}

const WEATHER = { name: TEXT, description: 'The weather.' };
const hello = { role: 'user', content: 'Hello?' };

function afterCall(value: JsonObject, call: JsonObject): Json {
  return [hello, { role: 'assistant', ...call }, ...asList(value['messages'])];
}

const anthropics = (value: JsonObject): JsonObject => ({
  tools: [{ ...WEATHER, input_schema: { type: 'object' } }],
  ...value,
  messages: afterCall(value, { content: [{ type: 'tool_use', id: TEXT, name: TEXT, input: {} }] }),
});

const responders = (value: JsonObject): JsonObject => ({
  model: TEXT,
  tools: [{ type: 'function', ...WEATHER, parameters: null, strict: false }],
  ...value,
  input: typeof value['input'] === 'string' ? value['input'] : [hello, ...asList(value['input'])],
});

const OPENAI_IDLE = [
  /^\.model$|^\.stream$|^\.store$|^\.background$/,
  // Ids of items are their vendor's, and so is which of its own tools has called, and whether a call has come to an end.
  /\.(?:id|caller<\w+>|status|phase|async|allowed_callers\[\]|logprobs\[\])$/,
  /\.(?:namespace|name|call_id|execution)$/,
  // Which of OpenAI's agents has said it, and what its SDK sends as a header.
  /\.agent<Agent>|^\.betas\[\]$/,
  /\.annotations\[\]/,
  /\.prompt_cache_breakpoint<\w+>\.ttl$/,
  // Empty, or what is done without being asked.
  /^\.(?:reasoning<(?:Beta)?Reasoning>|text<(?:Beta)?ResponseTextConfig>)$|<(?:Beta)?EasyInputMessage>\.type$|\.environment<local>$/,
  // An update of the settings that changes none.
  /^\.input\[\]<configuration_update>$/,
  /\.format<text>$|\.strict$|\.format<json_schema>\.description$/,
  // One file, told in two ways: the first counts.
  /\.(?:file_id|file_url|filename|detail)$/,
  // A shell in a container of OpenAI's is left out as a whole.
  /\.environment<container_auto>\./,
  // A response that OpenAI has stored, for a look at what was cached of it.
  /\.comparison_response_id$|^\.prompt_cache_options<\w+>$/,
  /\.tools\[\]<(?:Beta)?WebSearch\w*>\./,
  // Told of tools that items bring along, as of those that are declared.
  /<(?:additional_tools|tool_search_output)>\.tools\[\]/,
  // What is no text in a system message is the service's to judge.
  /^\.input\[\]<Message>/,
];

const ANTHROPIC_IDLE = [
  /^\.stream$|^\.output_config<\w+>$|^\.thinking<adaptive>$|\.strict$|\.is_error$|\.disable_parallel_tool_use$/,
  // A custom tool is a function in the other formats.
  /^\.tools\[\]<(?:Beta)?Tool>\.type$/,
  // What a text quotes is for its reader; a file's title and what is made of an image, where results have neither.
  /\.citations\b/,
  /<tool_result>.*\.(?:title|transformations|toolset_name)/,
  // Vendors that cache by themselves get no cache settings.
  /\.cache_control\b/,
  // Of a search that is another vendor's there is told that it has lost its settings.
  /\.tools\[\]<web_search_\d+>\./,
];

const FAMILIES: readonly Family[] = [
  {
    from: 'chat-completions',
    module: 'openai/resources/chat/completions/completions',
    type: 'ChatCompletionCreateParamsBase',
    body: (value) => ({
      tools: [{ type: 'function', function: WEATHER }],
      ...value,
      messages: afterCall(value, {
        content: null,
        tool_calls: [{ id: TEXT, type: 'function', function: { name: TEXT, arguments: '{}' } }],
      }),
    }),
    idle: [
      // Of an answer in sound, OpenAI alone knows what it has said.
      /^\.messages\[\]<assistant>\.audio/,
      // Where the others have one time only, or none.
      /\.prompt_cache_breakpoint<\w+>\.ttl$/,
      // They always tell their usage.
      /^\.stream_options/,
      /^\.stream$/,
      /\.web_search_options/,
      // What they do without being asked.
      /\.format<text>$|response_format<text>$|\.strict$|json_schema\.description$/,
      /\.allowed_tools\.tools\[\]$/,
    ],
  },
  {
    from: 'responses',
    module: 'openai/resources/responses/responses',
    type: 'ResponseCreateParamsBase',
    body: responders,
    idle: OPENAI_IDLE,
  },
  {
    from: 'responses',
    module: 'openai/resources/beta/responses/responses',
    type: 'ResponseCreateParamsBase',
    body: responders,
    idle: OPENAI_IDLE,
  },
  {
    from: 'messages',
    module: '@anthropic-ai/sdk/resources/messages/messages',
    type: 'MessageCreateParamsBase',
    body: anthropics,
    idle: ANTHROPIC_IDLE,
  },
  {
    from: 'messages',
    module: '@anthropic-ai/sdk/resources/beta/messages/messages',
    type: 'MessageCreateParamsBase',
    body: anthropics,
    idle: ANTHROPIC_IDLE,
  },
  {
    from: 'generate-content',
    module: '@google/genai/dist/genai',
    type: 'GenerateContentParameters',
    body: googles,
    idle: [
      // The SDK's own, which it does not send, and its shorter ways to write a content (`contentsToMldev`).
      /\.(?:httpOptions|abortSignal|automaticFunctionCalling|automaticContinuation)<?/,
      /^\.model$|^\.contents<|^\.contents\[\]<Part>|\.config<\w+>$/,
      // A text, as Google says of it; what else there is in one is the service's to judge.
      /\.systemInstruction\b/,
      // How arguments came that are whole now.
      /\.(?:partialArgs\[\]|willContinue)$/,
      // The name of an image, a thought that is none, Google's proof of what it said, a result without any file.
      /\.displayName$|\.thought$|\.thoughtSignature$|\.functionResponse<\w+>\.parts\[\]$/,
    ],
  },
];

function googles({ contents, config: given }: JsonObject): JsonObject {
  const { generationOutputConfig: outputConfig, ...rest } = asObject(given) ?? {};
  const all = Object.entries({ ...rest, ...(outputConfig !== undefined && { outputConfig }) });
  const beside = all.filter(([name]) => BESIDE.includes(name));
  const settings = all.filter(([name]) => !BESIDE.includes(name));
  return {
    contents:
      typeof contents === 'string' ? { role: 'user', parts: [{ text: contents }] } : (contents ?? null),
    ...Object.fromEntries(beside),
    ...(settings.length > 0 && { generationConfig: Object.fromEntries(settings) }),
  };
}

const IMAGE = 'https://images.example/cat.png';
const BYTES = 'iVBORw0KGgo=';
const PDF = `data:application/pdf;base64,${BYTES}`;
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

/** What fields hold, by their names, where any text or number will not do. */
const HOLDS: Readonly<Record<string, Json>> = {
  url: IMAGE,
  file_url: IMAGE,
  fileUri: IMAGE,
  data: BYTES,
  file_data: PDF,
  thoughtSignature: BYTES,
  mimeType: 'image/png',
  detail: 'high',
  n: 2,
  candidateCount: 2,
  max_tokens: 2048,
  max_completion_tokens: 2048,
  max_output_tokens: 2048,
  maxOutputTokens: 2048,
  budget_tokens: 1024,
  thinkingBudget: 1024,
  parameters: SCHEMA,
  input_schema: SCHEMA,
  schema: SCHEMA,
  parametersJsonSchema: SCHEMA,
};

/** What an object needs that its type does not insist on, by its `type`, or else the name of its type. */
const NEEDS: Readonly<Record<string, JsonObject>> = {
  input_file: { file_data: PDF, filename: 'cat.pdf' },
  input_image: { image_url: IMAGE },
  function_call_output: { call_id: TEXT },
  ChatCompletionAssistantMessageParam: { content: 'Hello.' },
  Part: { text: 'Hello?' },
  Content: { role: 'user', parts: [{ text: 'Hello?' }] },
  Blob_2: { mimeType: 'image/png', data: BYTES },
  // Without an ending, so that only the type says what it is.
  FileData: { fileUri: 'https://images.example/one', mimeType: 'image/png' },
  FunctionCall: { name: TEXT, args: {} },
  FunctionResponse: { name: TEXT, response: { sky: 'blue' } },
  FunctionDeclaration: { name: TEXT },
};

const samples: Samples = {
  of(field, owner) {
    if (field === 'image_url' && owner['type'] === 'input_image') return IMAGE;
    if (field === 'arguments' && owner['type'] !== 'tool_search_call') return '{}';
    return HOLDS[field];
  },
  beside(name, owner) {
    if (name === 'File' && owner['type'] === undefined) return { file_data: PDF };
    return NEEDS[String(owner['type'])] ?? NEEDS[name] ?? {};
  },
};

type Rendered =
  | { readonly request: JsonObject; readonly notes: readonly Note[] }
  | { readonly refusal: GatewayError };

function rendered(from: FormatName, to: FormatName, body: JsonObject): Rendered {
  const notes: Note[] = [];
  try {
    const prompt = { ...formats[from].inbound.parseRequest(body, reportInto(notes)), model: TEXT };
    const request = renderPrompt(
      formats[to].outbound,
      prompt,
      ASKED[to].target,
      (field, outcome, detail) =>
        void notes.push({ field: fieldPathForCaller(field, from, body), outcome, detail }),
      from,
      body,
    );
    return { request, notes };
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return { refusal: error };
    throw error;
  }
}

/** What is decided of a place: undefined where nothing is. */
function decision({ from, body, idle }: Family, to: FormatName, place: Place): string | undefined {
  const given = rendered(from, to, body(asObject(place.value) ?? {}));
  if ('refusal' in given) return 'refused';
  if (idle.some((each) => each.test(fieldOf(place)))) return 'idle';
  const taken = ASKED[to].takes.safeParse(parseJson(JSON.stringify(given.request)));
  if (!taken.success) return undefined;
  if (place.without === undefined) return 'needed';
  const lesser = rendered(from, to, body(asObject(place.without) ?? {}));
  if ('refusal' in lesser || JSON.stringify(lesser.request) !== JSON.stringify(given.request)) {
    return given.notes.some(({ detail }) => LEFT_OUT.test(detail)) ? 'left out' : 'translated';
  }
  const isTold = given.notes.length > lesser.notes.length || given.notes.some((note) => isAbout(note, place));
  return isTold ? 'left out' : undefined;
}

const LEFT_OUT = /^(?:a block|only|a hosted|part of)|only \S+ can read it/;

/** A place without the value it holds. */
function fieldOf({ path }: Place): string {
  return path.replace(/=.*$/, '');
}

function isAbout({ field }: Note, place: Place): boolean {
  const plain = fieldOf(place)
    .replaceAll(/<\w+>|\[\]/g, '')
    .slice(1);
  const told = field.replaceAll(/\[[^\]]*\]/g, '');
  return plain === told || plain.startsWith(`${told}.`);
}

/** The fields of a type nothing is decided on: one of several words decides for all of them. */
function undecided(family: Family, to: FormatName): readonly string[] {
  const decided = new Map<string, boolean>();
  const gone: string[] = [];
  for (const place of places(shapeOf(family.module, family.type), samples)) {
    const field = fieldOf(place);
    if (field === '' || gone.some((path) => field.startsWith(`${path}.`) || field.startsWith(`${path}[`)))
      continue;
    const what = decision(family, to, place);
    if (what === 'refused' || what === 'left out' || what === 'idle') gone.push(field);
    decided.set(field, what !== undefined || decided.get(field) === true);
  }
  return [...decided].flatMap(([field, is]) => (is ? [] : [field]));
}

const PAIRS = FAMILIES.flatMap((family) =>
  FORMAT_NAMES.filter((to) => to !== family.from).map((to) => ({
    family,
    to,
    type: `${family.module} ${family.type}`,
  })),
);

test.each(PAIRS)('$type, to $to', ({ family, to }) => {
  expect(undecided(family, to)).toEqual([]);
});
