/**
 * Custom tools as Cursor writes them: flat, as in Responses. Cursor reads each call of such a tool as a function call
 * with the text as its arguments, and sends it back like that.
 */

import type { Part, Prompt, Turn } from '../../conversation/prompt.ts';
import type { OpenPart, Reply, ReplyEvent } from '../../conversation/reply.ts';
import { asObject, asObjects, type JsonObject } from '../../lib/json.ts';

/**
 * Finds the names of the custom tools that are not nested as chat-completions nests them. A client that writes flat
 * tools reads their calls as function calls.
 */
export function findFlatCustomTools(
  { tools = [] }: Pick<Prompt, 'tools'>,
  body: JsonObject,
): ReadonlySet<string> {
  const nested = new Set(asObjects(body['tools']).map(({ custom }) => asObject(custom)?.['name']));
  return new Set(
    tools.flatMap((tool) =>
      tool.kind === 'custom' && !nested.has(tool.givenName ?? tool.name) ? [tool.name] : [],
    ),
  );
}

/** Marks the calls of these tools in the history, and their results, as those of custom tools. */
export function markCustomCalls(prompt: Prompt, names: ReadonlySet<string>): Prompt {
  if (names.size === 0) return prompt;
  const calls = new Set<string>();
  const turns = prompt.turns.map(
    (turn): Turn => ({
      ...turn,
      parts: turn.parts.map((part) => {
        if (part.kind === 'tool-call' && names.has(part.name)) calls.add(part.id);
        const isCustom = (part.kind === 'tool-call' || part.kind === 'tool-result') && calls.has(part.id);
        return isCustom ? { ...part, custom: true } : part;
      }),
    }),
  );
  return { ...prompt, turns };
}

/** An event of an answer, in which a call of one of these tools is a function call. */
export function withFunctionCall(event: ReplyEvent, names: ReadonlySet<string>): ReplyEvent {
  return event.type === 'part-start' ? { ...event, part: asFunctionCall(event.part, names) } : event;
}

/** Turns the calls of these tools in a reply into function calls. */
export function replyWithFunctionCalls(reply: Reply, names: ReadonlySet<string>): Reply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) => asFunctionCall(part, names)),
    })),
  };
}

function asFunctionCall<P extends Part | OpenPart>(part: P, names: ReadonlySet<string>): P {
  return part.kind === 'tool-call' && names.has(part.name) ? { ...part, custom: false } : part;
}
