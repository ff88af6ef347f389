/**
 * What Cursor sends to chat-completions, and how it reads the answers. For models that it knows to support Responses it
 * writes a Responses request. For other models it writes tools and blocks of other formats into a chat-completions
 * request. It reads chat-completions chunks, and every call as a function call (seen in its requests by
 * router-for-me/CLIProxyAPI and icebear0828/codex-proxy#708).
 */

import type { FormatSpecific, Part, Prompt } from '../../conversation/prompt.ts';
import { chatCompletions } from '../../formats/chat-completions/index.ts';
import type { Inbound, ParseReport } from '../../formats/format.ts';
import { responses } from '../../formats/responses/index.ts';
import { asObject, asText, compact, isEmpty, isList, type JsonObject } from '../../lib/json.ts';
import {
  findFlatCustomTools,
  markCustomCalls,
  replyWithFunctionCalls,
  withFunctionCall,
} from './custom-tools.ts';
import { hasForeignShapes, toChatShapes } from './shapes.ts';

const { inbound: chat } = chatCompletions;

/** Whether a body sent to chat-completions has Cursor's shapes rather than the format's own. */
export function isCursorBody(body: JsonObject): boolean {
  return isResponsesBody(body) || findConversationId(body) !== undefined || hasForeignShapes(body);
}

/** The inbound half for such bodies. */
export const cursorInbound: Inbound = {
  ...chat,
  parseRequest(body, report) {
    // Cursor asks for no caching, but its conversations are long, and each request sends all of one.
    const keyed = { ...compact({ prompt_cache_key: findConversationId(body) }), ...body };
    const prompt = withoutCacheMarks(
      isResponsesBody(body)
        ? parseAsResponses(keyed, report)
        : chat.parseRequest(toChatShapes(keyed), report),
    );
    return markCustomCalls(prompt, findFlatCustomTools(prompt, body));
  },
  renderEvents(request) {
    const names = findFlatCustomTools(request.prompt, request.body);
    const renderer = chat.renderEvents(request);
    return {
      transform: (event, out) => renderer.transform(withFunctionCall(event, names), out),
      flush: (out) => renderer.flush?.(out),
      fail: (error, out) => renderer.fail(error, out),
      ping: (out) => renderer.ping?.(out),
    };
  },
  renderReply(reply, request) {
    const names = findFlatCustomTools(request.prompt, request.body);
    return chat.renderReply(replyWithFunctionCalls(reply, names), request);
  },
};

/** Whether a body is a Responses request: it has an `input`, and no `messages` or an empty list of them. */
export function isResponsesBody({ input, messages }: JsonObject): boolean {
  const isEmptyList = isList(messages) && messages.length === 0;
  return input !== undefined && (messages === undefined || isEmptyList);
}

/** The id that Cursor gives to a conversation; undefined if there is none. */
function findConversationId({ metadata }: JsonObject): string | undefined {
  return asText(asObject(metadata)?.['cursorConversationId']);
}

/** Parses a Responses request. As in chat-completions, its caller gets usage in the stream only on request. */
function parseAsResponses(body: JsonObject, report: ParseReport): Prompt {
  const { messages: _, stream_options, ...rest } = body;
  const { include_usage, ...options } = asObject(stream_options) ?? {};
  const prompt = responses.inbound.parseRequest(
    { ...rest, ...(!isEmpty(options) && { stream_options: options }) },
    report,
  );
  return include_usage === true ? { ...prompt, includeUsage: true } : prompt;
}

/**
 * Removes Anthropic's cache marks from the fields that a service gets unchanged, because the service may refuse them. The
 * neutral `cacheBreakpoint` stays, for vendors that have cache marks.
 */
function withoutCacheMarks(prompt: Prompt): Prompt {
  const { tools, turns } = prompt;
  return {
    ...prompt,
    ...(tools !== undefined && { tools: tools.map(withoutMark) }),
    turns: turns.map((turn) => withoutMark({ ...turn, parts: turn.parts.map(partWithoutMarks) })),
  };
}

function partWithoutMarks(part: Part): Part {
  return withoutMark(
    part.kind === 'tool-result' ? { ...part, content: part.content.map(withoutMark) } : part,
  );
}

function withoutMark<T extends object>(value: T & { readonly formatSpecific?: FormatSpecific }): T {
  if (value.formatSpecific?.roundTrip?.['cache_control'] === undefined) return value;
  const { cache_control: _, ...roundTrip } = value.formatSpecific.roundTrip;
  return { ...value, formatSpecific: { ...value.formatSpecific, roundTrip } };
}
