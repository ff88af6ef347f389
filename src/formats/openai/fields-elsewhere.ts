/** Fields of chat-completions at other services, which the gateway understands and OpenAI refuses. */

import type { FormatName } from '../../conversation/prompt.ts';
import type { GatewayError } from '../../lib/errors.ts';

interface FieldElsewhere {
  readonly name: string;
  /** The format of OpenAI's in which the field's meaning is kept. Only responses shows thoughts. */
  readonly format: Extract<FormatName, 'chat-completions' | 'responses'>;
}

/** Settings of thinking, as `parseThinking` reads them, and OpenRouter's request for usage. */
const FIELDS_ELSEWHERE: readonly FieldElsewhere[] = [
  { name: 'reasoning', format: 'responses' },
  { name: 'thinking', format: 'responses' },
  { name: 'enable_thinking', format: 'responses' },
  { name: 'thinking_budget', format: 'responses' },
  { name: 'extra_body', format: 'responses' },
  { name: 'usage', format: 'chat-completions' },
];

/** The names of these fields. */
export const NAMES_ELSEWHERE: readonly string[] = FIELDS_ELSEWHERE.map(({ name }) => name);

/** OpenAI's words before it gave unknown parameters a `param` ("Unrecognized request argument supplied: thinking"). */
const OLDER_WORDS = 'Unrecognized request argument';

/** The field of another service that a refusal is about; undefined if it is about something else. */
export function fieldElsewhere({ message, param }: GatewayError): FieldElsewhere | undefined {
  const names = message.startsWith(OLDER_WORDS)
    ? message.slice(message.indexOf(':') + 1).split(',')
    : [param ?? ''];
  const refused = new Set(names.map((name) => name.trim()));
  return FIELDS_ELSEWHERE.find(({ name }) => refused.has(name));
}
