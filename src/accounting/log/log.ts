/** The log: lines of exchanges, and what the process says of itself. JSON by pino; on a terminal the same for people. */

import cluster from 'node:cluster';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { pino, stdTimeFunctions } from 'pino';
import { errorCode } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { lineWriter } from './line-writer.ts';
import { type LineStyle, prettyLine } from './pretty-line.ts';
import { standardOutput } from './standard-output.ts';

export interface LogOptions {
  /** `auto`: pretty on a terminal, else JSON. */
  readonly style: 'auto' | 'json' | 'pretty';
  /** Where to; absent: the process's standard output. It is never ended. */
  readonly stream?: Writable;
  /** Most that may wait for a slow reader, in bytes. */
  readonly most?: number;
}

/** What is told of an error. Never a text of a caller's or a vendor's. */
type Facts = Readonly<Record<string, string>>;

export interface Log {
  readonly style: LineStyle;
  /** Writes lines of exchanges that are over, as `exchangeLines` makes them, in UTF-8. */
  readonly write: (lines: Buffer) => void;
  /** Something that happened to the process: a start, a reload. */
  note(message: string): void;
  /** Something that should not have happened; of its error, if it has one, only the kind and where it came from are written. */
  problem(message: string, error?: unknown): void;
  /** How many lines were dropped, since nobody read fast enough. */
  dropped(): number;
  /** Writes what waits, for so many milliseconds at most. */
  close(milliseconds: number): Promise<void>;
}

const MOST = 8 * 1024 * 1024;

/**
 * Most that goes out in one write, in bytes; of processes that may share a pipe, what comes out of it in one piece
 * for being no longer than its PIPE_BUF of 4,096 bytes (pipe(7)).
 */
const PIECE = 64 * 1024;
const SHARED_PIECE = 4_000;

/** Milliseconds in which lines are collected: what a crash may lose of the log. */
const DELAY = 50;

/** A log; nothing is written before its first line. */
export function openLog({ style, stream, most = MOST }: LogOptions): Log {
  const pretty = style === 'pretty' || (style === 'auto' && stream === undefined && isatty(1));
  const lines = lineWriter(stream ?? standardOutput(), {
    most,
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
    write: lines.write,
    note: (message) => logger.info(message),
    problem: (message, error) => logger.error(error === undefined ? {} : kindOf(error), message),
    dropped: lines.dropped,
    close: lines.close,
  };
}

/**
 * An error without its words: JSON.parse quotes the text it stumbled over, and undici names the address it could not
 * reach. A GatewayError's own message is meant for callers, so it may stand in a log too.
 */
function kindOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = errorCode(error);
  return {
    error: error.name,
    ...(code !== undefined && { code }),
    ...(error instanceof GatewayError && { fault: error.fault, reason: error.message }),
    at: framesOf(error),
    ...(error.cause !== undefined && prefixed('cause', kindOf(error.cause))),
  };
}

function framesOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return frames
    .slice(0, 8)
    .map((line) => line.trim())
    .join('; ');
}

function prefixed(prefix: string, facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${prefix}.${name}`, value]));
}
