/** The endpoints that ask a model, in the four formats, and those of responses that a vendor has stored. */

import { STORED_OPERATIONS, type StoredOperation } from '../../conversation/prompt.ts';
import { POST_ROUTES, type Route, STORED_ENDPOINTS } from '../../conversation/route.ts';
import { describeExchange, EVENTS, type ExchangeDescription } from './openapi/describe-exchange.ts';
import type { Endpoint } from './openapi/endpoint.ts';
import { inPath, inQuery } from './openapi/parameters.ts';

/** An endpoint whose requests run through the pipeline. */
export interface ExchangeEndpoint extends Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly exchange: Route;
}

/** An endpoint whose path is that of a route. */
function askEndpoint(path: keyof typeof POST_ROUTES, described: ExchangeDescription): ExchangeEndpoint {
  const exchange: Route = POST_ROUTES[path];
  const { format, operation } = exchange;
  const events = operation === 'generate' ? EVENTS[format] : undefined;
  return {
    method: 'POST',
    path,
    exchange,
    describe: () => describeExchange(format, { ...described, events }),
  };
}

const askEndpoints: readonly ExchangeEndpoint[] = [
  askEndpoint('/v1/chat/completions', {
    id: 'createChatCompletion',
    summary: 'Ask any model, in the format of OpenAI’s chat completions.',
    request: 'ChatCompletionsRequest',
    answer: 'ChatCompletion',
    docs: 'create',
  }),
  askEndpoint('/v1/responses', {
    id: 'createResponse',
    summary:
      'Ask any model, in the format of OpenAI’s responses, by POST or over a WebSocket. The gateway stores nothing; the vendor may.',
    request: 'ResponsesRequest',
    answer: 'ResponseObject',
    docs: 'create',
  }),
  askEndpoint('/v1/responses/compact', {
    id: 'compactResponse',
    summary: 'Compact a conversation; OpenAI models only.',
    request: 'CompactRequest',
    answer: 'Compaction',
    docs: 'compact',
  }),
  askEndpoint('/v1/responses/input_tokens', {
    id: 'countInputTokens',
    summary: "Count a prompt's tokens, as the model's vendor counts them.",
    request: 'InputTokensRequest',
    answer: 'InputTokens',
    docs: 'input-tokens',
  }),
  askEndpoint('/v1/messages', {
    id: 'createMessage',
    summary: 'Ask any model, in the format of Anthropic’s messages.',
    request: 'MessagesRequest',
    answer: 'Message',
    docs: 'messages',
  }),
  askEndpoint('/v1/messages/count_tokens', {
    id: 'countMessageTokens',
    summary: "Count a prompt's tokens, as the model's vendor counts them.",
    request: 'CountTokensRequest',
    answer: 'TokenCount',
    docs: 'messages-count-tokens',
  }),
];

const modelInPath = inPath(
  'model',
  'The name of a Google model, without the vendor. Where the gateway serves all models in this format, also another model’s full id.',
);

const alt = inQuery(
  'alt',
  '`sse` for server-sent events; otherwise the stream is one JSON array. With `;enum-encoding=int`, enums are numbers. Also written `$alt`.',
  { type: 'string', examples: ['sse', 'json', 'json;enum-encoding=int'] },
);

const generateContent = {
  request: 'GenerateContentRequest',
  answer: 'GenerateContentResponse',
  docs: 'generate-content',
} as const;

/** The path of a request names the model and the operation. */
export const GENERATE_CONTENT: Route = { format: 'generate-content', operation: 'generate' };

/** What can be asked of Google's models. */
const googleAsks: readonly ExchangeDescription[] = [
  {
    ...generateContent,
    id: 'generateContent',
    summary:
      'Ask a model in the format of Google’s generateContent: one of Google’s, or any by configuration.',
    parameters: [modelInPath],
  },
  {
    ...generateContent,
    id: 'streamGenerateContent',
    summary: 'The same, and stream the answer.',
    events: EVENTS['generate-content'],
    isList: true,
    parameters: [modelInPath, alt],
  },
  {
    id: 'countTokens',
    summary: "Count a prompt's tokens.",
    request: 'GoogleCountTokensRequest',
    answer: 'GoogleTokenCount',
    docs: 'tokens',
    parameters: [modelInPath],
  },
];

