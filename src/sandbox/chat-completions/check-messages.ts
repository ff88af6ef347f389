/** What chat completions demands of a conversation beyond its schema: every call is answered, and nothing else is. */

import type { JsonObject } from '../../lib/json.ts';
import { asObjects, asText } from '../../lib/json.ts';
import { badRequest, tooGreat } from '../openai/words.ts';
import type { RefusalSubject } from '../refusal-subject.ts';

/** The longest id of a call that OpenAI accepts, in characters. */
const MAX_ID_LENGTH = 40;

/**
 * Checks the messages of a request.
 * @param limitsIds whether long ids of calls are rejected, as OpenAI does and the other services do not
 * @throws Refused with OpenAI's own error
 */
export function checkMessages(body: JsonObject, limitsIds: boolean): void {
  const messages = asObjects(body['messages']);
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message['role'];
    if (role === 'tool') {
      const id = asText(message['tool_call_id']) ?? '';
      if (!open.includes(id)) throw unexpectedAnswer(messages, index, id);
      open = open.filter((other) => other !== id);
    } else if (open.length > 0) throw unanswered(open, index);
    else if (role === 'assistant') open = idsOfCalls(message, index, limitsIds);
  }
  if (open.length > 0) throw unanswered(open, messages.length);
}

function idsOfCalls(message: JsonObject, index: number, limitsIds: boolean): string[] {
  const calls = asObjects(message['tool_calls']);
  for (const [at, call] of calls.entries()) {
    const id = asText(call['id']) ?? '';
    if (limitsIds && id.length > MAX_ID_LENGTH)
      throw tooGreat(['messages', index, 'tool_calls', at, 'id'], id, MAX_ID_LENGTH);
  }
  const ids = calls.map((call) => asText(call['id']) ?? '');
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw badRequest({
      message: `Duplicate value for 'tool_call_id' of '${twice}' found in message with role 'assistant'.`,
      param: `messages.[${index}].tool_calls`,
      subject: { thing: 'repeated ids', path: ['messages', index, 'tool_calls'], id: twice },
    });
  }
  return ids;
}

/** Whether the last message that is not a tool's makes calls at all. */
function answersCalls(messages: readonly JsonObject[], index: number): boolean {
  const before = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
  return asObjects(before?.['tool_calls']).length > 0;
}

function unanswered(ids: readonly string[], index: number) {
  return badRequest({
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    param: `messages.[${index}].role`,
    subject: { thing: 'unpaired call', path: ['messages', index] },
  });
}

function unexpectedAnswer(messages: readonly JsonObject[], index: number, id: string) {
  const subject: RefusalSubject = { thing: 'unpaired call', path: ['messages', index] };
  return answersCalls(messages, index)
    ? badRequest({
        message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        param: `messages.[${index}].tool_call_id`,
        subject,
      })
    : badRequest({
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: `messages.[${index}].role`,
        subject,
      });
}
