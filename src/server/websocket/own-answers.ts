/** What is answered here, and no vendor is asked (OpenAI API reference, "WebSocket events"). */

import { randomUUID } from 'node:crypto';
import { renderEmptyResponse } from '../../formats/responses/inbound/response-fields.ts';
import type { JsonObject } from '../../lib/json.ts';
import { inLane } from './answer.ts';
import { fieldOf, type Message, requestFields } from './message.ts';

/** An answer: its events, and the response that they tell of. */
export interface OwnAnswer {
  readonly events: readonly string[];
  readonly response: JsonObject;
}

/**
 * To a request that wants no output yet (`generate: false`): there is nothing to prepare, but an id to go on from.
 * @param previous the response that it goes on from itself.
 */
export function prepared(message: Message, previous: string | undefined): OwnAnswer {
  const response = {
    ...renderEmptyResponse(requestFields(message), `resp_${randomUUID().replaceAll('-', '')}`),
    previous_response_id: previous ?? null,
  };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', usage: null } },
    { type: 'response.completed', response },
  ].map((event, sequence_number) => inLane(JSON.stringify({ ...event, sequence_number }), message));
  return { events, response };
}

/** To input for an answer that is being given: no vendor takes any by the requests that are sent here. */
export function steeringRefused(message: Message): string {
  const error = {
    type: 'invalid_request_error',
    code: 'steering_not_supported',
    message: 'Input cannot be added to an answer in progress: send it with the next response.create.',
  };
  const steer = {
    input: fieldOf(message, 'input') ?? null,
    previous_response_id: fieldOf(message, 'previous_response_id') ?? null,
  };
  return JSON.stringify({ type: 'response.steer.failed', sequence_number: 0, error, steer });
}
