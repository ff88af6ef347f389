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
  type Encode,
  type KeepAlive,
  type TranslatedBody,
  type TranslateOptions,
  translateBody,
} from '../streams/translate-body.ts';
import { type AnswerTranslation, answerEvents } from './answer-events.ts';
import type { ReportLate } from './watch-end.ts';

export interface TranslatedBodyOptions {
  /** Makes the step from the vendor's bytes to events. @param pieces of the parser, if it takes any. */
  readonly decode: (pieces: Pieces | undefined) => Step<Uint8Array, Sse>;
  readonly framing: Framing;
  /** Stands between parser and renderer, if given. */
  readonly between?: Step<ReplyEvent, ReplyEvent>;
  /** Watches what the caller gets, if given. It passes all events on. */
  readonly watch?: Step<Sse, Sse> | undefined;
  readonly failures: Failures;
  /** As in `TranslateOptions`. */
  readonly encode?: Encode;
  /** Milliseconds of silence after which a keep-alive is sent. Absent: never. */
  readonly keepAlive?: number;
}

/** What becomes of a failure after the head of the answer. */
export interface Failures {
  /** Says it: by `render`, as the last event of the stream. */
  readonly report: ReportLate;
  /** Called once with what the body fails by, as soon as that is known. */
  onUpstreamError?(error: GatewayError): void;
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
  const { decode, framing, between, watch, failures } = options;
  const renderer = translation.inbound.renderEvents(translation.asked);
  const { parser, step } = answerEvents(translation);
  const written = watch === undefined ? framing : fuse(watch, framing);
  const course = new TranslationProgress({ parser, renderer, framing, written, failures }, options);
  const followed = fuse(step, course);
  const rendered = fuse(between === undefined ? followed : fuse(followed, between), renderer);
  return translateBody(source, fuse(fuse(decode(parser.pieces), rendered), written), course);
}

/** What `TranslationProgress` asks in its turn. */
interface TranslationSteps {
  readonly parser: EventParser;
  readonly renderer: EventRenderer;
  readonly framing: Framing;
  /** The framing, behind what watches the events. */
  readonly written: Step<Sse, string>;
  readonly failures: Failures;
}

/** The course of one body: the step that follows it, and what the stream asks of it. */
class TranslationProgress implements Step<ReplyEvent, ReplyEvent>, TranslateOptions, KeepAlive {
  readonly encode: Encode | undefined;
  /** Of a keep-alive; 0 if none is to be sent. */
  readonly milliseconds: number;
  readonly #passed: TranslationSteps;
  #hasSaid = false;
  #isOver = false;

  constructor(
    passed: TranslationSteps,
    { encode, keepAlive = 0 }: Pick<TranslatedBodyOptions, 'encode' | 'keepAlive'>,
  ) {
    this.#passed = passed;
    this.encode = encode;
    this.milliseconds = keepAlive;
  }

  get keepAlive(): KeepAlive | undefined {
    return this.milliseconds > 0 ? this : undefined;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    out.enqueue(event);
    this.#hasSaid ||= event.type !== 'reply-start' && event.type !== 'usage';
    if (event.type === 'reply-end') this.#isOver = true;
  }

  fail(error: GatewayError, out: Sink<string>): void {
    const { failures, framing, renderer } = this.#passed;
    failures.report(error, (late, events) => renderer.fail(late, events), {
      enqueue: (event) => framing.transform(event, out),
    });
    framing.flush?.(out);
  }

  failed(error: GatewayError): void {
    this.#passed.failures.onUpstreamError?.(error);
  }

  end(): boolean {
    return this.#isOver;
  }

  mayEnd(): boolean {
    return this.#passed.parser.mayEnd?.() === true;
  }

  endHere(): void {
    this.#passed.parser.endHere?.();
  }

  isHolding(): boolean {
    return !this.#hasSaid;
  }

  /** The format's own keep-alive, which is part of its stream like any other event, or the framing's. */
  text(): string {
    const { renderer, written, framing } = this.#passed;
    const said: string[] = [];
    const out = { enqueue: (text: string) => void said.push(text) };
    renderer.ping?.({ enqueue: (event) => written.transform(event, out) });
    return said.join('') || framing.ping();
  }
}
