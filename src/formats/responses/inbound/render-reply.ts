/**
 * Renders a whole reply as a response. The same code that ends a stream of the answer makes it, from the events that the
 * reply consists of, so both are the same object.
 */

import type { TextPart } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, Reply, ReplyPart, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { utf8Length } from '../../../lib/utf8.ts';
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
  const lastText = parts.findLastIndex(({ kind }) => kind === 'text');
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
      const to = index === lastText ? logprobs.length : findTokensEnd(text, logprobs, usedTokens);
      const tokens = logprobs.slice(usedTokens, to);
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

/**
 * Finds where the tokens of `text` end, which begin at `from`: log probabilities are one list for all texts of an answer.
 * A token that is a part of a character has a name that stands for it (`\xf0\x9f`), so that its bytes are what counts.
 */
function findTokensEnd(text: string, tokens: readonly TokenLogprob[], from: number): number {
  if (from === tokens.length) return from;
  let rest = utf8Length(text);
  let end = from;
  for (; rest > 0 && end < tokens.length; end += 1) {
    const { token = '', bytes } = tokens[end] ?? {};
    rest -= bytes?.length ?? utf8Length(token);
  }
  return end;
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
