/** How the document describes an endpoint whose requests run through the pipeline. */

import { MAX_TAG_LENGTH, TAG_HEADER } from '../../../accounting/usage/tag.ts';
import type { FormatName } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { CACHE_HEADER } from '../../../pipeline/cache/cache-answers.ts';
import { type SchemaName, schemaAt } from './components.ts';
import type { Operation } from './endpoint.ts';
import { inHeader } from './parameters.ts';
import {
  answerResponse,
  type ErrorStatus,
  type Meanings,
  otherResponses,
  refusalResponses,
} from './responses.ts';

/** The errors that any of these endpoints may answer with. */
const FAILURES = [400, 401, 403, 404, 429, 500, 502, 503, 504] as const satisfies readonly ErrorStatus[];

/** What a stream of each format consists of. */
export const EVENTS: Readonly<Record<FormatName, string>> = {
  'chat-completions': '`chat.completion.chunk` events, then `[DONE]`. An error is an event with `error`.',
  responses: '`response.*` events with `sequence_number`. An error is an `error` or `response.failed` event.',
  messages: '`message_start` to `message_stop`. An error is an `error` event.',
  'generate-content': '`GenerateContentResponse` objects. An error is an event with `error`.',
};

/** Where a key may stand in a request of each format. */
export const KEYS: Readonly<Record<FormatName, NonNullable<Operation['keys']>>> = {
  'chat-completions': ['bearerKey'],
  responses: ['bearerKey'],
  messages: ['bearerKey', 'anthropicKey'],
  'generate-content': ['bearerKey', 'googleKey', 'googleKeyInQuery'],
};

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

/** What tells an endpoint from the others of its format. */
export interface ExchangeDescription {
  readonly id: string;
  readonly summary: string;
  /** Absent for requests without a body. */
  readonly request?: SchemaName;
  readonly answer: SchemaName;
  /** What its stream consists of. Absent if it never streams. */
  readonly events?: string | undefined;
  /** Whether all events are one list if nobody asks for a stream. */
  readonly isList?: boolean;
  /** The path of the format's own documentation. */
  readonly docs: string;
  readonly parameters?: readonly JsonObject[];
  /** What some statuses mean here. */
  readonly meanings?: Meanings;
}

const DOCS: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'https://platform.openai.com/docs/api-reference/chat',
  responses: 'https://platform.openai.com/docs/api-reference/responses',
  messages: 'https://docs.anthropic.com/en/api',
  'generate-content': 'https://ai.google.dev/api',
};

/** @returns what the document says of an endpoint in this format */
export function describeExchange(format: FormatName, described: ExchangeDescription): Operation {
  const { id, summary, request, answer, events, isList = false, docs, parameters = [], meanings } = described;
  const isAsk = request !== undefined;
  const statuses: readonly ErrorStatus[] = [
    ...FAILURES,
    ...(isAsk ? ([413, 415] as const) : []),
    // Anthropic's own status for an overloaded vendor.
    ...(format === 'messages' ? [529 as const] : []),
  ];
  const schema = schemaAt(answer);
  return {
    id,
    tag: format,
    summary,
    keys: KEYS[format],
    docs: {
      url: `${DOCS[format]}/${docs}`,
      description: `The format's own documentation${isAsk ? ': every field described there may be sent' : ''}.`,
    },
    parameters: [...parameters, ...(isAsk ? HEADERS : [])],
    body: request && schemaAt(request),
    responses: {
      200: answerResponse(isList ? { type: 'array', items: schema } : schema, events),
      ...refusalResponses(format, isList, statuses, meanings),
      default: otherResponses,
    },
  };
}
