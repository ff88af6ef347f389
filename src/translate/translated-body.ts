/** The body of a translated stream: the vendor's bytes parsed, rendered for the caller and framed, in one stream. */

import type { ReplyEvent } from '../conversation/reply.ts';
import type { EventRenderer } from '../formats/format.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { Framing } from '../streams/framing.ts';
import type { Pieces } from '../streams/repeated-events.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, type Sink, type Step } from '../streams/step.ts';
import { type TranslatedBody, translateBody } from '../streams/translate-body.ts';
import { type AnswerTranslation, answerEvents } from './answer-events.ts';

export interface TranslatedBodyOptions {
  /** Makes the step from the vendor's bytes to events. @param pieces of the parser, if it takes any. */
  readonly decode: (pieces: Pieces | undefined) => Step<Uint8Array, Sse>;
  readonly framing: Framing;
  /** Stands between parser and renderer, if given. */
  readonly between?: Step<ReplyEvent, ReplyEvent>;
  /** Watches what the caller gets, if given. It passes all events on. */
  readonly watch?: Step<Sse, Sse> | undefined;
  /** Says a late error: by `render`, as the last event of the stream. */
  readonly fail: (error: GatewayError, render: EventRenderer['fail'], out: Sink<Sse>) => void;
  /** Called once with what the body fails by, as soon as that is known. */
  readonly failed?: (error: GatewayError) => void;
  /** Milliseconds of silence after which a keep-alive is sent. Absent: never. */
  readonly keepAlive?: number;
}

/**
 * Makes the body.
 * @param source the vendor's bytes. The body owns them from here on, and cancels them when the consumer cancels.
 */
export function translatedBody(
  source: ReadableStream<Uint8Array>,
  translation: AnswerTranslation,
  { decode, framing, between, watch, fail, failed, keepAlive }: TranslatedBodyOptions,
): TranslatedBody {
  const renderer = translation.inbound.renderEvents(translation.asked);
  let said = false;
  let over = false;
  const follow: Step<ReplyEvent, ReplyEvent> = {
    transform(event, out) {
      out.enqueue(event);
      said ||= event.type !== 'reply-start' && event.type !== 'usage';
      if (event.type === 'reply-end') over = true;
    },
  };
  const parser = answerEvents(translation);
  const followed = fuse(parser, follow);
  const rendered = fuse(between === undefined ? followed : fuse(followed, between), renderer);
  const written = watch === undefined ? framing : fuse(watch, framing);
  return translateBody(source, fuse(fuse(decode(parser.pieces), rendered), written), {
    fail(error, out) {
      fail(error, renderer.fail, { enqueue: (event) => framing.transform(event, out) });
      framing.flush?.(out);
    },
    ...(failed && { failed }),
    over: () => over,
    mayBeOver: parser.mayBeOver,
    holds: () => !said,
    ...(keepAlive !== undefined && {
      keepAlive: { text: () => signOfLife(renderer, written) || framing.ping(), milliseconds: keepAlive },
    }),
  });
}

/** The format's own keep-alive, which is part of its stream like any other event; '' if the format has none. */
function signOfLife(renderer: EventRenderer, written: Step<Sse, string>): string {
  const said: string[] = [];
  const out = { enqueue: (text: string) => void said.push(text) };
  renderer.ping?.({ enqueue: (event) => written.transform(event, out) });
  return said.join('');
}
