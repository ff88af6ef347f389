/** What a running gateway knows: one immutable value, made anew and swapped whole when the configuration changes. */

import type { IncomingMessage } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Catalog } from './catalog/catalog.ts';
import type { Keys } from './keys.ts';
import type { Limits } from './limits/limits.ts';
import type { Traces } from './observe/traces.ts';
import type { DecodeOptions } from './stages/decode.ts';
import type { InFlightLimits } from './stages/shed.ts';
import type { ReplyOptions } from './stages/translate-reply.ts';
import type { LineMode } from './streams/line.ts';
import type { Recorder } from './usage/exchange-record.ts';
import type { Later } from './usage/later.ts';
import type { Upstreams } from './vendors/upstreams.ts';
import type { Vendors } from './vendors/vendor.ts';

export interface Gateway {
  readonly keys: Keys;
  /** Keeps keys to their limits; absent where no key has any. */
  readonly limits?: Limits;
  /** Only models that some vendor with a key serves. */
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly agent: Dispatcher;
  /** How vendors are doing: the one part of this value that changes. */
  readonly upstreams: Upstreams;
  readonly options: DecodeOptions & InFlightLimits & ReplyOptions;
  readonly cors: CorsOptions;
  /** Is told of every exchange when it is over; absent where nobody listens, and then nothing is noted. */
  readonly record?: Recorder;
  /** Makes the record a moment after the exchange; absent: at once. */
  readonly later?: Later['add'];
  /** Begins the trace of every exchange that is recorded; absent where nobody collects them. */
  readonly traces?: Traces;
  /** The figures, for who brings the admin's key; to others, and where it is absent, there is no such path. */
  readonly metrics?: (message: IncomingMessage) => Promise<Response> | undefined;
  /** How the request path runs; `chained` is for tests and benches. */
  readonly mode: LineMode;
}

/** Browser origins that may read answers: exact ones, or every one. */
export interface CorsOptions {
  readonly origins: readonly string[] | '*';
}
