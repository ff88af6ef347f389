/**
 * The log: lines for exchanges, and messages of the process. pino writes JSON; on a terminal the same facts are written
 * for people.
 */

import cluster from 'node:cluster';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { pino, stdTimeFunctions } from 'pino';
import { errorCode } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { streamSink } from './line-sinks.ts';
import { LineWriter } from './line-writer.ts';
import { type LineStyle, prettyLine } from './pretty-line.ts';
import { standardOutput } from './standard-output.ts';

export interface LogOptions {
  /** `auto`: pretty on a terminal, otherwise JSON. */
  readonly style: 'auto' | 'json' | 'pretty';
  /** Where lines go; absent: to the standard output of the process. The stream is never ended. */
  readonly stream?: Writable;
  /** The most bytes that may wait for a slow reader. */
  readonly maxWaiting?: number;
}

/** What the log says about an error. It never contains text of a caller or a vendor. */
type Facts = Readonly<Record<string, string>>;

export interface Log {
  readonly style: LineStyle;
  /** Writes lines of finished exchanges in UTF-8, as `exchangeLines` renders them. */
  readonly write: (lines: Buffer) => void;
  /** Logs an event of the process, such as a start or a reload. @param facts further fields of the line. */
  note(message: string, facts?: object): void;
  /** Logs something that should not have happened. Of an error, only its kind and where it was thrown are written. */
  problem(message: string, error?: unknown): void;
  /** The number of lines that were dropped because they were not read fast enough. */
  dropped(): number;
  /** Writes what waits, for at most so many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

const MAX_WAITING = 8 * 1024 * 1024;

/**
 * The most bytes of one write. Processes that may share a pipe write at most PIPE_BUF, 4,096 bytes, which stays in one
 * piece (pipe(7)).
 */
const PIECE = 64 * 1024;
const SHARED_PIECE = 4_000;

/** Milliseconds for which lines are collected; a crash may lose them. */
const DELAY = 50;

/** Opens the log. Nothing is written before its first line. */
export function openLog({ style, stream, maxWaiting = MAX_WAITING }: LogOptions): Log {
  const pretty = style === 'pretty' || (style === 'auto' && stream === undefined && isatty(1));
  const lines = new LineWriter(stream === undefined ? standardOutput() : streamSink(stream), {
    maxWaiting,
    delay: DELAY,
    piece: cluster.isWorker ? SHARED_PIECE : PIECE,
  });
  const format = pretty ? prettyLine() : undefined;
  const write = (line: string): void => lines.write(Buffer.from(format === undefined ? line : format(line)));
  const logger = pino(
    { base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    { write },
  );
  return {
    style: pretty ? 'pretty' : 'json',
    write: (rendered) => lines.write(rendered),
    note: (message, facts = {}) => logger.info(facts, message),
    problem: (message, error) => logger.error(error === undefined ? {} : getKind(error), message),
    dropped: () => lines.dropped(),
    close: (milliseconds) => lines.close(milliseconds),
  };
}

/**
 * The facts of an error without its message: JSON.parse quotes the text that it could not read, and undici names
 * addresses. The message of a GatewayError is meant for callers, so the log may have it too.
 */
function getKind(error: unknown): Facts {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = errorCode(error);
  return {
    error: error.name,
    ...(code !== undefined && { code }),
    ...(error instanceof GatewayError && { fault: error.fault, reason: error.message }),
    at: parseFrames(error),
    ...(error.cause !== undefined && prefixed('cause', getKind(error.cause))),
  };
}

function parseFrames({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return frames
    .slice(0, 8)
    .map((line) => line.trim())
    .join('; ');
}

function prefixed(prefix: string, facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${prefix}.${name}`, value]));
}
