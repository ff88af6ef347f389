/** Builders of chunks and bodies for tests, and readers of the events and chunks that they become. */

import { collect } from '../../../src/conversation/collect.ts';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import type { Reply, ReplyEvent } from '../../../src/conversation/reply.ts';
import { renderEvents } from '../../../src/formats/chat-completions/inbound/render-events.ts';
import { parseEvents } from '../../../src/formats/chat-completions/outbound/parse-events.ts';
import type { RequestContext } from '../../../src/formats/format.ts';
import { asList, asObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { validator } from '../../../src/protocol/validate.ts';
import type { Sse } from '../../../src/streams/sse.ts';
import { run } from '../../../src/streams/step.ts';
import { modelOf } from '../../support/model-traits.ts';

export const PROMPT: Prompt & PromptOutline = { model: 'a-model', turns: [], calls: [], stream: true };

export const ASKED: RequestContext = {
  prompt: { ...PROMPT, includeUsage: true },
  body: {},
  id: 'abc123',
  created: 1_700_000_000,
};

export const TARGET = modelOf();

export const DONE: Sse = { data: '[DONE]' };

export const HEAD = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'm',
} as const;

/** A chunk with one choice. */
export function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): Sse {
  return raw({ ...HEAD, choices: [{ index: 0, delta, finish_reason: finish, ...more }] });
}

export function raw(body: JsonObject): Sse {
  return { data: JSON.stringify(body) };
}

/** A chunk with pieces of calls. */
export function pieces(...toolCalls: JsonObject[]): Sse {
  return chunk({ tool_calls: toolCalls });
}

/** A whole body with one choice. */
export function whole(message: JsonObject, finish = 'stop', more: JsonObject = {}): Sse {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
  return raw({ ...HEAD, object: 'chat.completion', choices, ...more });
}

export function parsed(events: readonly Sse[], prompt = PROMPT, target = TARGET): ReplyEvent[] {
  return run(parseEvents(prompt, target), events);
}

export function replyOf(...events: Sse[]): Reply {
  return collect(parsed(events));
}

/** The parts of the first choice. */
export function partsOf(...events: Sse[]): Reply['choices'][number]['parts'] {
  return replyOf(...events).choices[0]?.parts ?? [];
}

/** The events of a parser before the end of the stream: nothing is flushed. */
export function soFar(...events: Sse[]): ReplyEvent[] {
  const made: ReplyEvent[] = [];
  const step = parseEvents(PROMPT, TARGET);
  for (const event of events) step.transform(event, { enqueue: (one) => made.push(one) });
  return made;
}

export function rendered(events: readonly ReplyEvent[], asked = ASKED): Sse[] {
  return run(renderEvents(asked), events);
}

/** The chunks of rendered events, without [DONE]. */
export function chunksOf(events: readonly Sse[]): JsonObject[] {
  return events.filter(({ data }) => data !== '[DONE]').map(({ data }) => asObject(parseJson(data)) ?? {});
}

/** The deltas of one choice. */
export function deltasOf(events: readonly Sse[], index = 0): JsonObject[] {
  return chunksOf(events)
    .flatMap((body) => asList(body['choices']))
    .map((choice) => asObject(choice) ?? {})
    .filter((choice) => choice['index'] === index)
    .map((choice) => asObject(choice['delta']) ?? {});
}

/** What the format's validator finds wrong with a stream. */
export function violations(events: readonly Sse[], usageAsked?: boolean) {
  const judge = validator('chat-completions', usageAsked === undefined ? {} : { usageAsked });
  for (const event of events) judge.add(event);
  return judge.end();
}

/**
 * Checks the order that renderers rely on: numbered parts, one at a time, no empty piece. Only a citation may come when
 * its part has ended.
 */
export function isOrdered(events: readonly ReplyEvent[]): boolean {
  const open = new Map<number, number>();
  const next = new Map<number, number>();
  const ended = new Set<number>();

  const isInPlace = (event: ReplyEvent, at: number): boolean => {
    switch (event.type) {
      case 'reply-start':
        return at === 0;
      case 'reply-end':
        return at === events.length - 1 && open.size === 0;
      case 'usage':
        return true;
      case 'part-start': {
        const isNext = !open.has(event.choice) && event.index === (next.get(event.choice) ?? 0);
        open.set(event.choice, event.index);
        next.set(event.choice, event.index + 1);
        return isNext && !ended.has(event.choice);
      }
      case 'part-delta':
        return open.get(event.choice) === event.index && event.text !== '';
      case 'part-detail': {
        const isLate = event.citation !== undefined && event.index < (next.get(event.choice) ?? 0);
        return open.get(event.choice) === event.index || (isLate && !ended.has(event.choice));
      }
      case 'part-end': {
        const isOpen = open.get(event.choice) === event.index;
        open.delete(event.choice);
        return isOpen;
      }
      case 'logprobs':
        return !ended.has(event.choice);
      case 'choice-end':
        ended.add(event.choice);
        return !open.has(event.choice);
    }
  };

  return events.every((event, at) => isInPlace(event, at));
}
