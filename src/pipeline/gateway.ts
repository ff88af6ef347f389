/** What a running gateway knows: one immutable value, made anew and swapped whole when the configuration changes. */

import type { IncomingMessage } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Identities } from '../access/identities/identities.ts';
import type { Keys } from '../access/keys.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { StoredIds } from '../access/stored-ids.ts';
import type { Traces } from '../accounting/traces/traces.ts';
import type { RecordExchange } from '../accounting/usage/ledger.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ChainMode } from '../streams/chain.ts';
import type { CloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import type { Upstreams } from '../upstream/pool/upstreams.ts';
import type { Vendors } from '../upstream/vendor.ts';
import type { PendingLimits } from './arrivals.ts';
import type { CallerTimeouts, SocketLimits } from './caller-limits.ts';
import type { DecodeOptions } from './decode.ts';
import type { ReachOptions } from './reach.ts';
import type { ReplyOptions } from './reply-options.ts';
import type { InFlightLimits } from './shed-load.ts';
import type { RequestOptions } from './translate-request.ts';

export interface Gateway {
  readonly keys: Keys;
  /** Those who come by a token instead; absent where none are configured. */
  readonly identities?: Identities;
  /** Keeps keys and groups to their limits; absent where none has any. */
  readonly limits?: Limits;
  /** Whose answers have stored what at the vendors. */
  readonly storedIds: StoredIds;
  /** Only models that some vendor with a key serves. */
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly agent: Dispatcher;
  /** What vendors are shown that have no key. */
  readonly passes: CloudTokens;
  /** How vendors are doing: the one part of this value that changes. */
  readonly upstreams: Upstreams;
  readonly options: DecodeOptions &
    InFlightLimits &
    PendingLimits &
    SocketLimits &
    CallerTimeouts &
    ReachOptions &
    RequestOptions &
    ReplyOptions;
  readonly cors: CorsOptions;
  /** Takes the notes of every exchange when it is over; absent where nobody does, and then nothing is noted. */
  readonly note?: RecordExchange;
  /** Begins the trace of every exchange that is noted; absent where nobody collects them. */
  readonly traces?: Traces;
  /** The figures, for who brings the admin's key; to others, and where it is absent, there is no such path. */
  readonly metrics?: (message: IncomingMessage) => Promise<Response> | undefined;
  /** How the request path runs; `chained` is for tests and benches. */
  readonly mode: ChainMode;
}

/** Browser origins that may read answers: exact ones, or every one. */
export interface CorsOptions {
  readonly origins: readonly string[] | '*';
}
