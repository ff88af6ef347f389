/** The endpoints that ask a model, in the four formats. */

import { MAX_TAG_LENGTH, TAG_HEADER } from '../../../accounting/usage/tag.ts';
import type { FormatName } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { CACHE_HEADER } from '../../../pipeline/cache/cache-answers.ts';
import { type SchemaName, schemaAt } from './components.ts';
import { inHeader, inPath, inQuery } from './parameters.ts';
import {
  answerResponse,
  type ErrorStatus,
  jsonResponse,
  otherResponses,
  refusalResponses,
} from './responses.ts';

/** The errors that any endpoint of a model may answer with. */
const FAILURES = [
  400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504,
] as const satisfies readonly ErrorStatus[];

const EVENTS: Readonly<Record<FormatName, string>> = {
  'chat-completions': '`chat.completion.chunk` events, then `[DONE]`. An error is an event with `error`.',
  responses: '`response.*` events with `sequence_number`. An error is an `error` or `response.failed` event.',
  messages: '`message_start` to `message_stop`. An error is an `error` event.',
  'generate-content': '`GenerateContentResponse` objects. An error is an event with `error`.',
};

const bearer = { bearerKey: [] };
const bySecurity: Readonly<Record<FormatName, readonly JsonObject[]>> = {
  'chat-completions': [bearer],
  responses: [bearer],
  messages: [bearer, { anthropicKey: [] }],
  'generate-content': [bearer, { googleKey: [] }, { googleKeyInQuery: [] }],
};

const modelInPath = inPath(
  'model',
  'The name of a Google model, without the vendor. Where the gateway serves all models in this format, also another model’s full id.',
);

/** What every request to a model may have. */
const HEADERS = [
  inHeader(
    'x-session-id',
    'Any name for the dialogue or run: requests of one session go to the same address and account of a vendor that has several, where their prompts are cached.',
  ),
  inHeader(
    TAG_HEADER,
    `What the request is for, such as a customer: usage is reported by it. At most ${MAX_TAG_LENGTH} characters of printable ASCII; no vendor gets it.`,
    { type: 'string', maxLength: MAX_TAG_LENGTH, pattern: '^[\\x20-\\x7e]*$' },
  ),
  inHeader(
    CACHE_HEADER,
    'Whether the cache of answers may be used, if the gateway has one: `true`, or `false` for a key whose requests all use it.',
  ),
];

interface Ask {
  readonly id: string;
  readonly format: FormatName;
  readonly summary: string;
  readonly request: SchemaName;
  readonly answer: SchemaName;
  /**
   * `if-asked`: the answer streams if the body asks for it. `always`: it is a stream of events, or a list of all of
   * them.
   */
  readonly streams: 'never' | 'if-asked' | 'always';
  readonly docs: string;
  readonly parameters?: readonly JsonObject[];
}

function post({ id, format, summary, request, answer, streams, docs, parameters = [] }: Ask): JsonObject {
  // 529 is Anthropic's own status for an overloaded vendor.
  const failures: readonly ErrorStatus[] = format === 'messages' ? [...FAILURES, 529] : FAILURES;
  const whole = streams === 'always' ? { type: 'array', items: schemaAt(answer) } : schemaAt(answer);
  return {
    post: {
      operationId: id,
      tags: [format],
      summary,
      externalDocs: {
        url: docs,
        description: "The format's own documentation: every field described there may be sent.",
      },
      security: [...bySecurity[format]],
      parameters: [...parameters, ...HEADERS],
      requestBody: { required: true, content: { 'application/json': { schema: schemaAt(request) } } },
      responses: {
        200: answerResponse(whole, streams === 'never' ? undefined : EVENTS[format]),
        ...refusalResponses(format, streams === 'always', ...failures),
        default: otherResponses,
      },
    },
  };
}

const OPENAI = 'https://platform.openai.com/docs/api-reference';
const ANTHROPIC = 'https://docs.anthropic.com/en/api';
const GOOGLE = 'https://ai.google.dev/api';

const generateContent = {
  format: 'generate-content',
  request: 'GenerateContentRequest',
  answer: 'GenerateContentResponse',
  docs: `${GOOGLE}/generate-content`,
} as const;

