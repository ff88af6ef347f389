/**
 * A message of the answer: texts and refusals. Texts that follow each other are one, as OpenAI tells them: Claude begins a
 * new one with each thing that it cites, and OpenAI's Agents SDK takes the last one for the whole answer (`extract_last_text`
 * of its `ItemHelpers`), which then was a full stop.
 */

import type { Citation, Signature } from '../../../conversation/prompt.ts';
import type { PartStart, TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Foreign } from '../../foreign.ts';
import { renderTokens } from '../../openai/logprobs.ts';
import { renderAnnotation } from '../wire/citations.ts';
import { originOf } from '../wire/format-specific.ts';
import type { Item, Place, Teller } from './output-item.ts';

/** A content part that is being written. */
interface Content {
  delta(text: string): void;
  pause(): void;
  cite(citation: Citation): void;
  logprobs(tokens: readonly TokenLogprob[]): void;
  /** What it says of has ended, though another text may go on with it. */
  rest(): void;
  /** The part as it is now. */
  whole(): JsonObject;
  /** Says its end and gives the part. */
  end(): JsonObject;
}

export interface MessageOptions {
  /** Whether log probabilities were asked for. */
  readonly scored: boolean;
  /** Where citations go that are no annotations. */
  readonly foreign: Foreign;
}

export function messageItem(
  { id, index }: Place,
  first: PartStart,
  tell: Teller,
  options: MessageOptions,
): Item {
  const { at, item = {} } = originOf(first.formatSpecific);
  const content: JsonObject[] = [];
  let open: Content | undefined;
  /** Whether the open one is a text that has ended, with which another may go on. */
  let isResting = false;
  let signature: Signature | undefined;
  let last = first;

  const close = (): void => {
    if (open) content.push(open.end());
    open = undefined;
    isResting = false;
  };

  return {
    close,
    takes: ({ part, formatSpecific: own }) =>
      (part.kind === 'text' || part.kind === 'refusal') && signature === undefined && originOf(own).at === at,
    start(start) {
      const goesOn = isResting && canGoOn(start);
      isResting = false;
      if (goesOn) {
        signature = start.signature;
        return;
      }
      close();
      const place = { item_id: id, output_index: index, content_index: content.length };
      const { part = {} } = originOf(start.formatSpecific);
      signature = start.signature;
      open =
        start.part.kind === 'refusal' ? refusal(place, part, tell) : outputText(place, part, tell, options);
      last = start;
    },
    delta: (text) => open?.delta(text),
    detail(detail) {
      signature = detail.signature ?? signature;
      if (detail.citation) open?.cite(detail.citation);
    },
    logprobs: (tokens) => open?.logprobs(tokens),
    end() {
      if (!canGoOn(last)) return close();
      open?.rest();
      isResting = open !== undefined;
    },
    value: (status, phase) => ({
      ...item,
      id,
      type: 'message',
      status,
      content: open && isResting ? [...content, open.whole()] : [...content],
      role: 'assistant',
      // The vendor's own item says what there is to say.
      ...(phase && first.formatSpecific?.format !== 'responses' && { phase }),
    }),
    pause() {
      open?.pause();
      return open !== undefined;
    },
    unplaced: () => signature,
  };
}

/** Whether a text may be one with that before it, or behind it: what came in this format goes out as it was. */
function canGoOn({ part, formatSpecific: own }: PartStart): boolean {
  return part.kind === 'text' && own?.format !== 'responses';
}

function refusal(place: JsonObject, own: JsonObject, tell: Teller): Content {
  const whole = (text: string): JsonObject => ({ ...own, type: 'refusal', refusal: text });
  tell.say('response.content_part.added', { ...place, part: whole('') });
  const speak = tell.deltas('response.refusal.delta', place);
  let text = '';
  return {
    delta(piece) {
      text += piece;
      speak(piece);
    },
    pause: () => speak(''),
    cite() {},
    logprobs() {},
    rest() {},
    whole: () => whole(text),
    end() {
      tell.say('response.refusal.done', { ...place, refusal: text });
      tell.say('response.content_part.done', { ...place, part: whole(text) });
      return whole(text);
    },
  };
}

function outputText(
  place: JsonObject,
  own: JsonObject,
  tell: Teller,
  { scored, foreign }: MessageOptions,
): Content {
  const annotations: JsonObject[] = [];
  const logprobs: JsonObject[] = [];
  /** Citations about the whole of a text whose length is not known yet. */
  const late: Citation[] = [];
  /** With log probabilities: a piece whose tokens may come next, or tokens whose piece may. */
  let heldText: string | undefined;
  let heldTokens: JsonObject[] = [];
  let text = '';
  /** Where the text begins that citations are about. */
  let from = 0;

  const whole = (): JsonObject => ({
    ...own,
    type: 'output_text',
    annotations,
    logprobs,
    text,
  });
  tell.say('response.content_part.added', { ...place, part: whole() });
  const speak = tell.deltas('response.output_text.delta', { ...place, logprobs: [] });

  const speakScored = (piece: string): void => {
    if (heldTokens.length === 0) {
      speak(piece);
      return;
    }
    tell.say('response.output_text.delta', { ...place, delta: piece, logprobs: heldTokens });
    heldTokens = [];
  };
  const release = (): void => {
    if (heldText !== undefined) speakScored(heldText);
    heldText = undefined;
  };
  const annotate = (citation: Citation): void => {
    const annotation = renderAnnotation(citation, from, text.length);
    if (annotation === undefined) {
      foreign.cite(citation);
      return;
    }
    release();
    const annotation_index = annotations.length;
    tell.say('response.output_text.annotation.added', { ...place, annotation_index, annotation });
    annotations.push(annotation);
  };

  const rest = (): void => {
    release();
    for (const citation of late.splice(0)) annotate(citation);
    from = text.length;
  };

  return {
    delta(piece) {
      text += piece;
      if (!scored) return speak(piece);
      release();
      if (heldTokens.length > 0) speakScored(piece);
      else heldText = piece;
    },
    pause: () => speak(''),
    cite(citation) {
      const isPlaced = citation.formatSpecific?.format === 'responses' || citation.end !== undefined;
      if (isPlaced) annotate(citation);
      else late.push(citation);
    },
    logprobs(tokens) {
      for (const rendered of renderTokens(tokens, false)) {
        logprobs.push(rendered);
        heldTokens.push(rendered);
      }
      release();
    },
    rest,
    whole,
    end() {
      rest();
      tell.say('response.output_text.done', { ...place, text, logprobs });
      tell.say('response.content_part.done', { ...place, part: whole() });
      return whole();
    },
  };
}
