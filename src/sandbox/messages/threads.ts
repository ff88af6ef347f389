/**
 * Threads (`message-threads-2026-08-12`): conversations that Anthropic keeps, so that a turn sends only what is new.
 * Its SDK uses one by itself when it runs tools.
 */

import type { JsonObject } from '../../lib/json.ts';
import { asObject, asObjects, asText } from '../../lib/json.ts';
import { badRequest } from '../anthropic/words.ts';
import { header, Refused, type VendorRequest } from '../exchange.ts';
import type { SandboxState } from '../sandbox-state.ts';

/** Fields that a later turn may leave out, since the thread has them. */
const KEPT = ['system', 'tools', 'tool_choice', 'thinking', 'output_config'];

/**
 * @returns the request together with everything that its thread holds
 * @throws Refused with Anthropic's own error if there is no such thread
 */
export function inThread(body: JsonObject, request: VendorRequest, state: SandboxState): JsonObject {
  const thread = asObject(body['thread']);
  if (thread === undefined) return body;
  if (!header(request, 'anthropic-beta')?.includes('message-threads-')) {
    throw badRequest('thread: Extra inputs are not permitted');
  }
  if (thread['type'] !== 'continue') return body;
  const previous = asText(thread['previous_message_id']) ?? '';
  const kept = state.threads.get(previous);
  if (kept === undefined) throw notFound(previous);
  return { ...kept, ...body, messages: [...asObjects(kept['messages']), ...asObjects(body['messages'])] };
}

/** Keeps a turn and its answer under the id of the answer. */
export function keepThread(body: JsonObject, answer: JsonObject, state: SandboxState): void {
  const reply = { role: 'assistant', content: answer['content'] };
  const settings = KEPT.flatMap((field) =>
    body[field] === undefined ? [] : [[field, body[field]] as const],
  );
  state.threads.set(asText(answer['id']) ?? '', {
    ...Object.fromEntries(settings),
    messages: [...asObjects(body['messages']), reply],
  });
}

function notFound(id: string): Refused {
  return new Refused(404, {
    type: 'error',
    error: {
      type: 'not_found_error',
      message: `thread.previous_message_id: no thread has the message ${id.slice(0, 100)}`,
      details: { error_code: 'thread_not_found' },
    },
  });
}