/**
 * The endpoints of one version of Google's format.
 * @param suffix keeps the names of its operations apart from those of the other version.
 */
function googleEndpoints(version: string, suffix: string): readonly ExchangeEndpoint[] {
  return googleAsks.map((described) => ({
    method: 'POST',
    path: `/${version}/models/{model}:${described.id}`,
    route: `/${version}/models/**`,
    exchange: GENERATE_CONTENT,
    describe: () => describeExchange('generate-content', { ...described, id: `${described.id}${suffix}` }),
  }));
}

/** What some statuses mean for a stored response. */
const STORED_MEANINGS = {
  400: 'The id cannot be one, or the vendor says that it cannot do this.',
  403: 'The key may not use the response, or none of its vendor’s models.',
  404: 'No account of the vendor knows the response, or the vendor keeps none.',
};

const id = inPath('response_id', 'The id of the response.', { type: 'string', minLength: 1, maxLength: 256 });
const vendor = inQuery(
  'model',
  'A model of the vendor that has the response, as `<vendor>/<model_name>`: only the vendor counts. Without it, OpenAI.',
  { type: 'string', examples: ['openai/gpt-5.4'] },
);
const include = inQuery('include[]', 'Further fields of the answer.', {
  type: 'array',
  items: { type: 'string' },
});

const STORED: Readonly<Record<StoredOperation, ExchangeDescription>> = {
  retrieve: {
    id: 'getResponse',
    summary: 'A stored response, or the state of one that is being made in the background.',
    answer: 'ResponseObject',
    parameters: [
      include,
      inQuery('stream', 'Whether to stream a response that was made in the background.', { type: 'boolean' }),
      inQuery('starting_after', 'The number of the event after which the stream begins.', {
        type: 'integer',
        minimum: 0,
      }),
      inQuery('include_obfuscation', 'Whether events are padded to a uniform size.', { type: 'boolean' }),
    ],
    events: '`response.*` events with `sequence_number`, from the one after `starting_after` on.',
    docs: 'get',
  },
  delete: {
    id: 'deleteResponse',
    summary: 'Delete a stored response.',
    answer: 'DeletedResponse',
    docs: 'delete',
  },
  cancel: {
    id: 'cancelResponse',
    summary: 'Cancel a response that is being made in the background.',
    answer: 'ResponseObject',
    docs: 'cancel',
  },
  'list-input': {
    id: 'listInputItems',
    summary: 'The input of a stored response, by pages.',
    answer: 'ResponseItemList',
    parameters: [
      include,
      inQuery('after', 'The id of the last item of the page before.', { type: 'string' }),
      inQuery('limit', 'The most items of a page.', { type: 'integer', minimum: 1, maximum: 100 }),
      inQuery('order', 'Newest first, unless it is `asc`.', { type: 'string', enum: ['asc', 'desc'] }),
    ],
    docs: 'input-items',
  },
};

const storedEndpoints = STORED_OPERATIONS.map((operation): ExchangeEndpoint => {
  const { method, action } = STORED_ENDPOINTS[operation];
  const { parameters = [], ...described } = STORED[operation];
  return {
    method,
    path: `/v1/responses/{response_id}${action}`,
    exchange: { format: 'responses', operation },
    describe: () =>
      describeExchange('responses', {
        ...described,
        parameters: [id, ...parameters, vendor],
        meanings: STORED_MEANINGS,
      }),
  };
});

export const exchangeEndpoints: readonly ExchangeEndpoint[] = [
  ...askEndpoints,
  ...googleEndpoints('v1beta', ''),
  // Google's SDK uses /v1 unless it is given a version (@google/genai 3 and later).
  ...googleEndpoints('v1', 'Below1'),
  ...storedEndpoints,
];
