/**
 * What Cursor sends to chat-completions, and reads of it. For models that it knows to have responses it writes a request
 * of that format, for others tools and blocks of other formats in a request of this one; what it reads are chunks of
 * chat-completions, and each call in them as one of a function: a custom tool's with its text as the arguments, which it
 * sends back so (seen in its requests by those who serve it: router-for-me/CLIProxyAPI, icebear0828/codex-proxy#708).
 */

import type { FormatSpecific, Part, Prompt, Turn } from '../../conversation/prompt.ts';
import type { OpenPart, Reply, ReplyEvent } from '../../conversation/reply.ts';
import { customNames } from '../../conversation/rules/custom-tools.ts';
import { chatCompletions } from '../../formats/chat-completions/index.ts';
import type { Inbound, ParseReport } from '../../formats/format.ts';
import { responses } from '../../formats/responses/index.ts';
import { asObject, asObjects, asText, compact, isEmpty, isList, type JsonObject } from '../../lib/json.ts';
import { chatShaped, hasOtherShapes } from './shapes.ts';

const { inbound: chat } = chatCompletions;

/** Whether a body at chat-completions is written as Cursor writes it, and not as the format has it. */
export function isCursors(body: JsonObject): boolean {
  return isOfResponses(body) || conversationIn(body) !== undefined || hasOtherShapes(body);
}

export const cursorInbound: Inbound = {
  ...chat,
  parseRequest(body, report) {
    // It marks nothing to be cached; its dialogues are long, and each turn sends all of them.
    const keyed = { ...compact({ prompt_cache_key: conversationIn(body) }), ...body };
    const prompt = withoutOwnMarks(
      isOfResponses(body) ? parseAsResponses(keyed, report) : chat.parseRequest(chatShaped(keyed), report),
    );
    return withCustomHistory(prompt, flatCustoms(prompt, body));
  },
  renderEvents(asked) {
    const renderer = chat.renderEvents(asked);
    const names = flatCustoms(asked.prompt, asked.body);
    return { ...renderer, transform: (event, out) => renderer.transform(asFunctions(event, names), out) };
  },
  renderReply: (reply, asked) =>
    chat.renderReply(withFunctions(reply, flatCustoms(asked.prompt, asked.body)), asked),
};

/** The custom tools that are not written as this format has them: who writes them so reads their calls so. */
function flatCustoms({ tools }: Prompt, body: JsonObject): ReadonlySet<string> {
  const nested = new Set(asObjects(body['tools']).map(({ custom }) => asObject(custom)?.['name']));
  return new Set([...customNames(tools)].filter((name) => !nested.has(name)));
}

/** Whether it is a request of responses: one with an `input`, and no `messages` or none in them. */
export function isOfResponses({ input, messages }: JsonObject): boolean {
  const isEmptyList = isList(messages) && messages.length === 0;
  return input !== undefined && (messages === undefined || isEmptyList);
}

/** What it calls a dialogue. */
function conversationIn({ metadata }: JsonObject): string | undefined {
  return asText(asObject(metadata)?.['cursorConversationId']);
}

/** A request of responses, in which the caller asks for what only streams of chat-completions tell if asked. */
function parseAsResponses(body: JsonObject, report: ParseReport): Prompt {
  const { messages: _, stream_options, ...rest } = body;
  const { include_usage, ...options } = asObject(stream_options) ?? {};
  const prompt = responses.inbound.parseRequest(
    { ...rest, ...(!isEmpty(options) && { stream_options: options }) },
    report,
  );
  return include_usage === true ? { ...prompt, includeUsage: true } : prompt;
}

/** The prompt with its cache marks for whoever takes such: a service whose format has them as they are may take none. */
function withoutOwnMarks(prompt: Prompt): Prompt {
  const { tools, turns } = prompt;
  return {
    ...prompt,
    ...(tools !== undefined && { tools: tools.map(unmarked) }),
    turns: turns.map((turn) => unmarked({ ...turn, parts: turn.parts.map(unmarkedPart) })),
  };
}

function unmarkedPart(part: Part): Part {
  return unmarked(part.kind === 'tool-result' ? { ...part, content: part.content.map(unmarked) } : part);
}

function unmarked<T extends object>(value: T & { readonly formatSpecific?: FormatSpecific }): T {
  if (value.formatSpecific?.fields['cache_control'] === undefined) return value;
  const { cache_control: _, ...fields } = value.formatSpecific.fields;
  return { ...value, formatSpecific: { ...value.formatSpecific, fields } };
}

/** The prompt with calls of custom tools as such, and what came of them, which were answered as calls of functions. */
function withCustomHistory(prompt: Prompt, names: ReadonlySet<string>): Prompt {
  if (names.size === 0) return prompt;
  const calls = new Set<string>();
  const turns = prompt.turns.map(
    (turn): Turn => ({
      ...turn,
      parts: turn.parts.map((part) => {
        if (part.kind === 'tool-call' && names.has(part.name)) calls.add(part.id);
        const isCustoms = (part.kind === 'tool-call' || part.kind === 'tool-result') && calls.has(part.id);
        return isCustoms ? { ...part, custom: true } : part;
      }),
    }),
  );
  return { ...prompt, turns };
}

function asFunctions(event: ReplyEvent, names: ReadonlySet<string>): ReplyEvent {
  return event.type === 'part-start' ? { ...event, part: asFunction(event.part, names) } : event;
}

function asFunction<P extends Part | OpenPart>(part: P, names: ReadonlySet<string>): P {
  return part.kind === 'tool-call' && names.has(part.name) ? { ...part, custom: false } : part;
}

function withFunctions(reply: Reply, names: ReadonlySet<string>): Reply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => ({
      ...choice,
      parts: choice.parts.map((part) => asFunction(part, names)),
    })),
  };
}
