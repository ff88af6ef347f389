/** What a running gateway consists of: one immutable value. A new one replaces it when the configuration changes. */

import type { CallerRequest } from '../access/caller.ts';
import type { Identities } from '../access/identities/identities.ts';
import type { Keys } from '../access/keys.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { StoredIds } from '../access/stored-ids.ts';
import type { Traces } from '../accounting/traces/traces.ts';
import type { ReadCallerUsage } from '../accounting/usage/caller-usage.ts';
import type { RecordExchange } from '../accounting/usage/closed-ledger.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config/schema.ts';
import type { Hooks } from '../conversation/hooks.ts';
import type { ChainMode } from '../streams/chain.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import type { VendorAgent } from '../upstream/origin-agent.ts';
import type { Upstreams } from '../upstream/pool/upstreams.ts';
import type { Vendors } from '../upstream/vendor.ts';
import type { RememberedTools } from './body/remembered-tools.ts';
import type { AnswerCache } from './cache/cache-answers.ts';
import type { ReachOptions } from './model/reach.ts';
import type { RequestOptions } from './request/native-request.ts';

export interface Gateway {
  readonly keys: Keys;
  /** The identity providers whose tokens are accepted instead of a key; absent if none are configured. */
  readonly identities?: Identities;
  /** Enforces the limits of keys and groups; absent if none are set. */
  readonly limits?: Limits;
  /** Reads what a caller has used, for itself; absent if nothing is stored. */
  readonly callerUsage?: ReadCallerUsage;
  /** The time zone of days and budgets. */
  readonly timeZone: string;
  /** Which key's answers have stored which objects at the vendors. */
  readonly storedIds: StoredIds;
  /** Only models of vendors that have a key. */
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly agent: VendorAgent;
  /** The tools that requests have had. They change how fast another request is read, and nothing else. */
  readonly tools: RememberedTools;
  /** Tokens and signatures for vendors of clouds, which have no key. */
  readonly cloudTokens: CloudTokens;
  /** The health of the vendors: the only part of this value that changes what a request gets. */
  readonly upstreams: Upstreams;
  readonly options: Config['limits'] &
    Config['timeouts'] &
    Pick<Config, 'validate'> &
    ReachOptions &
    RequestOptions;
  readonly cors: CorsOptions;
  /** The operator's own functions before and after; absent if there are none. */
  readonly hooks?: Hooks;
  /** Answers that were given before; absent if none are kept. */
  readonly cache?: AnswerCache;
  /** Receives the record of every exchange when it is over; absent if nothing records, and then no ledger is kept. */
  readonly record?: RecordExchange;
  /** Starts the trace of every exchange that is recorded; absent if no traces are collected. */
  readonly traces?: Traces;
  /**
   * Answers `/metrics` for callers with the admin key. For other callers, and if it is absent, that path does not
   * exist.
   */
  readonly metrics?: (message: CallerRequest) => Promise<Response> | undefined;
  /** How the request path runs; `chained` is for tests and benchmarks. */
  readonly mode: ChainMode;
}

/** The browser origins that may read answers: a list of exact ones, or all. */
export interface CorsOptions {
  readonly origins: readonly string[] | '*';
}
