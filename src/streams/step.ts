/**
 * A Step is a Transformer (WHATWG Streams, 6.3) without its stream. It is synchronous, and the same object serves the
 * pipeline, a test (with an array as sink) and a benchmark (with a counter as sink). `new TransformStream(step)` works
 * as it stands.
 */

import type { GatewayError } from '../lib/errors.ts';

/** Where a step puts its output; a TransformStreamDefaultController is one. */
export interface Sink<T> {
  enqueue(chunk: T): void;
}

export interface Step<I, O> {
  transform(chunk: I, out: Sink<O>): void;
  /** The input is over: writes the rest of the output. Throws if the input should not have ended here. */
  flush?(out: Sink<O>): void;
}

/** A step over the bytes of a body, which may add last bytes if the body breaks off. */
export interface BodyStep extends Step<Uint8Array, Uint8Array> {
  /**
   * Writes the failure as the body's last bytes; the body then ends. Without this method the body fails with the error.
   */
  fail?(error: GatewayError, out: Sink<Uint8Array>): void;
}

/** Joins two steps: the output of the first goes into the second in the same call, with no stream between. */
export function fuse<A, B, C>(first: Step<A, B>, second: Step<B, C>): Step<A, C> {
  return new Fused(first, second);
}

/** Two joined steps, and the sink between them. It is one object because a translated stream has ten such joints. */
class Fused<A, B, C> implements Step<A, C>, Sink<B> {
  readonly #first: Step<A, B>;
  readonly #second: Step<B, C>;
  #target: Sink<C> | undefined;

  constructor(first: Step<A, B>, second: Step<B, C>) {
    this.#first = first;
    this.#second = second;
  }

  transform(chunk: A, out: Sink<C>): void {
    this.#target = out;
    this.#first.transform(chunk, this);
  }

  enqueue(chunk: B): void {
    if (this.#target) this.#second.transform(chunk, this.#target);
  }

  flush(out: Sink<C>): void {
    this.#target = out;
    this.#first.flush?.(this);
    this.#second.flush?.(out);
  }
}

/** Runs a step over a whole input. @returns all of its output, for non-streaming answers, tests and benchmarks. */
export function run<I, O>(step: Step<I, O>, input: Iterable<I>): O[] {
  const made: O[] = [];
  const sink: Sink<O> = { enqueue: (chunk) => made.push(chunk) };
  for (const chunk of input) step.transform(chunk, sink);
  step.flush?.(sink);
  return made;
}