const countGoogles = {
  format: 'generate-content',
  summary: "Count a prompt's tokens.",
  request: 'GoogleCountTokensRequest',
  answer: 'GoogleTokenCount',
  streams: 'never',
  docs: `${GOOGLE}/tokens`,
  parameters: [modelInPath],
} as const;

const alt = inQuery(
  'alt',
  '`sse` for server-sent events; otherwise the stream is one JSON array. With `;enum-encoding=int`, enums are numbers. Also written `$alt`.',
  { type: 'string', examples: ['sse', 'json', 'json;enum-encoding=int'] },
);

/** @returns the OpenAPI path items of the endpoints that ask a model, by path */
export function generatePaths(): JsonObject {
  const paths: Record<string, JsonObject> = {
    '/v1/chat/completions': post({
      id: 'createChatCompletion',
      format: 'chat-completions',
      summary: 'Ask any model, in the format of OpenAI’s chat completions.',
      request: 'ChatCompletionsRequest',
      answer: 'ChatCompletion',
      streams: 'if-asked',
      docs: `${OPENAI}/chat/create`,
    }),
    '/v1/responses': post({
      id: 'createResponse',
      format: 'responses',
      summary:
        'Ask any model, in the format of OpenAI’s responses, by POST or over a WebSocket. The gateway stores nothing; the vendor may.',
      request: 'ResponsesRequest',
      answer: 'ResponseObject',
      streams: 'if-asked',
      docs: `${OPENAI}/responses/create`,
    }),
    '/v1/responses/compact': post({
      id: 'compactResponse',
      format: 'responses',
      summary: 'Compact a conversation; OpenAI models only.',
      request: 'CompactRequest',
      answer: 'Compaction',
      streams: 'never',
      docs: `${OPENAI}/responses/compact`,
    }),
    '/v1/responses/input_tokens': post({
      id: 'countInputTokens',
      format: 'responses',
      summary: "Count a prompt's tokens, as the model's vendor counts them.",
      request: 'InputTokensRequest',
      answer: 'InputTokens',
      streams: 'never',
      docs: `${OPENAI}/responses/input-tokens`,
    }),
    '/v1/messages': post({
      id: 'createMessage',
      format: 'messages',
      summary: 'Ask any model, in the format of Anthropic’s messages.',
      request: 'MessagesRequest',
      answer: 'Message',
      streams: 'if-asked',
      docs: `${ANTHROPIC}/messages`,
    }),
    '/v1/messages/count_tokens': post({
      id: 'countMessageTokens',
      format: 'messages',
      summary: "Count a prompt's tokens, as the model's vendor counts them.",
      request: 'CountTokensRequest',
      answer: 'TokenCount',
      streams: 'never',
      docs: `${ANTHROPIC}/messages-count-tokens`,
    }),
  };
  // Google's newest SDK uses /v1.
  for (const [version, suffix] of [
    ['v1beta', ''],
    ['v1', 'Below1'],
  ] as const) {
    paths[`/${version}/models/{model}:generateContent`] = post({
      ...generateContent,
      id: `generateContent${suffix}`,
      summary:
        'Ask a model in the format of Google’s generateContent: one of Google’s, or any by configuration.',
      streams: 'never',
      parameters: [modelInPath],
    });
    paths[`/${version}/models/{model}:streamGenerateContent`] = post({
      ...generateContent,
      id: `streamGenerateContent${suffix}`,
      summary: 'The same, and stream the answer.',
      streams: 'always',
      parameters: [modelInPath, alt],
    });
    paths[`/${version}/models/{model}:countTokens`] = post({ ...countGoogles, id: `countTokens${suffix}` });
  }
  return paths;
}

/** Endpoints of OpenAI's that are not supported, with the names of their operations. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  '/v1/embeddings': 'createEmbedding',
  '/v1/images/generations': 'createImage',
  '/v1/audio/speech': 'createSpeech',
  '/v1/videos': 'createVideo',
};

/** @returns the path items of the endpoints that are not supported, by path; they answer 404 with an explanation */
export function unsupportedPaths(): JsonObject {
  return Object.fromEntries(
    Object.entries(UNSUPPORTED).map(([path, id]) => [
      path,
      {
        post: {
          operationId: id,
          tags: ['not supported'],
          summary: 'Not supported.',
          security: [],
          responses: { 404: jsonResponse('Always, with code `endpoint_not_available`.', 'OpenAIError') },
        },
      },
    ]),
  );
}
