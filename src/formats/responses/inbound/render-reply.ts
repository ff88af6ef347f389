/**
 * Renders a whole reply as a response. The same code that ends a stream of the answer makes it, from the events that the
 * reply consists of, so both are the same object.
 */

import type { Part } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, Reply, ReplyEvent, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import type { EventWriter } from './output-item.ts';
import { responseWriter } from './response-writer.ts';

const NO_EVENTS: EventWriter = { write() {}, writeEach() {}, deltas: () => () => {} };

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, request: RequestContext): JsonObject {
  const response = responseWriter(request, NO_EVENTS);
  for (const event of replay(reply)) response.add(event);
  return response.render();
}

/** Yields the events of the first answer of a reply, with one delta for each part. */
function* replay({ start, choices, usage }: Reply): Generator<ReplyEvent> {
  yield { type: 'reply-start', ...start };
  const [choice] = choices;
  if (choice) yield* replayChoice(choice);
  yield { type: 'usage', usage };
  yield { type: 'reply-end' };
}

function* replayChoice({ parts, end, logprobs = [] }: Choice): Generator<ReplyEvent> {
  let usedTokens = 0;
  for (const [index, part] of parts.entries()) {
    const open = toOpenPart(part);
    if (!open) continue;
    const at = { choice: 0, index };
    const { signature, formatSpecific } = part;
    yield {
      type: 'part-start',
      ...at,
      part: open,
      ...(signature && { signature }),
      ...(formatSpecific && { formatSpecific }),
    };
    const text = getText(part);
    if (text !== '') yield { type: 'part-delta', ...at, text };
    if (part.kind === 'thinking' && part.redacted)
      yield { type: 'part-detail', ...at, redacted: part.redacted };
    if (part.kind === 'text') {
      const tokens = findTokens(text, logprobs, usedTokens);
      usedTokens += tokens.length;
      if (tokens.length > 0) yield { type: 'logprobs', choice: 0, tokens };
      for (const citation of part.citations ?? []) yield { type: 'part-detail', ...at, citation };
    }
    yield { type: 'part-end', ...at };
  }
  yield { type: 'choice-end', choice: 0, ...end };
}

/** Finds the tokens of `text` from `from` on: log probabilities are one list for all texts of an answer. */
function findTokens(text: string, tokens: readonly TokenLogprob[], from: number): readonly TokenLogprob[] {
  let length = 0;
  let to = from;
  while (length < text.length && to < tokens.length) {
    length += tokens[to]?.token.length ?? 0;
    to += 1;
  }
  return tokens.slice(from, to);
}

function toOpenPart(part: Part): OpenPart | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return { kind: part.kind };
    case 'tool-call':
      return { kind: part.kind, id: part.id, name: part.name, ...(part.custom && { custom: true }) };
    case 'opaque':
      return { kind: part.kind, format: part.format, value: part.value };
    case 'media':
    case 'tool-result':
      return undefined;
  }
}

function getText(part: Part): string {
  if (part.kind === 'text' || part.kind === 'thinking' || part.kind === 'refusal') return part.text;
  return part.kind === 'tool-call' ? part.arguments : '';
}
