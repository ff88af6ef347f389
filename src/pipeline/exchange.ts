/** The one value that travels the request path, and what each stage adds to it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Standings } from '../access/limits/limit-headers.ts';
import type { Principal } from '../access/principal.ts';
import type { Ledger } from '../accounting/usage/ledger.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Route } from '../conversation/route.ts';
import type {
  Inbound,
  InboundCounting,
  ModelTraits,
  Outbound,
  OutboundCounting,
  RequestContext,
  ThinkingObserved,
} from '../formats/format.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { Span } from '../lib/json-scan.ts';
import type { Step } from '../streams/step.ts';
import type { Ending, UpstreamAnswer } from '../upstream/send.ts';
import type { Vendor } from '../upstream/vendor.ts';
import type { Arrival } from './arrivals.ts';
import type { Beginning } from './early-failure.ts';

/** What a process can be short of. */
export type Shortage = 'event-loop' | 'memory' | 'file-descriptors';

/** What a process is busy with. */
export interface Load {
  /** Exchanges in flight. */
  inFlight(): number;
  /** What it is short of; undefined as a rule. */
  shortage(): Shortage | undefined;
  /** Counts an exchange as one of `key`'s until it is over. @returns how many of them are in flight. */
  claim(response: ServerResponse, key: string): number;
  /** Something begins to be held for an exchange until it is whole: its body, or an answer that is collected. */
  arriving(response: ServerResponse): Arrival;
}

/** A request as it arrived. */
export interface Incoming {
  /** What every answer, log line and error calls this exchange. */
  readonly id: string;
  readonly message: IncomingMessage;
  /** Where the answer goes; only watched. */
  readonly response: ServerResponse;
  /** Aborts when the caller leaves, or the process ends the exchange; the reason is the GatewayError that says so. */
  readonly signal: AbortSignal;
  /** What else the process is busy with; absent where nobody counts. */
  readonly load?: Load;
  /** What is known of this exchange, for the record of it. */
  readonly ledger: Ledger;
}

/** After `decode`: what is asked, and in which format. The body is still on its way. */
export interface Call extends Incoming {
  readonly route: Route;
  /** Query parameters. */
  readonly query: URLSearchParams;
  /** Where the path names the model and the method (generate-content): those. */
  readonly named?: { readonly model: string; readonly method: string };
  /** Reads the body, once. @throws GatewayError */
  readBody(): Promise<Buffer>;
}

/** After `authenticate`: by whom. */
export interface Admitted extends Call {
  readonly principal: Principal;
  /** Headers for the answer: what is left of the key's limits; absent where it has none. */
  readonly allowance?: Readonly<Record<string, string>>;
  /** What those headers tell. */
  readonly standings?: Standings;
}

/** After `resolve-model`: of which model, served by whom, natively or not. */
export interface Routed extends Admitted {
  readonly model: Model;
  readonly vendor: Vendor;
  /** The format the vendor is spoken to in; the caller's own on the native path. */
  readonly upstreamFormat: FormatName;
  /** The caller's body; on the native path the value of its top-level `model` is the vendor's name of the model. */
  readonly body: Buffer;
  /** Where the top-level values of `body` stand. */
  readonly fields: ReadonlyMap<string, Span>;
  /** The same request for the next model that may be asked where this one cannot answer. */
  readonly nextFallback?: () => Routed | undefined | Promise<Routed | undefined>;
  /** Ids of other models that the body names, of callers who are limited by model. */
  readonly otherModels?: readonly string[];
  /** Notes what the answer has stored at the vendor as the key's; absent where nobody asks whose it is. */
  readonly bind?: (ids: readonly string[]) => void;
  /** Absent of the first attempt, where nobody follows it. */
  readonly attempt?: Attempt;
  /** Set of a fallback: the body was written for another model. */
  readonly isFallback?: true;
  /** Set where the vendor is not to have the body as it is: it is translated then, whatever the vendor speaks. */
  readonly mustTranslate?: true;
  /** What of a native request the service has refused beside the answer; the body is without it already. */
  readonly refusedFields?: ReadonlySet<string>;
  /** Set where the vendor no longer takes what was thought in earlier turns: it is left out of a translation. */
  readonly dropsThoughts?: true;
  /** Set where the vendor streams the answers of its model to nobody of the gateway's account: it is asked for all at once. */
  readonly wantsWholeAnswer?: true;
  /** What the vendor has said of its model: a translation tells it to think, nothing about it, or to show nothing of it. */
  readonly thinkingObserved?: ThinkingObserved;
}

/** One of the attempts to get an answer. */
export interface Attempt {
  /** Milliseconds that are left for all of them. */
  readonly timeLeft: number;
  /** Told once, when the exchange with the vendor is over. */
  readonly ended?: (how: Ending) => void;
}

/** How a reply is brought back into the caller's format. */
export interface Translation {
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  readonly asked: RequestContext;
  readonly target: ModelTraits;
  /** The stop sequences that the vendor is not told, none of them empty. */
  readonly stops?: readonly string[];
  /** Where it is a count of the prompt's tokens that is asked for. */
  readonly counting?: { readonly inbound: InboundCounting; readonly outbound: OutboundCounting };
}

/** After `translate-request`: what goes to the vendor. */
export interface Prepared extends Routed {
  readonly path: string;
  readonly headers: string[];
  /** What is sent. */
  readonly payload: Uint8Array;
  /** Takes out of a native stream what it tells because the gateway asked for it, and not the caller. */
  readonly stripInjectedUsage?: () => Step<Uint8Array, Uint8Array>;
  /** Absent on the native path. */
  readonly translation?: Translation;
}

/** After `upstream`: the vendor's answer, a head and a body still coming. */
export interface Answered extends Prepared {
  readonly answer: UpstreamAnswer;
  /** By what the vendor knew whose request it was: nobody is to see it. */
  readonly secret: string;
  /** What a native stream begins with; absent of all other answers. */
  readonly beginning?: Beginning | undefined;
}

/** After `translate-reply`: the answer as the caller is to have it. */
export interface Replied {
  readonly id: string;
  readonly format: FormatName;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: ReadableStream<Uint8Array> | Uint8Array;
  /** As after `authenticate`: told over what a vendor says of limits of its own. */
  readonly allowance: Admitted['allowance'] | undefined;
  readonly ledger: Ledger;
  /** Of an error answer that is passed on as it is: what it means. */
  readonly refusal?: GatewayError;
}

/** What is written to the caller: after `encode`, or an error in the caller's format. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array> | Uint8Array;
}
