/**
 * What is known of an exchange once it is over: who asked whom for what, how it ended, and what it used. It holds none
 * of the content.
 */

import { type FormatName, type Operation, STORED_OPERATIONS } from '../../conversation/prompt.ts';
import type { Tokens } from '../../conversation/tokens.ts';
import type { Fault } from '../../lib/errors.ts';

/**
 * How an exchange ended.
 * - `complete`: the vendor's answer arrived in full, even if it is a refusal: see `status`
 * - `refused`: the gateway itself refused it, before any vendor was asked; or a hook refused the answer
 * - `failed`: the vendor could not be reached, reported a failure, broke off, or could not be understood; or the gateway
 *   ended the answer, by an error of its own or because it shuts down or is short of something
 * - `client-closed`: the caller left first
 */
export type Outcome = 'complete' | 'refused' | 'failed' | 'client-closed';

export interface ExchangeRecord {
  /** The request id that the caller received. */
  readonly id: string;
  /** When the exchange began, in milliseconds since 1970. */
  readonly time: number;
  /** The name of the key; absent if the caller was not authenticated. */
  readonly key?: string | undefined;
  /** The name of the key that the request carried, if it was refused because that has expired. */
  readonly expiredKey?: string | undefined;
  /** The same if it was revoked. */
  readonly revokedKey?: string | undefined;
  /** The name of the key's group at that time; it may have changed since. */
  readonly group?: string | undefined;
  /** What the caller says the exchange is for. */
  readonly tag?: string | undefined;
  /** The limits for some models that it counts for (`Limits.placesByModel`). */
  readonly modelLimits?: readonly string[] | undefined;
  /** The full id from the catalog, with the vendor first; absent if none was resolved. */
  readonly model?: string | undefined;
  /** The vendor that was asked. It is not the model's vendor if another service serves the model. */
  readonly vendor?: string | undefined;
  /** The caller's format, and the vendor's. They are the same on the native path. */
  readonly format: FormatName;
  readonly spoken?: FormatName | undefined;
  readonly operation: Operation;
  readonly streamed: boolean;
  /** The HTTP status that the caller received. */
  readonly status: number;
  readonly outcome: Outcome;
  /** What went wrong, if anything did. */
  readonly fault?: Fault | undefined;
  /** The cause of the fault, if it is known: a code (`ENOTFOUND`), or where an error of the gateway was thrown. */
  readonly cause?: string | undefined;
  /** Milliseconds to the end, and to the first byte of the vendor's body. */
  readonly duration: number;
  readonly firstByte?: number | undefined;
  /** As the vendor reported it. */
  readonly usage: Tokens;
  /** US dollars, as the vendor reports or by the catalog's prices; absent if the vendor reported no usage. */
  readonly cost?: number | undefined;
  /**
   * An estimate of what it used beyond that, from the text that passed; absent if the vendor reported everything.
   * Budgets count it.
   */
  readonly estimated?: Estimated | undefined;
  /** The vendor's own id of its last answer; absent if it gave none. */
  readonly upstreamId?: string | undefined;
  /** The number of requests to vendors. */
  readonly attempts: number;
  /** The models that failed before a fallback was asked, in order. */
  readonly gaveWay?: readonly GaveWay[] | undefined;
  /** What was done to the request because the vendor refused it, by name and in order. */
  readonly repairs?: readonly string[] | undefined;
  /** Violations of its format's rules in a stream of the gateway; absent if they were not counted. */
  readonly violations?: number | undefined;
}

/**
 * Operations that cost nothing: a count of tokens, and a request about a stored response, whose tokens were used by the
 * request that made it.
 */
const FREE: ReadonlySet<string> = new Set<Operation>(['count-tokens', ...STORED_OPERATIONS]);

/** Whether an answered exchange has cost something that nobody has counted. */
export function isUncounted({
  cost,
  attempts,
  status,
  operation,
}: {
  readonly cost?: number | null | undefined;
  readonly attempts: number;
  readonly status: number;
  readonly operation: string;
}): boolean {
  return (cost ?? undefined) === undefined && attempts > 0 && status < 400 && !FREE.has(operation);
}

/** A model that could not answer, so that one of its fallbacks was asked. */
export interface GaveWay {
  readonly model: string;
  readonly vendor: string;
  readonly fault: Fault;
  /** Its part of the exchange's attempts. */
  readonly attempts: number;
}

/** What the vendor did not report, estimated from the text that passed. */
export interface Estimated {
  /** Input and output tokens. */
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
}

/** Receives the record of each exchange when it is over. It must return at once and not throw. */
export type Recorder = (record: ExchangeRecord) => void;
