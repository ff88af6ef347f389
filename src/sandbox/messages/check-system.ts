/**
 * Where messages accepts a system message within a conversation, and from which models on ("Mid-conversation system
 * messages"; the errors are as quoted in public issues).
 */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asObjects, asText } from '../../lib/json.ts';
import { badRequest } from '../anthropic/words.ts';
import { about } from '../refusal-subject.ts';

const DIRECTIVE = 'the directive-only form (content: [] with output_config) is accepted at any position';

/**
 * Checks the system messages of a request.
 * @throws Refused with Anthropic's own error
 */
export function checkSystem(body: JsonObject, model: Model): void {
  const messages = [...asObjects(body['messages']).entries()];
  const said = messages.filter(([, message]) => !isDirective(message));
  for (const [place, [index, { role }]] of said.entries()) {
    if (role !== 'system') continue;
    if (model.laterSystem !== true) {
      throw badRequest(
        "role 'system' is not supported on this model",
        about('late system', 'messages', index),
      );
    }
    const flaw = misplaced(
      said.slice(0, place).findLast(isSpoken)?.[1],
      said.slice(place).find(isSpoken)?.[1],
    );
    if (flaw !== undefined) {
      throw badRequest(`messages.${index}: ${flaw}; ${DIRECTIVE}`, about('late system', 'messages', index));
    }
  }
}

/** @returns what is wrong with a system message between these two messages; undefined if nothing is */
function misplaced(before: JsonObject | undefined, after: JsonObject | undefined): string | undefined {
  if (before === undefined) return "use the top-level 'system' parameter for the initial system prompt";
  if (before['role'] === 'assistant' && !endsServed(before)) {
    return "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result";
  }
  if (after === undefined || after['role'] === 'assistant') return undefined;
  return "role 'system' must precede an 'assistant' message or end the array";
}

/** Whether a system message says nothing, and only changes settings from here on. */
function isDirective({ role, content }: JsonObject): boolean {
  return role === 'system' && (content === undefined || asObjects(content).length === 0) && !asText(content);
}

function isSpoken([, { role }]: readonly [number, JsonObject]): boolean {
  return role !== 'system';
}

/** Whether a message ends in the result of a tool that Anthropic runs itself. */
function endsServed({ content }: JsonObject): boolean {
  return /_tool_result$/.test(asText(asObjects(content).at(-1)?.['type']) ?? '');
}
