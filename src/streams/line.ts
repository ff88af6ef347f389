/**
 * A line of stages. Written as a chain of TransformStreams; run fused into one of them unless told otherwise, since
 * each stream of its own costs an exchange more than most stages do (`bench/pipeline`).
 *
 * Stages are joined by function types, not by `pipeThrough`: stream methods are compared bivariantly, so stages in
 * a wrong order would compile; `to` takes only a stage that takes what the one before it gives.
 */

/** One stage: takes what is known of an exchange so far, gives what is known after it. */
export type Stage<T, U> = (value: T) => U | Promise<U>;

export interface Line<T> {
  /** The line with one more stage at its end. */
  to<U>(stage: Stage<T, U>): Line<U>;
  /** Runs the line and gives the one value at its end. @throws what a stage throws. */
  only(): Promise<T>;
}

/** A stage as the TransformStream it stands for. */
export function stage<T, U>(run: Stage<T, U>): TransformStream<T, U> {
  return new TransformStream<T, U>({
    async transform(value, controller) {
      controller.enqueue(await run(value));
    },
  });
}

/** How a line runs: `fused` in one stream, `chained` with a stream for each stage. */
export type LineMode = 'fused' | 'chained';

/** A line that starts with one value. */
export function line<T>(value: T, mode: LineMode = 'fused'): Line<T> {
  return mode === 'fused' ? fused(value, (start) => start) : chained(ReadableStream.from([value]));
}

function fused<S, T>(start: S, run: Stage<S, T>): Line<T> {
  return {
    to: (next) =>
      fused(start, (value) => {
        const made = run(value);
        return made instanceof Promise ? made.then(next) : next(made);
      }),
    only: () => first(ReadableStream.from([start]).pipeThrough(stage(run))),
  };
}

function chained<T>(stream: ReadableStream<T>): Line<T> {
  return {
    to: (next) => chained(stream.pipeThrough(stage(next))),
    only: () => first(stream),
  };
}

async function first<T>(stream: ReadableStream<T>): Promise<T> {
  const reader = stream.getReader();
  const { done, value } = await reader.read();
  if (done) throw new TypeError('The line ended without a value.');
  reader.releaseLock();
  return value;
}
