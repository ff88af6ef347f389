/**
 * Renders a whole reply as a response. The same code that ends a stream of the answer makes it, from the events that the
 * reply consists of, so both are the same object.
 */

import type { TextPart } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, Reply, ReplyPart, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import type { Deltas, EventWriter } from './output-item.ts';
import { ResponseWriter } from './response-writer.ts';

const NO_DELTAS: Deltas = { type: '', head: '' };
const NO_EVENTS: EventWriter = { write() {}, writeResponse() {}, deltas: () => NO_DELTAS, writeDelta() {} };

/** @see Inbound.renderReply */
export function renderReply({ start, choices, usage }: Reply, request: RequestContext): JsonObject {
  const response = new ResponseWriter(request, NO_EVENTS);
  response.add(start);
  const [choice] = choices;
  if (choice) replay(choice, response);
  response.add({ type: 'usage', usage });
  return response.render().object();
}

function replay({ parts, end, logprobs = [] }: Choice, response: ResponseWriter): void {
  let usedTokens = 0;
  for (const [index, part] of parts.entries()) {
    const { signature, formatSpecific } = part;
    response.add({
      type: 'part-start',
      choice: 0,
      index,
      part: toOpenPart(part),
      ...(signature && { signature }),
      ...(formatSpecific && { formatSpecific }),
    });
    const text = getText(part);
    if (text !== '') response.add({ type: 'part-delta', choice: 0, index, text });
    if (part.kind === 'thinking' && part.redacted)
      response.add({ type: 'part-detail', choice: 0, index, redacted: part.redacted });
    if (part.kind === 'text') {
      const tokens = findTokens(text, logprobs, usedTokens);
      usedTokens += tokens.length;
      addTextDetails(part, index, tokens, response);
    }
    response.add({ type: 'part-end', choice: 0, index });
  }
  response.add({ type: 'choice-end', choice: 0, ...end });
}

function addTextDetails(
  { citations = [] }: TextPart,
  index: number,
  tokens: readonly TokenLogprob[],
  response: ResponseWriter,
): void {
  if (tokens.length > 0) response.add({ type: 'logprobs', choice: 0, tokens });
  for (const citation of citations) response.add({ type: 'part-detail', choice: 0, index, citation });
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

function toOpenPart(part: ReplyPart): OpenPart {
  if (part.kind === 'opaque') return part;
  if (part.kind !== 'tool-call') return { kind: part.kind };
  const { kind, id, name, custom } = part;
  return { kind, id, name, ...(custom && { custom }) };
}

function getText(part: ReplyPart): string {
  if (part.kind === 'text' || part.kind === 'thinking' || part.kind === 'refusal') return part.text;
  return part.kind === 'tool-call' ? part.arguments : '';
}
