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
  /** The line with several more stages, written as a line of their own, which `around` runs as it sees fit. */
  within<U>(around: (stages: Stage<T, U>) => Stage<T, U>, inner: (line: Line<T>) => Line<U>): Line<U>;
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
  return mode === 'fused' ? fused(value, itself) : chained(ReadableStream.from([value]));
}

/** @param only how the line is run in the end. */
function fused<S, T>(
  start: S,
  run: Stage<S, T>,
  only: <U>(start: S, run: Stage<S, U>) => Promise<U> = streamed,
): Line<T> {
  const to = <U>(next: Stage<T, U>): Line<U> =>
    fused(
      start,
      (value) => {
        const made = run(value);
        return made instanceof Promise ? made.then(next) : next(made);
      },
      only,
    );
  return {
    to,
    // What is inside runs in the one stream that is there already.
    within: (around, inner) => to(around((value) => inner(fused<T, T>(value, itself, direct)).only())),
    only: () => only(start, run),
  };
}

function chained<T>(stream: ReadableStream<T>): Line<T> {
  const to = <U>(next: Stage<T, U>): Line<U> => chained(stream.pipeThrough(stage(next)));
  return {
    to,
    within: (around, inner) => to(around((value) => inner(chained(ReadableStream.from([value]))).only())),
    only: () => first(stream),
  };
}

function itself<T>(value: T): T {
  return value;
}

/** Written to and read from directly: a pipe from a stream of one value costs more than the stream it leads to. */
function streamed<S, T>(start: S, run: Stage<S, T>): Promise<T> {
  const { writable, readable } = stage(run);
  // What a stage throws is told by the reading side.
  writable
    .getWriter()
    .write(start)
    .catch(() => undefined);
  return first(readable);
}

async function direct<S, T>(start: S, run: Stage<S, T>): Promise<T> {
  return run(start);
}

async function first<T>(stream: ReadableStream<T>): Promise<T> {
  const reader = stream.getReader();
  const { done, value } = await reader.read();
  if (done) throw new TypeError('The line ended without a value.');
  reader.releaseLock();
  return value;
}
