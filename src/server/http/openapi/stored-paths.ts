/** The endpoints of responses that a vendor has stored. */

import { STORED_OPERATIONS, type StoredOperation } from '../../../conversation/prompt.ts';
import { STORED_ENDPOINTS } from '../../../conversation/route.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { type SchemaName, schemaAt } from './components.ts';
import { inPath, inQuery } from './parameters.ts';
import { answerResponse, type ErrorStatus, otherResponses, refusalResponses } from './responses.ts';

const FAILURES = [400, 401, 403, 404, 429, 500, 502, 503, 504] as const satisfies readonly ErrorStatus[];

/** What some statuses mean here. */
const MEANINGS: Readonly<Record<string, string>> = {
  400: 'The id cannot be one, or the vendor says that it cannot do this.',
  403: 'The key may not use the response, or none of its vendor’s models.',
  404: 'No account of the vendor knows the response, or the vendor keeps none.',
};

const DOCS = 'https://platform.openai.com/docs/api-reference/responses';

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

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly answer: SchemaName;
  readonly parameters: readonly JsonObject[];
  readonly events?: string;
  readonly docs: string;
}

const DESCRIBED: Readonly<Record<StoredOperation, Described>> = {
  retrieve: {
    operationId: 'getResponse',
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
    docs: `${DOCS}/get`,
  },
  delete: {
    operationId: 'deleteResponse',
    summary: 'Delete a stored response.',
    answer: 'DeletedResponse',
    parameters: [],
    docs: `${DOCS}/delete`,
  },
  cancel: {
    operationId: 'cancelResponse',
    summary: 'Cancel a response that is being made in the background.',
    answer: 'ResponseObject',
    parameters: [],
    docs: `${DOCS}/cancel`,
  },
  'list-input': {
    operationId: 'listInputItems',
    summary: 'The input of a stored response, by pages.',
    answer: 'ResponseItemList',
    parameters: [
      include,
      inQuery('after', 'The id of the last item of the page before.', { type: 'string' }),
      inQuery('limit', 'The most items of a page.', { type: 'integer', minimum: 1, maximum: 100 }),
      inQuery('order', 'Newest first, unless it is `asc`.', { type: 'string', enum: ['asc', 'desc'] }),
    ],
    docs: `${DOCS}/input-items`,
  },
};

/** @returns the path items of stored responses, by path */
export function storedPaths(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of STORED_OPERATIONS) {
    const { method, action } = STORED_ENDPOINTS[operation];
    const path = `/v1/responses/{response_id}${action}`;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(DESCRIBED[operation]) };
  }
  return paths;
}

function describe({ operationId, summary, answer, parameters, events, docs }: Described): JsonObject {
  return {
    operationId,
    tags: ['responses'],
    summary,
    externalDocs: { url: docs, description: "The format's own documentation." },
    security: [{ bearerKey: [] }],
    parameters: [id, ...parameters, vendor],
    responses: {
      200: answerResponse(schemaAt(answer), events),
      ...refusals(),
      default: otherResponses,
    },
  };
}

function refusals(): JsonObject {
  return Object.fromEntries(
    Object.entries(refusalResponses('responses', false, ...FAILURES)).map(([status, response]) => {
      const description = MEANINGS[status];
      return [status, description === undefined ? response : { ...asObject(response), description }];
    }),
  );
}
