/** Events that the gateway answers with itself, without asking a vendor (OpenAI API reference, "WebSocket events"). */

import { randomUUID } from 'node:crypto';
import { renderEmptyResponse } from '../../formats/responses/inbound/response-fields.ts';
import { inLane } from './answer.ts';
import { getField, type Message, requestFields } from './message.ts';

/**
 * Answers a request that wants no output yet (`generate: false`). Nothing has to be prepared except an id to continue
 * from.
 * @param previous the id of the response that the request itself continues
 * @returns the events of an empty response as JSON texts, and that response
 * @throws GatewayError `invalid-request` if a field of the message is not JSON
 */
export function answerWithoutOutput(message: Message, previous: string | undefined) {
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

/**
 * Answers input for a response that is being generated. No vendor takes such input through the requests that the
 * gateway sends.
 * @returns the event as JSON text
 */
export function refuseSteering(message: Message): string {
  const error = {
    type: 'invalid_request_error',
    code: 'steering_not_supported',
    message: 'Input cannot be added to an answer in progress: send it with the next response.create.',
  };
  const steer = {
    input: getField(message, 'input') ?? null,
    previous_response_id: getField(message, 'previous_response_id') ?? null,
  };
  return JSON.stringify({ type: 'response.steer.failed', sequence_number: 0, error, steer });
}
