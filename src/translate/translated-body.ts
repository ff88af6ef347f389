/** The body of a translated stream: the vendor's bytes parsed, rendered for the caller and framed, in one stream. */

import type { ReplyEvent } from '../conversation/reply.ts';
import type { EventParser, EventRenderer } from '../formats/format.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { Framing } from '../streams/framing.ts';
import type { PushBody } from '../streams/push-body.ts';
import type { Pieces } from '../streams/repeated-events.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, type Sink, type Step } from '../streams/step.ts';
import {
  type KeepAlive,
  type TranslatedBody,
  type TranslateOptions,
  translateBody,
} from '../streams/translate-body.ts';
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
  source: PushBody,
  translation: AnswerTranslation,
  options: TranslatedBodyOptions,
): TranslatedBody {
  const { decode, framing, between, watch } = options;
  const renderer = translation.inbound.renderEvents(translation.asked);
  const { parser, step } = answerEvents(translation);
  const written = watch === undefined ? framing : fuse(watch, framing);
  const course = new Course(parser, renderer, written, options);
  const followed = fuse(step, course);
  const rendered = fuse(between === undefined ? followed : fuse(followed, between), renderer);
  return translateBody(source, fuse(fuse(decode(parser.pieces), rendered), written), course);
}

/** The course of one body: the step that follows it, and what the stream asks of it. */
class Course implements Step<ReplyEvent, ReplyEvent>, TranslateOptions {
  readonly keepAlive: KeepAlive | undefined;
  readonly #parser: EventParser;
  readonly #renderer: EventRenderer;
  readonly #written: Step<Sse, string>;
  readonly #options: TranslatedBodyOptions;
  #hasSaid = false;
  #isOver = false;

  constructor(
    parser: EventParser,
    renderer: EventRenderer,
    written: Step<Sse, string>,
    options: TranslatedBodyOptions,
  ) {
    this.#parser = parser;
    this.#renderer = renderer;
    this.#written = written;
    this.#options = options;
    const milliseconds = options.keepAlive;
    if (milliseconds !== undefined) this.keepAlive = { text: () => this.#signOfLife(), milliseconds };
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    out.enqueue(event);
    this.#hasSaid ||= event.type !== 'reply-start' && event.type !== 'usage';
    if (event.type === 'reply-end') this.#isOver = true;
  }

  fail(error: GatewayError, out: Sink<string>): void {
    const { fail, framing } = this.#options;
    const renderer = this.#renderer;
    fail(error, (late, events) => renderer.fail(late, events), {
      enqueue: (event) => framing.transform(event, out),
    });
    framing.flush?.(out);
  }

  failed(error: GatewayError): void {
    this.#options.failed?.(error);
  }

  over(): boolean {
    return this.#isOver;
  }

  mayBeOver(): boolean {
    return this.#parser.mayBeOver?.() === true;
  }

  holds(): boolean {
    return !this.#hasSaid;
  }

  /** The format's own keep-alive, which is part of its stream like any other event, or the framing's. */
  #signOfLife(): string {
    const said: string[] = [];
    const out = { enqueue: (text: string) => void said.push(text) };
    this.#renderer.ping?.({ enqueue: (event) => this.#written.transform(event, out) });
    return said.join('') || this.#options.framing.ping();
  }
}
