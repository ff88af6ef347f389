/**
 * The one error that this program throws on purpose. A fault says what went wrong in neutral terms; the
 * `render-error.ts` of each format says it in the vendor's terms.
 */

import { compact } from './json.ts';

/** What went wrong, and its HTTP status unless the upstream sent another one. */
const STATUS = {
  'invalid-request': 400,
  'context-too-long': 400,
  unauthenticated: 401,
  'model-not-allowed': 403,
  'permission-denied': 403,
  'model-not-found': 404,
  'not-found': 404,
  'endpoint-not-available': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  unprocessable: 422,
  'rate-limited': 429,
  'quota-exceeded': 429,
  internal: 500,
  'upstream-auth': 502,
  'upstream-broken': 502,
  'upstream-overloaded': 503,
  overloaded: 503,
  'upstream-timeout': 504,
} as const;

export type Fault = keyof typeof STATUS;

/**
 * What the vendor can have done for a failed request: nothing, because it refused or was not reached (`rejected`), or
 * because its account may not do this, though another account may (`elsewhere`); or unknown, because the connection
 * closed without a byte of an answer (`reset`).
 */
type Loss = 'rejected' | 'elsewhere' | 'reset';

type Concern = 'model' | 'caller';

export interface FaultDetails {
  /** The HTTP status, if the upstream's own is kept. */
  readonly status?: number;
  /** The request field at fault, as the caller wrote it. */
  readonly param?: string;
  /** The upstream's own machine-readable code, if it means something to callers. */
  readonly code?: string;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** Further response headers of this error, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set if the exchange with the vendor failed before the vendor did any work, or may have. */
  readonly loss?: Loss;
  /**
   * What a failure of the vendor concerns, if neither the vendor nor the gateway's account there as a whole: a quota of the
   * requested model alone, or what the caller has asked of the vendor, such as a time.
   */
  readonly concerns?: Concern;
  /** Whether the vendor has said no more than that it failed. It may say why in its next event. */
  readonly isUnexplained?: boolean;
  readonly cause?: unknown;
}

/**
 * How a connection to a vendor fails. After the head of a stream has been sent, agents decide by the wording whether to
 * retry: opencode and pi look for `connection error`, `connection lost` and `response timed out`.
 */
export const BROKEN_OFF = {
  unreached: 'Connection error: the upstream could not be reached.',
  unreachedInTime: 'Connection error: the upstream could not be reached in time.',
  lost: 'Connection lost: the upstream broke off.',
  endedEarly: 'Connection lost: the upstream ended its answer before it was finished.',
  tooLong: 'Response timed out: the upstream took too long to answer.',
} as const;

/**
 * The longest wait after which clients are to retry on their own, in seconds. After a longer one OpenAI's SDKs retry at
 * once, as if there were none (openai-node's `retryRequest`), and Anthropic's sleep for hours
 * (anthropic-sdk-typescript's); Claude Code stops (2.1.330), as both SDKs do if `x-should-retry` is false.
 */
export const MAX_RETRY_WAIT = 60;

/**
 * The longest wait that is accepted from a vendor, in seconds: a month, after which all of their quotas are full again.
 */
const MAX_REPORTED_WAIT = 31 * 24 * 60 * 60;

/**
 * Limits a wait from a vendor, in seconds, to a month.
 * @returns undefined for a number that is not finite, or is below 0, which would reach callers as `retry-after:
 *   Infinity`.
 */
export function reportedWait(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, MAX_REPORTED_WAIT);
}

/** What went wrong, and everything that the caller gets to know of it apart from the wording of the format. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly fault: Fault;
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly loss: Loss | undefined;
  readonly concerns: Concern | undefined;
  readonly isUnexplained: boolean;

  /** @param message for the caller: it contains no key, no internal address and none of the caller's own text. */
  constructor(fault: Fault, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.fault = fault;
    this.status = details.status ?? STATUS[fault];
    this.param = details.param;
    this.code = details.code;
    this.retryAfter = details.retryAfter;
    this.headers = details.headers ?? {};
    this.loss = details.loss;
    this.concerns = details.concerns;
    this.isUnexplained = details.isUnexplained ?? false;
  }
}

/** Makes the error for a vendor's answer without an end. */
export function endedEarly(): GatewayError {
  return new GatewayError('upstream-broken', BROKEN_OFF.endedEarly);
}

/** Makes the error that ends an exchange whose caller is gone. */
export function callerLeft(): GatewayError {
  return new GatewayError('upstream-broken', 'The caller left.');
}

const VENDOR_FAULTS = new Set<Fault>([
  'upstream-auth',
  'upstream-broken',
  'upstream-overloaded',
  'upstream-timeout',
  'quota-exceeded',
]);

/** Whether a fault is the vendor's, or of the gateway's account there, rather than of the request or its frequency. */
export function isVendorError(fault: Fault): boolean {
  return VENDOR_FAULTS.has(fault);
}

/** Copies an error with further details; `headers` are added to those that it has. */
export function amended(
  error: GatewayError,
  details: FaultDetails & { readonly message?: string },
): GatewayError {
  const { fault, message, status, param, code, retryAfter, headers, loss, concerns } = error;
  return new GatewayError(fault, details.message ?? message, {
    ...compact({ status, param, code, retryAfter, loss, concerns }),
    cause: error,
    ...details,
    headers: { ...headers, ...details.headers },
  });
}

/** Turns any thrown value into a GatewayError: any other error becomes an internal one that shows nothing. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('internal', 'The gateway failed to answer this request.', { cause: error });
}

/** The message in place of a vendor's own when it refuses the gateway, because that may show its key or account. */
export const CREDENTIALS_REFUSED =
  'The upstream refused the credentials of this gateway. Whoever runs it has to look at its key and account there.';

/**
 * Makes the error for a key that is not accepted, in the same words whatever is wrong with it.
 * @param isAuthorization whether the request has the header Authorization, where the scheme is easily forgotten.
 */
export function invalidKey(isAuthorization: boolean): GatewayError {
  const scheme = isAuthorization ? ' The header must be Authorization: Bearer KEY.' : '';
  return new GatewayError(
    'unauthenticated',
    `The API key is not valid: it may be mistyped, expired or revoked. It must be a key of this gateway, not of a vendor.${scheme}`,
  );
}

/** Makes the error for a wrong method. @param allow the methods that exist, as the header lists them. */
export function methodNotAllowed(allow: string): GatewayError {
  return new GatewayError('method-not-allowed', `Method not allowed: this endpoint accepts ${allow}.`, {
    headers: { allow },
  });
}

/** Makes a 400 for a field of the caller's request. @param param the field, as the caller wrote it. */
export function invalid(message: string, param?: string): GatewayError {
  return new GatewayError('invalid-request', message, param === undefined ? {} : { param });
}

/** The headers that tell SDKs how long to wait before a retry; none if that is unknown. */
export function waitHeaders({ retryAfter }: GatewayError): Readonly<Record<string, string>> {
  if (retryAfter === undefined) return {};
  return {
    'retry-after': String(Math.ceil(retryAfter)),
    ...(retryAfter > MAX_RETRY_WAIT && { 'x-should-retry': 'false' }),
  };
}
