/** What is known of an exchange once it is over: who asked what of whom, how it went, what it took. No word of it. */

import type { FormatName, Operation } from '../../conversation/prompt.ts';
import type { Tokens } from '../../conversation/tokens.ts';
import type { Fault } from '../../lib/errors.ts';

/**
 * How an exchange ended.
 * - `complete`: the vendor's answer arrived whole, be it that it refuses what was asked: see `status`
 * - `refused`: the gateway itself said no, before any vendor was asked
 * - `failed`: the vendor could not be reached, failed by its own word, broke off, or could not be understood
 * - `client-closed`: the caller left first
 */
export type Outcome = 'complete' | 'refused' | 'failed' | 'client-closed';

export interface ExchangeRecord {
  /** The request id that the caller was told. */
  readonly id: string;
  /** When it began, milliseconds since 1970. */
  readonly time: number;
  /** Name of the key; absent where nobody was admitted. */
  readonly key?: string | undefined;
  /** Name of the group that the key was of then: it may be of another one since. */
  readonly group?: string | undefined;
  /** What the caller says that it is for. */
  readonly tag?: string | undefined;
  /** Full id from the catalog, vendor first; absent where none was resolved. */
  readonly model?: string | undefined;
  /** Who was asked for it: differs from the model's vendor for those served by another service. */
  readonly vendor?: string | undefined;
  /** The caller's format, and the vendor's: the same on the native path. */
  readonly format: FormatName;
  readonly spoken?: FormatName | undefined;
  readonly operation: Operation;
  readonly streamed: boolean;
  /** HTTP status that the caller was told. */
  readonly status: number;
  readonly outcome: Outcome;
  /** What went wrong, where something did. */
  readonly fault?: Fault | undefined;
  /** What lies behind the fault, where that is known: a code (`ENOTFOUND`), or where an error of ours came from. */
  readonly cause?: string | undefined;
  /** Milliseconds to the end, and to the first byte of the vendor's body. */
  readonly duration: number;
  readonly firstByte?: number | undefined;
  /** As the vendor told it. */
  readonly usage: Tokens;
  /** US dollars, as the vendor says or by the catalog's prices; absent where it told no usage. */
  readonly cost?: number | undefined;
  /** What it took beyond that, by the text that passed; absent where the vendor has told all. Budgets count it. */
  readonly estimated?: Estimated | undefined;
  /** Requests to vendors that it took. */
  readonly attempts: number;
  /** What became of the models in whose place another one was asked, that which was asked for first. */
  readonly gaveWay?: readonly GaveWay[] | undefined;
  /** Rules of its format that a stream of ours has broken; absent where nobody counted. */
  readonly violations?: number | undefined;
}

/** A model that could not answer, so that one of its fallbacks was asked. */
export interface GaveWay {
  readonly model: string;
  readonly vendor: string;
  readonly fault: Fault;
  /** Of the exchange's attempts those that it took. */
  readonly attempts: number;
}

/** What was not told, by the text that passed. */
export interface Estimated {
  /** Input and output. */
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
}

/** Takes records as exchanges end. Called on the request path: must return at once, and not throw. */
export type Recorder = (record: ExchangeRecord) => void;
