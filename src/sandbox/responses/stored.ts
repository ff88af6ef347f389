/** Answers requests about a stored response, as OpenAI does: to fetch, cancel or delete it, or to list its input. */

import { asText, type JsonObject } from '../../lib/json.ts';
import { streamed, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { badField, badRequest, openaiRefusal } from '../openai/words.ts';
import type { SandboxState, StoredResponse } from '../sandbox-state.ts';
import { pendingResponse, streamResponses, wholeResponses } from './render.ts';

type Answer = (
  stored: StoredResponse,
  id: string,
  request: VendorRequest,
  state: SandboxState,
) => VendorAnswer;

/** What is asked of a response, by method and by how the path ends. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'GET ': retrieve,
  'DELETE ': remove,
  'POST /cancel': cancel,
  'GET /input_items': listInput,
};

const PATH = /^\/responses\/([^/]+)(\/cancel|\/input_items)?$/;

/**
 * Answers a request about a stored response.
 * @returns undefined for any other path
 * @throws Refused with OpenAI's own error
 */
export function answerStored(request: VendorRequest, state: SandboxState): VendorAnswer | undefined {
  const { method, path } = request;
  const [, id, action = ''] = PATH.exec(path) ?? [];
  if (id === undefined) return undefined;
  const answer = ANSWERS[`${method} ${action}`];
  if (answer === undefined) throw notAllowed(request);
  const stored = state.responses.get(id);
  if (stored === undefined)
    throw openaiRefusal(404, { message: `Response with id '${id}' not found.`, code: null });
  return answer(stored, id, request, state);
}

/** @returns the error for a method that a path does not have */
export function notAllowed({ method, path }: VendorRequest) {
  return openaiRefusal(405, {
    message: `Not allowed to ${method} on /v1${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    code: 'method_not_supported',
  });
}

function retrieve(stored: StoredResponse, _id: string, { query }: VendorRequest): VendorAnswer {
  if (query.get('stream') !== 'true') return whole(presentState(stored));
  const after = Number(query.get('starting_after') ?? -1);
  const { script, stamp } = stored;
  // An event's sequence number is its place in the stream.
  return streamed([...streamResponses(script, stamp)].slice(after + 1), script);
}

function presentState({ script, stamp, ready, isCancelled }: StoredResponse): JsonObject {
  if (isCancelled) return pendingResponse(script, stamp, 'cancelled');
  return Date.now() < ready ? pendingResponse(script, stamp, 'in_progress') : wholeResponses(script, stamp);
}

function remove(_: StoredResponse, id: string, __: VendorRequest, state: SandboxState): VendorAnswer {
  state.responses.delete(id);
  return whole({ id, object: 'response', deleted: true });
}

function cancel(stored: StoredResponse, id: string, _: VendorRequest, state: SandboxState): VendorAnswer {
  if (stored.stamp.body['background'] !== true)
    throw badRequest({ message: 'Cannot cancel a synchronous response.' });
  if (Date.now() >= stored.ready) return whole(presentState(stored));
  const cancelled: StoredResponse = { ...stored, isCancelled: true };
  state.responses.set(id, cancelled);
  return whole(presentState(cancelled));
}

/** The items of a page, if the request does not say how many. */
const PAGE = 20;
const MAX_PAGE = 100;

function listInput({ input }: StoredResponse, _id: string, { query }: VendorRequest): VendorAnswer {
  const limit = Number(query.get('limit') ?? PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw badField(`Invalid 'limit': expected an integer from 1 to ${MAX_PAGE}.`, 'limit', 'invalid_value');
  const ordered = query.get('order') === 'asc' ? input : input.toReversed();
  const after = query.get('after');
  // Behind an item that it does not have, there is nothing.
  const rest = after === null ? ordered : ordered.slice(findPlace(after, ordered) + 1);
  const data = rest.slice(0, limit);
  return whole({
    object: 'list',
    data,
    first_id: data.at(0)?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: rest.length > data.length,
  });
}

function findPlace(id: string, items: readonly JsonObject[]): number {
  const place = items.findIndex((item) => asText(item['id']) === id);
  return place < 0 ? items.length : place;
}
