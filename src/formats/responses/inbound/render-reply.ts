/**
 * A whole reply as a response: the very object that ends a stream of the same answer, made in the same place of the
 * events that make the reply.
 */

import type { Part } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, Reply, ReplyEvent, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import type { Teller } from './output-item.ts';
import { answerWriter } from './response-writer.ts';

const UNHEARD: Teller = { say() {}, sayEach() {}, deltas: () => () => {} };

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, asked: RequestContext): JsonObject {
  const answer = answerWriter(asked, UNHEARD);
  for (const event of replay(reply)) answer.add(event);
  return answer.ended();
}

/** The events of the first answer of a reply: one delta a part. */
function* replay({ start, choices, usage }: Reply): Generator<ReplyEvent> {
  yield { type: 'reply-start', ...start };
  const [choice] = choices;
  if (choice) yield* replayChoice(choice);
  yield { type: 'usage', usage };
  yield { type: 'reply-end' };
}

function* replayChoice({ parts, end, logprobs = [] }: Choice): Generator<ReplyEvent> {
  let scored = 0;
  for (const [index, part] of parts.entries()) {
    const open = openPart(part);
    if (!open) continue;
    const at = { choice: 0, index };
    const { signature, formatSpecific: own } = part;
    yield {
      type: 'part-start',
      ...at,
      part: open,
      ...(signature && { signature }),
      ...(own && { formatSpecific: own }),
    };
    const text = textOf(part);
    if (text !== '') yield { type: 'part-delta', ...at, text };
    if (part.kind === 'thinking' && part.redacted)
      yield { type: 'part-detail', ...at, redacted: part.redacted };
    if (part.kind === 'text') {
      const tokens = tokensOf(text, logprobs, scored);
      scored += tokens.length;
      if (tokens.length > 0) yield { type: 'logprobs', choice: 0, tokens };
      for (const citation of part.citations ?? []) yield { type: 'part-detail', ...at, citation };
    }
    yield { type: 'part-end', ...at };
  }
  yield { type: 'choice-end', choice: 0, ...end };
}

/** The tokens from `from` on that `text` is made of: log probabilities are listed for all texts of an answer. */
function tokensOf(text: string, tokens: readonly TokenLogprob[], from: number): readonly TokenLogprob[] {
  let length = 0;
  let to = from;
  while (length < text.length && to < tokens.length) {
    length += tokens[to]?.token.length ?? 0;
    to += 1;
  }
  return tokens.slice(from, to);
}

function openPart(part: Part): OpenPart | undefined {
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

function textOf(part: Part): string {
  if (part.kind === 'text' || part.kind === 'thinking' || part.kind === 'refusal') return part.text;
  return part.kind === 'tool-call' ? part.arguments : '';
}
