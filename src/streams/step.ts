/**
 * A Step is a Transformer (WHATWG Streams, 6.3) without its stream: synchronous, one object for the pipeline, for a
 * test (an array as sink) and for a bench (a counter as sink). `new TransformStream(step)` works as it stands.
 */

import type { GatewayError } from '../lib/errors.ts';

/** Where a step puts what it makes; a TransformStreamDefaultController is one. */
export interface Sink<T> {
  enqueue(chunk: T): void;
}

export interface Step<I, O> {
  transform(chunk: I, out: Sink<O>): void;
  /** The input is over: say what is still to be said. Throws where the input should not have ended here. */
  flush?(out: Sink<O>): void;
}

/** A step over the bytes of a body, which may have the last word where the body breaks off. */
export interface BodyStep extends Step<Uint8Array, Uint8Array> {
  /** Says the failure as the body's last bytes; the body then ends. Without it, the body fails by the error. */
  fail?(error: GatewayError, out: Sink<Uint8Array>): void;
}

/** Two steps as one: what the first makes goes into the second in the same call, with no stream between. */
export function fuse<A, B, C>(first: Step<A, B>, second: Step<B, C>): Step<A, C> {
  let target: Sink<C> | undefined;
  const between: Sink<B> = {
    enqueue(chunk) {
      if (target) second.transform(chunk, target);
    },
  };
  return {
    transform(chunk, out) {
      target = out;
      first.transform(chunk, between);
    },
    flush(out) {
      target = out;
      first.flush?.(between);
      second.flush?.(out);
    },
  };
}

/** A body's step with another one behind it: what the first says of a failure goes through the second, then that ends. */
export function fuseBody(first: BodyStep, second: Step<Uint8Array, Uint8Array>): BodyStep {
  const fused = fuse(first, second);
  const { fail } = first;
  if (fail === undefined) return fused;
  return {
    ...fused,
    fail(error, out) {
      fail(error, { enqueue: (chunk) => second.transform(chunk, out) });
      second.flush?.(out);
    },
  };
}

/** All that a step makes of an input, as a list: for whole answers, tests and benches. */
export function run<I, O>(step: Step<I, O>, input: Iterable<I>): O[] {
  const made: O[] = [];
  const sink: Sink<O> = { enqueue: (chunk) => made.push(chunk) };
  for (const chunk of input) step.transform(chunk, sink);
  step.flush?.(sink);
  return made;
}
